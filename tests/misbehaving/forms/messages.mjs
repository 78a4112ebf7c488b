// Answers that are no correct JSON-RPC: ids, versions, errors and the JSON around them.
import { withError } from "../core.mjs";
import { events, event, json, status } from "../replies.mjs";

/** Every answer as this text of it. */
const every = (name, about, textOf, more = {}) => ({
  name,
  about,
  on: { "*": (turn) => json(textOf(turn.answer, turn), turn.right.status ? { status: turn.right.status } : {}) },
  ...more,
});
/** Every answer with the id in other text, as a body and as an event. */
const ids = (name, about, idOf) =>
  [
    ["", "in a body", (text) => json(text)],
    ["-event", "in an event", (text) => events([event(text)])],
  ].map(([suffix, where, reply]) => ({
    name: `${name}${suffix}`,
    about: `${about}, ${where}`,
    on: {
      "*": ({ answer }) => {
        const { id, jsonrpc, ...rest } = answer;
        const written = idOf(id);
        return reply(
          `{"jsonrpc":"2.0",${written === undefined ? "" : `"id":${written},`}${JSON.stringify(rest).slice(1)}`,
        );
      },
    },
  }));
const call = (name, about, reply) => ({ name, about, on: { "tools/call": reply } });
const members = (answer, more) => JSON.stringify({ ...answer, ...more });

