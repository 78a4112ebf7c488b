// Raw clients of both revisions, over HTTP and stdio. They record each response as it is written, with its HTTP status and type.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import "../support/home.mjs";
import { readLexemes } from "./lexemes.mjs";
import { steady } from "./steady.mjs";

export const SESSION = "2025-11-25";
export const STATELESS = "2026-07-28";
/** How long a client waits for a response, in milliseconds. */
const RESPONSE_MS = 30_000;
const clientInfo = { name: "raw", version: "1" };
const initialize = { protocolVersion: SESSION, capabilities: {}, clientInfo };

/** Returns the parameters of a request with what the stateless revision needs in each. */
const enveloped = (params) => ({
  ...params,
  _meta: {
    ...params._meta,
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  },
});
const parametersOf = (revision, params = {}) => (revision === STATELESS ? enveloped(params) : params);

/** Returns the answer to a request of the server, which these clients do not have. */
const refusal = (id) => ({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });

/** Returns what is recorded of a message: all but its id, with what differs between any two runs replaced. */
function recorded(text) {
  const { id, jsonrpc, ...message } = readLexemes(steady(text));
  return message;
}

/** Starts a server over stdio. Returns a client of the revision, `{ about, request, notes, stop }`. */
export async function overStdio([command, ...args], revision, { env = {} } = {}) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, ...env } });
  const ended = once(child, "exit");
  const pending = new Map();
  const notes = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === undefined) return void pending.get(id)?.(recorded(line));
    notes.push({ method, params });
    if (id !== undefined) send(refusal(id));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const ask = (method, params) =>
    new Promise((done, fail) => {
      const id = ++last;
      const timer = setTimeout(() => fail(new Error(`${method}: no response`)), RESPONSE_MS);
      pending.set(id, (response) => (clearTimeout(timer), pending.delete(id), done(response)));
      send({ id, method, params });
    });
  const request = (method, params) => ask(method, parametersOf(revision, params));
  const about = await (revision === STATELESS ? request("server/discover") : ask("initialize", initialize));
  if (revision === SESSION) send({ method: "notifications/initialized" });
  return {
    about,
    request,
    notes,
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Yields the messages of a response as they are written. */
async function* texts(response) {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    return text === "" ? undefined : yield text;
  }
  let pending = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (pending + chunk.replaceAll("\r\n", "\n")).split("\n\n");
    pending = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").filter((line) => line.startsWith("data:"));
      const text = data.map((line) => line.slice("data:".length).trim()).join("\n");
      if (text !== "") yield text;
    }
  }
}

/** Connects to a server over HTTP. Returns a client of the revision, as `overStdio`, and `post(body, headers)` for any message. */
export async function overHttp(url, revision) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  let last = 0;
  const notes = [];
  const send = (body, more = {}) =>
    fetch(url, { method: "POST", headers: { ...headers, ...more }, body, signal: AbortSignal.timeout(RESPONSE_MS) });
  const read = async (response) => {
    const status = { http: response.status };
    for await (const text of texts(response)) {
      let message;
      try {
        message = JSON.parse(text);
      } catch {
        return { ...status, text: steady(text) };
      }
      if (message.method === undefined) return { ...status, ...recorded(text) };
      notes.push({ method: message.method, params: message.params });
      if (message.id !== undefined) await (await send(JSON.stringify(refusal(message.id)))).body?.cancel();
    }
    return status;
  };
  const post = async (body, more) => read(await send(typeof body === "string" ? body : JSON.stringify(body), more));
  const request = (method, params = {}) => {
    const about = params.name ?? params.uri;
    const routed = about === undefined || method === "completion/complete" ? {} : { "mcp-name": about };
    const more = revision === STATELESS ? { "mcp-method": method, ...routed } : {};
    return post({ jsonrpc: "2.0", id: ++last, method, params: parametersOf(revision, params) }, more);
  };
  if (revision === STATELESS) {
    headers["mcp-protocol-version"] = STATELESS;
    return { about: await request("server/discover"), request, post, notes, stop: async () => {} };
  }
  const opened = await send(JSON.stringify({ jsonrpc: "2.0", id: ++last, method: "initialize", params: initialize }));
  const about = await read(opened);
  const id = opened.headers.get("mcp-session-id");
  if (id) headers["mcp-session-id"] = id;
  headers["mcp-protocol-version"] = SESSION;
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const over = new AbortController();
  const stream = await fetch(url, { headers: { ...headers, accept: "text/event-stream" }, signal: over.signal });
  const heard = stream.ok ? read(stream).catch(() => {}) : undefined;
  const stop = async () => {
    over.abort();
    await heard;
    await fetch(url, { method: "DELETE", headers }).then(({ body }) => body?.cancel());
  };
  return { about, request, post, notes, stop };
}
