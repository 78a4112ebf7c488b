// The load on a Worker, and the CPU time that it takes.
import http from "node:http";
import { cpu } from "../../tests/support/process.mjs";
import { median } from "../measure.mjs";
import { VERSION } from "./server.mjs";

export const CONNECTIONS = 8;
/** Duration of the warm-up. Meanwhile, the runtime recompiles hot functions on threads of the same process. */
const WARM_MS = 2_000;
const ROUND_MS = 500;
const ROUNDS = 5;

const meta = { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} };
/** Returns the two parts of a message around its id. Every request gets its own id. */
const message = (method, { _meta, ...params }) => [
  '{"jsonrpc":"2.0","id":',
  `,"method":${JSON.stringify(method)},"params":${JSON.stringify({ ...params, _meta: { ...meta, ..._meta } })}}`,
];

/** Returns a request that lists the tools under a filter. */
export const listing = (filter) => ({ method: "tools/list", body: message("tools/list", { filter }) });

/** Returns a request that calls a tool. */
export const calling = (name, args, _meta) => ({
  method: "tools/call",
  name,
  body: message("tools/call", { name, arguments: args, _meta }),
});

let sent = 0;

/** Sends a request and resolves with its response, once that begins. If `unseen`, the request has a unique header. */
export function open(agent, url, { method, name, body }, unseen) {
  sent += 1;
  const text = body.join(sent);
  return new Promise((done, fail) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(name && { "mcp-name": name }),
      ...(unseen && { "x-sent": sent }),
      "content-length": Buffer.byteLength(text),
    };
    http.request(url, { method: "POST", agent, headers }, done).on("error", fail).end(text);
  });
}

/** Sends a request and resolves with the body. */
export async function send(agent, url, request, unseen) {
  const response = await open(agent, url, request, unseen);
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks);
  if (response.statusCode === 200) return text;
  throw new Error(`${url}: ${response.statusCode} ${text}`);
}

/** Keeps all connections busy for `milliseconds`. Returns the CPU time per request, in microseconds. */
async function load({ pid, url, unseen }, request, milliseconds, connections) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const [started, before] = [performance.now(), cpu(pid)];
  let answered = 0;
  const busy = async () => {
    while (performance.now() - started < milliseconds) {
      await send(agent, url, request, unseen);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, busy));
  const spent = cpu(pid) - before;
  agent.destroy();
  return (spent * 1_000) / answered;
}

/**
 * Returns the CPU time per request of each contender, in microseconds: the median of rounds in which they run in turn.
 */
export async function race(running, request, connections = CONNECTIONS) {
  const samples = new Map();
  for (const [name, one] of running) {
    samples.set(name, []);
    await load(one, request, WARM_MS, connections);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, one] of running) samples.get(name).push(await load(one, request, ROUND_MS, connections));
  }
  return new Map([...samples].map(([name, taken]) => [name, median(taken)]));
}