export const messages = [
  ...ids("id-text", "ids are texts", (id) => JSON.stringify(String(id))),
  ...ids("id-float", "ids are written as `3.0`", (id) => (typeof id === "number" ? `${id}.0` : JSON.stringify(id))),
  ...ids("id-exponent", "ids are written as `3e0`", (id) => (typeof id === "number" ? `${id}e0` : JSON.stringify(id))),
  ...ids("id-null", "ids are `null`", () => "null"),
  ...ids("id-missing", "answers have no id", () => undefined),
  ...ids("id-other", "ids are those of another request", (id) =>
    typeof id === "number" ? String(id + 1_000) : '"other"',
  ),
  call("id-text-call", "the id of one answer is a text", ({ answer }) => json({ ...answer, id: String(answer.id) })),
  call("id-other-call", "the id of one answer is that of another request", ({ answer }) =>
    json({ ...answer, id: 4_711 }),
  ),
  every("jsonrpc-missing", "answers have no member `jsonrpc`", ({ jsonrpc, ...answer }) => JSON.stringify(answer)),
  every("jsonrpc-1", 'answers have `"jsonrpc": "1.0"`', (answer) => members(answer, { jsonrpc: "1.0" })),
  every("jsonrpc-number", 'answers have `"jsonrpc": 2.0`', (answer) => members(answer, { jsonrpc: 2 })),
  every("error-null", 'results have `"error": null` beside them', (answer) =>
    answer.result ? members(answer, { error: null }) : JSON.stringify(answer),
  ),
  every("result-null", 'errors have `"result": null` beside them', (answer) =>
    answer.error ? members(answer, { result: null }) : JSON.stringify(answer),
  ),
  every("result-and-error", "results have an error beside them", (answer) =>
    answer.result ? members(answer, { error: { code: -32603, message: "both" } }) : JSON.stringify(answer),
  ),
  every("members-more", "answers have members that JSON-RPC does not have", (answer) =>
    members(answer, { status: "ok", took: 3 }),
  ),
  every("method-beside", "answers have the method beside the result", (answer, { message }) =>
    members(answer, { method: message.method }),
  ),
  every("members-reversed", "the id is the last member", ({ jsonrpc, id, ...rest }) =>
    JSON.stringify({ ...rest, id, jsonrpc }),
  ),
  every("body-array", "each answer is an array of one", (answer) => JSON.stringify([answer])),
  every("body-array-more", "each answer is an array with a notification and the answer", (answer) =>
    JSON.stringify([{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } }, answer]),
  ),
  every("body-bom", "bodies begin with a byte order mark", (answer) => `\ufeff${JSON.stringify(answer)}`),
  every(
    "body-spaces",
    "bodies have line feeds and spaces around the JSON",
    (answer) => `\r\n  ${JSON.stringify(answer, null, 2)}\n\n`,
  ),
  every(
    "body-twice",
    "bodies have the answer twice",
    (answer) => `${JSON.stringify(answer)}\n${JSON.stringify(answer)}`,
  ),
  every("body-behind", "bodies have text behind the JSON", (answer) => `${JSON.stringify(answer)}\nOK`),
  every("body-cut", "bodies end in the middle", (answer) => JSON.stringify(answer).slice(0, -3)),
  every(
    "id-twice",
    "answers have the id twice",
    (answer) => `{"id":${JSON.stringify(answer.id)},${JSON.stringify(answer).slice(1)}`,
  ),
  {
    name: "errors-odd",
    about: "errors have a text as their code and no message",
    on: { "*": ({ answer }) => (answer.error ? json({ ...answer, error: { code: "NOT_FOUND" } }) : undefined) },
  },
  call("error-text", "a call is answered with a text as the error", ({ answer }) =>
    json({ jsonrpc: "2.0", id: answer.id, error: "no" }),
  ),
  call("error-no-message", "a call is answered with an error without a message", ({ answer }) =>
    json({ jsonrpc: "2.0", id: answer.id, error: { code: -32000 } }),
  ),
  call("error-code-text", "a call is answered with an error whose code is a text", ({ answer }) =>
    json(withError(answer, "E_FAIL", "no")),
  ),
  call("error-code-float", "a call is answered with an error whose code is `1.5`", ({ answer }) =>
    json(withError(answer, 1.5, "no")),
  ),
  call("error-http-500", "a call is answered with an error and HTTP 500", ({ answer }) =>
    json(withError(answer, -32603, "no"), { status: 500 }),
  ),
  call("error-id-null", "a call is answered with an error whose id is `null`, and HTTP 400", ({ answer }) =>
    json({ ...withError(answer, -32600, "no"), id: null }, { status: 400 }),
  ),
  call("result-none", "a call is answered with neither a result nor an error", ({ answer }) =>
    json({ jsonrpc: "2.0", id: answer.id }),
  ),
  call("result-is-null", "a call is answered with the result `null`", ({ answer }) =>
    json({ jsonrpc: "2.0", id: answer.id, result: null }),
  ),
  call("result-is-array", "a call is answered with an array as the result", ({ answer }) =>
    json({ jsonrpc: "2.0", id: answer.id, result: [] }),
  ),
  call("content-missing", "the result of a call has no `content`", ({ answer }) =>
    json({ ...answer, result: { structuredContent: { a: 1 } } }),
  ),
  call("content-null", "the `content` of a call is `null`", ({ answer }) =>
    json({ ...answer, result: { content: null } }),
  ),
  call("content-text", "the `content` of a call is a text", ({ answer }) =>
    json({ ...answer, result: { content: "well" } }),
  ),
  call("content-unknown", "the `content` of a call has a type that does not exist", ({ answer }) =>
    json({ ...answer, result: { content: [...answer.result.content, { type: "chart", data: [] }] } }),
  ),
  call("content-untyped", "an element of `content` has no type", ({ answer }) =>
    json({ ...answer, result: { content: [...answer.result.content, { text: "x" }] } }),
  ),
  call("error-flag-text", "`isError` of a call is a text", ({ answer }) =>
    json({ ...answer, result: { ...answer.result, isError: "false" } }),
  ),
  call("surrogate-result", "the text of a call ends within an emoji (`\\ud83d`)", ({ answer }) =>
    json(JSON.stringify(answer).replace('"well"', '"well"},{"type":"text","text":"cut \\ud83d"')),
  ),
  call("result-depth-100", "the result of a call nests 100 levels", ({ answer }) => {
    let value = {};
    for (let level = 0; level < 97; level += 1) value = { a: value };
    return json({ ...answer, result: { ...answer.result, structuredContent: value } });
  }),
  call("result-depth-200", "the result of a call nests 200 levels", ({ answer }) => {
    let value = {};
    for (let level = 0; level < 197; level += 1) value = { a: value };
    return json({ ...answer, result: { ...answer.result, structuredContent: value } });
  }),
  call("result-large", "the result of a call has 2 MB", ({ answer }) =>
    json({ ...answer, result: { content: [...answer.result.content, { type: "text", text: "x".repeat(2_000_000) }] } }),
  ),
  call("call-status-201", "a call is answered with HTTP 201", ({ answer }) => json(answer, { status: 201 })),
  call("call-status-400", "a call is answered with a result and HTTP 400", ({ answer }) =>
    json(answer, { status: 400 }),
  ),
  call("call-empty", "a call is answered with HTTP 200 and no body", () => status(200)),
  call("call-accepted", "a call is answered with HTTP 202 and no body", () => status(202)),
  call("call-accepted-body", "a call is answered with HTTP 202 and the result", ({ answer }) =>
    json(answer, { status: 202 }),
  ),
];
