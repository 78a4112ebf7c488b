// @ts-check
// An MCP server over Streamable HTTP, in either revision of the protocol.
import { events } from "./event-stream.js";
import { KINDS } from "./kinds.js";
import { tokenFor } from "./tokens.js";

const MODERN = "2026-07-28";
/** The revisions with sessions, the newest first. */
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const PREFIX = "io.modelcontextprotocol/";
const LIMIT_SECONDS = 20;
/** A server of an older revision may never answer the first request, which it does not know. */
const PROBE_SECONDS = 5;
/** Errors that only a server of the stateless revision returns. */
const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;

export class Refusal extends Error {
  constructor(message, status, { code, data } = /** @type {any} */ ({})) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
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

async function ask(server, method, params, signal, seconds = LIMIT_SECONDS) {
  const notification = method.startsWith("notifications/");
  const body = { ...message(server, method, params), id: notification ? undefined : ++server.asked };
  const token = tokenFor(server.url);
  const own = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const limit = AbortSignal.timeout(seconds * 1000);
  const ends = AbortSignal.any([signal, limit]);
  const where = new URL(server.url).host;
  const request = {
    method: "POST",
    headers: { ...own, ...headers(server, method) },
    body: JSON.stringify(body),
    signal: ends,
  };
  try {
    const response = await fetch(server.url, request);
    server.session ??= server.modern ? undefined : (response.headers.get("mcp-session-id") ?? undefined);
    if (notification) return undefined;
    const { error, result } = await answer(response, body.id, where, token !== undefined);
    if (error)
      throw new Refusal(`${where} refuses ${method}: ${error.message} (${error.code})`, response.status, error);
    if (Object(result) !== result) throw new Refusal(`${where} answers ${method} without a result`, response.status);
    return result;
  } catch (problem) {
    if (problem instanceof Refusal || signal.aborted) throw problem;
    if (limit.aborted) throw new Refusal(`${where} has not answered ${method} within ${seconds} seconds`, 504);
    throw new Refusal(
      `No answer from ${where} that this page may read. Either nothing listens there, or the server does ` +
        `not let pages of other origins in (CORS): it has to allow the origin ${location.origin} and the headers ` +
        `${token === undefined ? "" : "Authorization, "}Mcp-Protocol-Version, Mcp-Method and Mcp-Session-Id, and to expose ` +
        "Mcp-Session-Id. A gateway in front of it does: " +
        `npx mcp-sieve dev --upstream ${server.url}, with "origins": ["${location.origin}"] in its sieve.jsonc.`,
    );
  }
}

async function answer(response, id, where, hasToken) {
  const { status } = response;
  if (status === 401 || status === 403) {
    const reason = hasToken ? "it does not accept this bearer token" : "it needs a bearer token";
    throw new Refusal(`${where} answers ${status}: ${reason}`, status);
  }
  const type = response.headers.get("content-type") ?? "no content type";
  if (/^text\/event-stream/i.test(type)) {
    for await (const data of events(response.body)) {
      const reply = replyIn(data, id);
      if (reply !== undefined) return reply;
    }
    throw new Refusal(`${where} ended its stream without an answer`, status);
  }
  if (/^application\/json/i.test(type)) {
    const text = await response.text();
    return replyIn(text, id) ?? broken(text, where);
  }
  throw new Refusal(`${where} answers ${status} with ${type}, which is not MCP`, status);
}

/**
 * Returns the response to a request in a text; nothing if it has none, such as one that is no JSON-RPC message. Some servers
 * write ids as strings, and refuse with an id of `null`.
 */
function replyIn(text, id) {
  try {
    const messages = [JSON.parse(text)].flat().map(Object);
    return messages.find((reply) => ("result" in reply || "error" in reply) && [0, id].includes(Number(reply.id ?? 0)));
  } catch {
    return undefined;
  }
}

function broken(text, where) {
  try {
    JSON.parse(text);
  } catch (problem) {
    throw new Refusal(`${where} answers with broken JSON: ${problem.message}`, 502);
  }
  throw new Refusal(`${where} answers without a JSON-RPC response`, 502);
}

// A modern request first. What does not know it answers with an error, or never, or fails the browser's preflight over the new
// headers; only then is a session opened.
export async function connect(url, signal) {
  const server = { url, modern: true, version: MODERN, asked: 0, failures: new Map(), problems: new Set() };
  let offered;
  try {
    const found = await ask(server, "server/discover", {}, signal, PROBE_SECONDS);
    offered = found.supportedVersions;
    // A server that answers any method may answer this one without supporting it.
    if (Array.isArray(offered) && offered.includes(MODERN))
      return Object.assign(server, {
        capabilities: found.capabilities ?? {},
        info: found._meta?.[`${PREFIX}serverInfo`] ?? {},
      });
  } catch (problem) {
    const isModern = [HEADER_MISMATCH, MISSING_CAPABILITY].includes(problem.code);
    if (!(problem instanceof Refusal) || isModern || [401, 403].includes(problem.status)) throw problem;
    offered = problem.data?.supported;
  }
  Object.assign(server, { modern: false, version: undefined });
  const found = await initialize(server, newest(offered) ?? LEGACY[0], signal);
  Object.assign(server, {
    version: found.protocolVersion,
    capabilities: found.capabilities ?? {},
    info: found.serverInfo ?? {},
  });
  await ask(server, "notifications/initialized", {}, signal);
  return server;
}

/** Returns the newest of the versions that a server offers; nothing if it offers none that is known. */
const newest = (offered) => LEGACY.find((version) => [offered].flat().includes(version));

/** Opens a session. A server that refuses the version is asked once more, with one that it offers. */
async function initialize(server, protocolVersion, signal) {
  const open = (protocolVersion) =>
    ask(
      server,
      "initialize",
      { protocolVersion, capabilities: {}, clientInfo: { name: "mcp-sieve-page", version: "1" } },
      signal,
    );
  try {
    return await open(protocolVersion);
  } catch (problem) {
    const other = newest(problem.data?.supported);
    if (other === undefined || other === protocolVersion) throw problem;
    return open(other);
  }
}

export function goodbye(server) {
  if (!server?.session) return;
  const token = tokenFor(server.url);
  const authorization = token !== undefined && { Authorization: `Bearer ${token}` };
  fetch(server.url, { method: "DELETE", headers: { ...headers(server), ...authorization } }).catch(() => {});
}

const METHOD_NOT_FOUND = -32601;

/**
 * Returns a server as the client that `wrapClient` expects. A list that cannot be read ends with what came of it, and the server's
 * `failures` have the reason by the method.
 */
export function clientOf(server, signal) {
  const pages = new Map();
  const list = async (method, params) => {
    const kind = Object.keys(KINDS).find((kind) => KINDS[kind].method === method);
    try {
      const page = await ask(server, method, params, signal);
      if (kind === undefined || Array.isArray(page[kind])) return page;
      // Some servers write an empty list as `null`.
      if (page[kind] !== null) throw new Refusal(`${method}: the result has no array \`${kind}\``, 502);
      return { ...page, [kind]: [] };
    } catch (problem) {
      if (kind === undefined || !(problem instanceof Refusal)) throw problem;
      // Servers announce lists that they do not have.
      if (problem.code !== METHOD_NOT_FOUND) server.failures.set(method, problem);
      return { [kind]: [] };
    }
  };
  // A wrapper asks for a list of tools twice: as it is, and through the client, which here knows no more of it.
  const once = (params) => {
    const key = JSON.stringify(params ?? {});
    if (!pages.has(key)) pages.set(key, list("tools/list", params));
    return pages.get(key);
  };
  return {
    getServerCapabilities: () => server.capabilities,
    request: ({ method, params }) => (method === "tools/list" ? once(params) : list(method, params)),
    listTools: (params) => once(params),
    /** What could not be used of what the server declares. */
    onerror: ({ message }) => server.problems.add(message),
  };
}
