// An MCP server over HTTP that misbehaves in one form for each path: `/SUBJECT/FORM/mcp`. A form counts for each subject
// separately, so that what it does to one client has no effect on another.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { answerOf } from "./core.mjs";
import { json, status } from "./replies.mjs";

/** The error of a server of the handshake revisions for a request before `initialize`, as of the official SDK. */
const NOT_INITIALIZED = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32000, message: "Bad Request: Server not initialized" },
};

/** Returns the response of a well-behaved server. */
function rightReply(form, message, answer) {
  if (message.id === undefined) return status(202);
  if (message.method === "server/discover" && !form.stateless) return json(NOT_INITIALIZED, { status: 400 });
  return json(answer);
}

async function send(reply, request, response) {
  if (reply.late) await sleep(reply.late);
  if (reply.never || response.destroyed) return;
  if (reply.reset) return request.socket.resetAndDestroy();
  const { status: code = 200, type, headers = {}, body = "" } = reply;
  response.writeHead(code, { ...(type === undefined ? {} : { "content-type": type }), ...headers });
  response.flushHeaders();
  for (const given of [body].flat()) {
    if (response.destroyed) return;
    const piece = typeof given === "function" ? given() : given;
    if (piece.open) return;
    if (piece.reset) return request.socket.resetAndDestroy();
    if (piece.wait) await sleep(piece.wait);
    else if (piece.length > 0) response.write(piece);
  }
  response.end();
}

/**
 * Serves the forms. Returns `url(subject, form)` and `stop`. Each form is `{ name, about, stateless?, capabilities?, items?,
 * pages?, on? }`. `on` has functions by method, `*` for every other request, `GET` and `DELETE`, which return the response.
 * They receive `{ message, answer, right, path, request, state, count, here, other }`: the request, the right answer to it, the response
 * that has it, the path after the form, an object for each subject, how often it sent this method, and the addresses of the form
 * at this origin and at another.
 */
export async function startMisbehaving(forms) {
  const byName = new Map(forms.map((form) => [form.name, form]));
  const states = new Map();
  const servers = [];
  const handle = async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const [, subject, name, ...rest] = pathname.split("/");
    const form = byName.get(name);
    if (form === undefined) return send(status(404, "no such form"), request, response);
    const body = await text(request);
    const key = `${subject}/${name}`;
    if (!states.has(key)) states.set(key, { counts: {} });
    const state = states.get(key);
    const place = (server) => `http://127.0.0.1:${server.address().port}/${key}`;
    const common = { request, path: rest.join("/"), state, here: place(servers[0]), other: place(servers[1]) };
    const on = form.on ?? {};
    if (request.method !== "POST") {
      const reply = on[request.method]?.(common) ?? status(405, "", undefined, { allow: "POST" });
      return send(reply, request, response);
    }
    const message = JSON.parse(body);
    const { method = "answer" } = message;
    state.counts[method] = (state.counts[method] ?? 0) + 1;
    const answer = message.id === undefined || message.method === undefined ? undefined : answerOf(form, message);
    const right = rightReply(form, answer === undefined ? {} : message, answer);
    const deviation = on[method] ?? (answer === undefined ? undefined : on["*"]);
    const reply = deviation?.({ ...common, message, answer, right, count: state.counts[method] }) ?? right;
    await send(reply, request, response);
  };
  for (let at = 0; at < 2; at += 1) {
    const server = createServer((request, response) => {
      handle(request, response).catch(() => request.socket.destroy());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
  }
  return {
    url: (subject, form) => `http://127.0.0.1:${servers[0].address().port}/${subject}/${form}/mcp`,
    stop: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
