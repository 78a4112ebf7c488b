// Configurations in which the gateway has to look at results, and the members of results for which it has to.

const MAIL = "jane@example.com";
const ESCAPED_MAIL = "jane\\u0040example.com";
const QUESTION = "your-password-please";
const FORGED = "of-the-bank";
const TASK = "task-of-the-server";
/** The URI of a skill at its server. Clients know it by another, because of the server's prefix. */
export const OWN_URI = "skill://acme/refunds/SKILL.md";
const HIDDEN = "content-of-the-hidden";

const text = (value) => `{"type":"text","text":"${value}"}`;
const mails = (method, mail) => {
  const member = {
    "tools/call": `"content":[${text(mail)}]`,
    "prompts/get": `"messages":[{"role":"user","content":${text(mail)}}]`,
    "resources/read": `"contents":[{"uri":"doc://open","text":"${mail}"}]`,
  };
  return { method, member: member[method], content: true };
};
const call = (member, more = {}) => ({ method: "tools/call", member, ...more });
const asks = (params) =>
  `"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":${params}}}`;
const question = asks(`{"mode":"form","message":"${QUESTION}","requestedSchema":{"type":"object","properties":{}}}`);
const signed = asks(
  `{"mode":"form","message":"x","requestedSchema":{"type":"object","properties":{}},"_meta":{"dev.mcpsieve/server":"${FORGED}"}}`,
);
const task = (members) =>
  `${members}"taskId":"${TASK}","status":"working","createdAt":"2026-07-28T10:00:00Z","ttl":1000`;
/** A member that nothing has to look at. */
export const NOTHING = '"extra":1';
const COMPLETE = '"resultType":"complete"';

const redacting = {
  middleware: { chains: [{ on: ["tools/call", "prompts/get", "resources/read"], response: ["pii_redaction"] }] },
};
const mailed = [
  ...["tools/call", "prompts/get", "resources/read"].flatMap((method) => [
    mails(method, MAIL),
    mails(method, ESCAPED_MAIL),
  ]),
  call(`"structuredContent":{"who":"${MAIL}"}`, { harmless: '"structuredContent":{}' }),
  call(`"summary":"${ESCAPED_MAIL}"`),
];
const hides = { policies: [{ name: "open", show: "-name:secret or claim.role:hr" }] };
const elicits = { elicitation: { form: {} } };
const TASKS = { "io.modelcontextprotocol/tasks": {} };
const SKILLS = { "io.modelcontextprotocol/skills": {} };

/**
 * The configurations by name. `members` are those of a result by which it must not pass, each with its method. `secrets` must
 * not arrive. `capabilities` are those of a stateless client, `through` is the tool through which it calls, `uri` the
 * resource that it reads, `extensions` are those of the server, `sessions` states that it has sessions only, and `several` that the
 * gateway has another server as well.
 */
export const WORLDS = {
  plain: {
    members: [call(NOTHING), { method: "prompts/get", member: NOTHING }, { method: "resources/read", member: NOTHING }],
  },
  "plain, sessions": { sessions: true, members: [call(NOTHING), { method: "prompts/get", member: NOTHING }] },
  "another revision": {
    members: [
      call(COMPLETE),
      call('"ttlMs":1000'),
      call('"cacheScope":"public"', { harmless: '"cacheScope":"private"' }),
    ],
  },
  redacted: { config: redacting, members: mailed, secrets: [MAIL] },
  "redacted, sessions": { config: redacting, sessions: true, members: mailed, secrets: [MAIL] },
  "redacted, called by discovery": {
    config: { ...redacting, disclosure: { mode: "search" } },
    through: "call_tool",
    members: mailed.filter(({ method }) => method === "tools/call"),
    secrets: [MAIL],
  },
  "questions refused": {
    config: { upstream: { questions: "refuse" } },
    capabilities: elicits,
    members: [call(question, { harmless: COMPLETE }), call(question.slice(question.indexOf('"inputRequests"')))],
    secrets: [QUESTION],
  },
  "questions signed": {
    capabilities: elicits,
    members: [call(signed, { harmless: COMPLETE }), call(signed.slice(signed.indexOf('"inputRequests"')))],
    secrets: [FORGED],
  },
  private: {
    config: hides,
    isPrivate: true,
    members: ["tools/call", "prompts/get", "resources/read"].map((method) => ({
      method,
      member: '"cacheScope":"public"',
      harmless: '"cacheScope":"private"',
    })),
  },
  hidden: {
    config: { ...hides, upstream: { unlisted: true } },
    uri: "doc://secret",
    members: [
      { method: "resources/read", member: `"contents":[{"uri":"doc://secret","text":"${HIDDEN}"}]`, content: true },
    ],
    secrets: [HIDDEN],
  },
  renamed: {
    several: true,
    extensions: SKILLS,
    uri: "skill://wiki/acme/refunds/SKILL.md",
    members: [{ method: "resources/read", member: `"contents":[{"uri":"${OWN_URI}","text":"done"}]`, content: true }],
    secrets: [OWN_URI],
  },
  tasks: { members: [call(task('"resultType":"task",'), { harmless: COMPLETE })], secrets: [TASK] },
  "tasks accepted": {
    capabilities: { extensions: TASKS },
    extensions: TASKS,
    members: [call(task('"resultType":"task",'), { harmless: COMPLETE })],
    secrets: [TASK],
  },
  "tasks, sessions": { sessions: true, members: [call(`"task":{${task("")}}`, { content: true })], secrets: [TASK] },
};
