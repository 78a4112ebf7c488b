// The messages of a well-behaved MCP server, from which a form of misbehaviour deviates in one thing.

export const STATELESS = "2026-07-28";
export const SESSION = "2025-11-25";
/** The method of each list and the member that has its items. */
export const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};
/** The member that identifies an item of each kind. */
export const ID = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name" };
export const KINDS = Object.keys(ID);

export const METHOD_NOT_FOUND = -32601;
export const WELL = "well";

/** Returns the name or address of an item: unique among all forms, so that one gateway can serve them all. */
export const idOf = (form, kind, word) =>
  kind === "resources"
    ? `test://${form}/${word}`
    : kind === "resourceTemplates"
      ? `test://${form}/${word}/{id}`
      : `${form}__${word}`;

/** Returns a good definition. */
export const item = (form, kind, word, more = {}) => {
  const id = { [ID[kind]]: idOf(form, kind, word) };
  const name = kind === "resources" || kind === "resourceTemplates" ? { name: word } : {};
  return { ...id, ...name, ...(kind === "tools" ? { inputSchema: { type: "object" } } : {}), ...more };
};

/** Returns the items of a form: `one` and `two` of each kind, or what the form makes of them. */
export function itemsOf({ name, items = {} }, kind) {
  const good = ["one", "two"].map((word) => item(name, kind, word));
  return items[kind]?.(good, (word, more) => item(name, kind, word, more)) ?? good;
}

const announced = { tools: {}, resources: {}, prompts: {} };
/** Members of every result of the stateless revision, and of its lists. */
const complete = { resultType: "complete" };
const cached = { ...complete, ttlMs: 0, cacheScope: "private" };

/** Returns the result of a request, or `undefined` for a method that the server does not have. */
function resultOf(form, { method, params }) {
  const stateless = form.stateless === true;
  const about = {
    capabilities: "capabilities" in form ? form.capabilities : announced,
    serverInfo: { name: form.name, version: "1" },
  };
  if (method === "initialize" && !stateless) return { protocolVersion: SESSION, ...about };
  if (method === "server/discover" && stateless) return { ...cached, supportedVersions: [STATELESS], ...about };
  if (method === "ping") return {};
  if (method in LISTS) {
    const kind = LISTS[method];
    const pages = form.pages?.[kind];
    const list = pages ? pages(params?.cursor, (word, more) => item(form.name, kind, word, more)) : undefined;
    return { ...(stateless ? cached : {}), ...(list ?? { [kind]: itemsOf(form, kind) }) };
  }
  if (method === "tools/call") return { ...(stateless ? complete : {}), content: [{ type: "text", text: WELL }] };
  return undefined;
}

/** Returns the answer of a well-behaved server to a request. */
export function answerOf(form, message) {
  const { id, method } = message;
  const result = resultOf(form, message);
  const error = { code: METHOD_NOT_FOUND, message: `unknown method ${method}` };
  return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
}

/** Returns an answer with another result, or another error. */
export const withResult = (answer, result) => ({ jsonrpc: "2.0", id: answer.id, result });
export const withError = (answer, code, message, data) => ({
  jsonrpc: "2.0",
  id: answer.id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
