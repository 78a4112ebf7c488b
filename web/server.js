// An MCP server over Streamable HTTP, in either era of the protocol.
import { KINDS } from "./kinds.js";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const PREFIX = "io.modelcontextprotocol/";
const LIMITS = { pages: 1000, seconds: 20 };
/** Names in one rule; an expression has its bounds. */
const MOST_TERMS = 25;

export class Refusal extends Error {
  constructor(message, status, code) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export function message(server, method, params = {}) {
  if (server?.modern ?? true) {
    const _meta = { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: {} };
    return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  }
  return { jsonrpc: "2.0", id: 1, method, ...(Object.keys(params).length && { params }) };
}

export function headers(server, method) {
  const found = {};
  if (server?.version ?? !server) found["MCP-Protocol-Version"] = server?.version ?? MODERN;
  if (server?.modern ?? true) found["Mcp-Method"] = method;
  if (server?.session) found["Mcp-Session-Id"] = server.session;
  return found;
}

async function ask(server, method, params, signal) {
  const notification = method.startsWith("notifications/");
  const body = { ...message(server, method, params), id: notification ? undefined : ++server.asked };
  const own = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const limit = AbortSignal.timeout(LIMITS.seconds * 1000);
  const ends = AbortSignal.any([signal, limit]);
  const where = new URL(server.url).host;
  const request = { method: "POST", headers: { ...own, ...headers(server, method) }, body: JSON.stringify(body), signal: ends };
  try {
    const response = await fetch(server.url, request);
    server.session ??= server.modern ? undefined : response.headers.get("mcp-session-id") ?? undefined;
    if (notification) return undefined;
    const { error, result } = await answer(response, body.id, where);
    if (error) throw new Refusal(`${where} refuses ${method}: ${error.message} (${error.code})`, response.status, error.code);
    if (Object(result) !== result) throw new Refusal(`${where} answers ${method} without a result`, response.status);
    return result;
  } catch (problem) {
    if (problem instanceof Refusal || signal.aborted) throw problem;
    if (limit.aborted) throw new Refusal(`${where} has not answered ${method} within ${LIMITS.seconds} seconds`, 504);
    throw new Refusal(`No answer from ${where} that this page may read. Either nothing listens there, or the server does ` +
      "not let pages of other origins in (CORS): it has to allow this page’s origin and the headers Mcp-Protocol-Version, " +
      "Mcp-Method and Mcp-Session-Id, and to expose Mcp-Session-Id. A gateway in front of it can do that.");
  }
}

async function answer(response, id, where) {
  const { status } = response;
  if (status === 401 || status === 403) {
    throw new Refusal(`${where} answers ${status}: it wants an authorization that this page does not send`, status);
  }
  const type = response.headers.get("content-type") ?? "no content type";
  if (type.startsWith("text/event-stream")) {
    for await (const data of events(response.body)) {
      const reply = parse(data, where);
      if (reply.id === id && ("result" in reply || "error" in reply)) return reply;
    }
    throw new Refusal(`${where} ended its stream without an answer`, status);
  }
  if (type.startsWith("application/json")) return parse(await response.text(), where);
  throw new Refusal(`${where} answers ${status} with ${type}, which is not MCP`, status);
}

function parse(text, where) {
  try {
    return Object(JSON.parse(text));
  } catch (problem) {
    throw new Refusal(`${where} answers with broken JSON: ${problem.message}`, 502);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "", done = false; !done;) {
      const chunk = await reader.read();
      done = chunk.done;
      rest += done ? "\n\n" : chunk.value;
      if (!done && !/[\r\n]/.test(chunk.value)) continue;
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop();
      for (const block of blocks) {
        const data = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data.trim()) yield data;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export async function pages(server, method, params, signal) {
  const found = [];
  const seen = new Set();
  for (let cursor; found.length < LIMITS.pages;) {
    found.push(await ask(server, method, cursor === undefined ? params : { ...params, cursor }, signal));
    cursor = found.at(-1).nextCursor;
    if (typeof cursor !== "string") return found;
    if (seen.has(cursor)) throw new Refusal(`${method} repeats the cursor “${cursor}”; its list has no end`);
    seen.add(cursor);
  }
  throw new Refusal(`${method} has more than ${LIMITS.pages} pages`);
}

// A modern request first. What does not know it answers with a plain 4xx (or fails the
// browser's preflight over the new headers); only then is a session opened.
async function connect(url, signal) {
  const server = { url, modern: true, version: MODERN, asked: 0 };
  try {
    const found = await ask(server, "server/discover", {}, signal);
    return Object.assign(server, { capabilities: found.capabilities ?? {}, info: found._meta?.[`${PREFIX}serverInfo`] ?? {} });
  } catch (problem) {
    const recognised = [-32020, -32021, -32022].includes(problem.code) || (problem.code === -32601 && problem.status === 404);
    const older = problem instanceof Refusal && !recognised && ![401, 403, 429].includes(problem.status) && !(problem.status >= 500);
    if (!older) throw problem;
  }
  Object.assign(server, { modern: false, version: undefined });
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "mcp-sieve-page", version: "1" } };
  const found = await ask(server, "initialize", params, signal);
  Object.assign(server, { version: found.protocolVersion, capabilities: found.capabilities ?? {}, info: found.serverInfo ?? {} });
  await ask(server, "notifications/initialized", {}, signal);
  return server;
}

export function goodbye(server) {
  if (!server?.session) return;
  fetch(server.url, { method: "DELETE", headers: headers(server) }).catch(() => {});
}

/** What a server lists and declares, and what each primitive is mapped to as far as it can be asked. */
export async function readServer(url, signal) {
  const server = await connect(url, signal);
  const { tools, prompts, resources, filtering, extensions = {}, concerns = [] } = server.capabilities;
  const list = async (offered, method) => {
    try {
      return offered ? await pages(server, method, {}, signal) : [];
    } catch (problem) {
      if (problem.code === -32601) return []; // offered, but not that part of it
      throw problem;
    }
  };
  const facets = filtering ?? extensions["dev.mcpsieve/filtering"];
  const kinds = { tools, resources, resourceTemplates: resources, prompts };
  const offered = Object.keys(KINDS).filter((kind) => kinds[kind]);
  const [groups, tags, ...lists] = await Promise.all([
    list(facets, "groups/list"), list(facets, "tags/list"), ...offered.map((kind) => list(true, KINDS[kind].method)),
  ]);
  const declared = {
    groups: groups.flatMap((page) => page.groups ?? []),
    tags: tags.flatMap((page) => page.tags ?? []),
    concerns: extensions["dev.mcpsieve/concerns"]?.concerns ?? concerns,
  };
  return { server, lists: lists.flat(), declared, rules: await mappings(server, declared.concerns, offered, lists, signal) };
}

/**
 * Which primitive has which value of a concern is the server's to know. It shows when each value is asked for once:
 * what comes with every value is mapped to none.
 */
async function mappings(server, concerns, kinds, lists, signal) {
  const rules = [];
  for (const { name, values } of concerns.filter(({ values }) => Array.isArray(values))) {
    await Promise.all(kinds.map(async (kind, at) => {
      const { method, id, term } = KINDS[kind];
      const ids = (found) => found.flatMap((page) => page[kind] ?? []).map((item) => item[id]);
      const shown = await Promise.all(values.map(async (value) => new Set(ids(await pages(server, method, { filter: { concerns: { [name]: value } } }, signal)))));
      const alike = new Map();
      for (const item of ids(lists[at])) {
        const found = values.filter((_, place) => shown[place].has(item));
        if (found.length > 0 && found.length < values.length) alike.set(found.join(), [...(alike.get(found.join()) ?? []), item]);
      }
      for (const items of alike.values()) {
        const found = values.filter((_, place) => shown[place].has(items[0]));
        const field = id === "name" ? "name" : "uri";
        for (let from = 0; from < items.length; from += MOST_TERMS) {
          const any = items.slice(from, from + MOST_TERMS).map((item) => ({ [field]: { "=": item } }));
          rules.push({ match: { all: [{ kind: term }, { any }] }, concerns: { [name]: found } });
        }
      }
    }));
  }
  return rules;
}
