// @ts-check
// An MCP server over Streamable HTTP, in either revision of the protocol.
import { events } from "./event-stream.js";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const PREFIX = "io.modelcontextprotocol/";
const LIMIT_SECONDS = 20;

export class Refusal extends Error {
  constructor(message, status, code) {
    super(message);
    this.status = status;
    this.code = code;
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
  const limit = AbortSignal.timeout(LIMIT_SECONDS * 1000);
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
    const { error, result } = await answer(response, body.id, where);
    if (error)
      throw new Refusal(`${where} refuses ${method}: ${error.message} (${error.code})`, response.status, error.code);
    if (Object(result) !== result) throw new Refusal(`${where} answers ${method} without a result`, response.status);
    return result;
  } catch (problem) {
    if (problem instanceof Refusal || signal.aborted) throw problem;
    if (limit.aborted) throw new Refusal(`${where} has not answered ${method} within ${LIMIT_SECONDS} seconds`, 504);
    throw new Refusal(
      `No answer from ${where} that this page may read. Either nothing listens there, or the server does ` +
        `not let pages of other origins in (CORS): it has to allow the origin ${location.origin} and the headers ` +
        "Mcp-Protocol-Version, Mcp-Method and Mcp-Session-Id, and to expose Mcp-Session-Id. A gateway before it does: " +
        `npx mcp-sieve dev --upstream ${server.url}, with "origins": ["${location.origin}"] in its sieve.jsonc.`,
    );
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

// A modern request first. What does not know it answers with a plain 4xx (or fails the
// browser's preflight over the new headers); only then is a session opened.
export async function connect(url, signal) {
  const server = { url, modern: true, version: MODERN, asked: 0 };
  try {
    const found = await ask(server, "server/discover", {}, signal);
    return Object.assign(server, {
      capabilities: found.capabilities ?? {},
      info: found._meta?.[`${PREFIX}serverInfo`] ?? {},
    });
  } catch (problem) {
    const recognised =
      [-32020, -32021, -32022].includes(problem.code) || (problem.code === -32601 && problem.status === 404);
    const older =
      problem instanceof Refusal &&
      !recognised &&
      ![401, 403, 429].includes(problem.status) &&
      !(problem.status >= 500);
    if (!older) throw problem;
  }
  Object.assign(server, { modern: false, version: undefined });
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "mcp-sieve-page", version: "1" } };
  const found = await ask(server, "initialize", params, signal);
  Object.assign(server, {
    version: found.protocolVersion,
    capabilities: found.capabilities ?? {},
    info: found.serverInfo ?? {},
  });
  await ask(server, "notifications/initialized", {}, signal);
  return server;
}

export function goodbye(server) {
  if (!server?.session) return;
  fetch(server.url, { method: "DELETE", headers: headers(server) }).catch(() => {});
}

/** Returns a server as the client that `wrapClient` expects. */
export const clientOf = (server, signal) => ({
  getServerCapabilities: () => server.capabilities,
  request: ({ method, params }) => ask(server, method, params, signal),
  listTools: (params) => ask(server, "tools/list", params, signal),
});
