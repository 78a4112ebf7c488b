// Compares the Worker in workerd with what others would write: CPU time of the process per request for Sieve, plain
// JavaScript, an expert's code, and Workers that do nothing. Within a row, contenders run in turn. Prints a table and
// writes it to RESULTS.md. Arguments select sizes: `node benches/edge.mjs 1000`.
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpu } from "../tests/support/process.mjs";
import { startWorkers } from "../tests/support/workerd.mjs";
import { catalog, filters } from "./generate.mjs";
import { median } from "./measure.mjs";
import { bitset, naive, slices } from "./peers.mjs";
import { section } from "./results.mjs";

const VERSION = "2026-07-28";
const SIZES = [24, 1_000, 10_000];
const CONNECTIONS = 8;
/** Duration of the warm-up. Meanwhile, the runtime recompiles hot functions on threads of the same process. */
const WARM_MS = 2_000;
const ROUND_MS = 500;
const ROUNDS = 5;
/** Number of process starts, of which the median counts. */
const STARTS = 3;
/** Lengths, in characters, of the argument of a call and of its result. */
const CALLS = [1_000, 100_000];
const EMPTY_RUST = fileURLToPath(new URL("../build/empty-worker", import.meta.url));

const meta = { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} };
/** Returns the two parts of a message around its id. Every request gets its own id. */
const message = (method, params) => [
  '{"jsonrpc":"2.0","id":',
  `,"method":${JSON.stringify(method)},"params":${JSON.stringify({ ...params, _meta: meta })}}`,
];

/** Returns a request that lists the tools under a filter. */
const listing = (filter) => ({ method: "tools/list", body: message("tools/list", { filter }) });

/** Returns a request that calls a tool with an argument of `length` characters. */
function calling(name, length) {
  const params = { name, arguments: { text: "x".repeat(length) } };
  return { method: "tools/call", name, body: message("tools/call", params) };
}

/** Starts an MCP server that lists a catalog, and whose tools return their arguments. */
async function upstream(list) {
  const complete = { resultType: "complete", ttlMs: 600_000, cacheScope: "public" };
  const results = {
    "server/discover": () => ({ ...complete, supportedVersions: [VERSION], capabilities: { tools: {} } }),
    "tools/list": () => ({ ...complete, ...list }),
    "tools/call": (params) => ({
      resultType: "complete",
      content: [{ type: "text", text: params.arguments.text }],
    }),
  };
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const result = results[method]?.(params);
    const answer = result ? { result } : { error: { code: -32601, message: "unknown method" } };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

const CLASSES = ["Session", "Changes", "Tasks", "Audit", "Library", "Limits", "Catalog"].map((name) => `${name}Object`);
const OBJECTS = CLASSES.map((name) => `export class ${name} {}\n`).join("");

/** Writes a build of plain JavaScript in the form that `startWorkers` expects, and returns its folder. */
function script(folder, name, source) {
  const build = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(build, "index.js"), `${OBJECTS}${source}`);
  writeFileSync(join(build, "index_bg.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  return build;
}

/** Returns the build of the empty Rust Worker, with the classes that its configuration names. */
function emptyRust(folder) {
  if (!existsSync(EMPTY_RUST))
    throw new Error("expected a build: scripts/build-worker bench-empty-worker build/empty-worker");
  const build = join(folder, "empty-rust");
  cpSync(EMPTY_RUST, build, { recursive: true });
  appendFileSync(join(build, "index.js"), `\n${OBJECTS}`);
  return build;
}

const EMPTY = `export default { fetch: () => new Response("{}", { headers: { "content-type": "application/json" } }) };`;

const plain = (list) => `
const ours = (${naive.toString()})(${JSON.stringify(list)});
export default { async fetch(request) {
  const { id, params } = await request.json();
  return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: ours.select(params.filter) } });
} };`;

const expert = (list) => `
${bitset.toString()}
${slices.toString()}
const ours = slices(${JSON.stringify(list)});
const utf8 = new TextEncoder();
const tail = utf8.encode("]}}");
const init = { headers: { "content-type": "application/json" } };
export default { async fetch(request) {
  const { id, params } = await request.json();
  const head = utf8.encode(\`{"jsonrpc":"2.0","id":\${JSON.stringify(id)},"result":{"resultType":"complete","tools":[\`);
  return new Response(ours.write(params.filter, head, tail), init);
} };`;

/** A Worker that forwards every request unchanged. */
const PROXY = `export default { fetch: (request, env) => fetch(env.UPSTREAM_URL, request) };`;

let sent = 0;

/** Sends a request and resolves with the body. If `unseen`, the request has a unique header. */
function send(agent, url, { method, name, body }, unseen) {
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
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk)).on("error", fail);
      response.on("end", () =>
        response.statusCode === 200
          ? done(Buffer.concat(chunks))
          : fail(new Error(`${url}: ${response.statusCode} ${Buffer.concat(chunks)}`)),
      );
    });
    request.on("error", fail).end(text);
  });
}

/** Keeps all connections busy for `milliseconds`. Returns the CPU time per request, in microseconds. */
async function load({ pid, url, unseen }, request, milliseconds) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const [started, before] = [performance.now(), cpu(pid)];
  let answered = 0;
  const busy = async () => {
    while (performance.now() - started < milliseconds) {
      await send(agent, url, request, unseen);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, busy));
  const spent = cpu(pid) - before;
  agent.destroy();
  return (spent * 1_000) / answered;
}

/** Starts a Worker in its own process. */
async function start({ path = "/mcp", persist, ...service }) {
  const workers = await startWorkers([{ name: "worker", port: 0, ...service }], { persist });
  return { pid: workers.pid, url: `${workers.urls.worker}${path}`, stop: workers.stop };
}

/**
 * Returns the CPU time per request of each contender, in microseconds: the median of rounds in which they run in turn.
 */
async function race(running, request) {
  const samples = new Map();
  for (const [name, one] of running) {
    samples.set(name, []);
    await load(one, request, WARM_MS);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, one] of running) samples.get(name).push(await load(one, request, ROUND_MS));
  }
  return new Map([...samples].map(([name, taken]) => [name, median(taken)]));
}

/** Starts the Worker once, so that its catalog is stored. Returns the service whose next processes find it. */
async function withStoredCatalog(service, request, folder) {
  const stored = { key: "0".repeat(64), ...service, persist: mkdtempSync(join(folder, "stored-")) };
  const one = await start(stored);
  await send(new http.Agent(), one.url, request);
  await one.stop();
  return stored;
}

/**
 * Returns the CPU milliseconds of each contender from the start of its process to its first response: the median of
 * starts.
 */
async function startCold(services, request) {
  const samples = new Map([...services.keys()].map((name) => [name, []]));
  for (let turn = 0; turn < STARTS; turn += 1) {
    for (const [name, service] of services) {
      const one = await start(service);
      try {
        await send(new http.Agent(), one.url, request);
        samples.get(name).push(cpu(one.pid));
      } finally {
        await one.stop();
      }
    }
  }
  return new Map([...samples].map(([name, taken]) => [name, median(taken)]));
}

const COLUMNS = ["empty JavaScript", "empty Rust", "`Array.filter`", "expert", "ours"];
/** Label of Sieve without response caching: every request differs from those before. */
const UNSEEN = "ours, not kept";
/** Label of Sieve in a process that finds its catalog in the storage. */
const STORED = "ours, stored";
const count = (number) => (number === undefined ? "–" : Math.round(number).toLocaleString("en"));
const rowOf = (name, taken, columns = COLUMNS) => [name, ...columns.map((column) => count(taken.get(column)))];
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Measures one size. Returns the rows of warm lists, of cold starts and of calls. */
async function measure(size, folder) {
  const list = catalog(size);
  const server = await upstream(list);
  const behind = `http://127.0.0.1:${server.address().port}/mcp`;
  const services = new Map([
    ["empty JavaScript", { build: script(folder, "empty", EMPTY) }],
    ["empty Rust", { build: emptyRust(folder), path: "/" }],
    ["`Array.filter`", { build: script(folder, "naive", plain(list)) }],
    ["expert", { build: script(folder, "expert", expert(list)) }],
    ["ours", { upstream: behind, config: { pageSize: size } }],
  ]);
  const proxy = { build: script(folder, "proxy", PROXY), upstream: behind };
  const running = new Map();
  const rows = { warm: [], cold: [], calls: [] };
  try {
    for (const [name, service] of services) running.set(name, await start(service));
    for (const [shape, filter] of Object.entries(filters)) {
      const request = listing(filter);
      const found = new Set();
      for (const name of COLUMNS.slice(2)) {
        const answer = JSON.parse(await send(new http.Agent(), running.get(name).url, request));
        found.add(answer.result.tools.map((tool) => tool.name).join(" "));
      }
      if (found.size !== 1) throw new Error(`${size} tools, ${shape}: the contenders list different tools`);
      const tools = [...found][0].split(" ").filter(Boolean).length;
      const taken = await race(new Map([...running, [UNSEEN, { ...running.get("ours"), unseen: true }]]), request);
      rows.warm.push(rowOf(`${count(size)}, ${shape} (${count(tools)})`, taken, [...COLUMNS, UNSEEN]));
    }
    running.set("JavaScript", await start(proxy));
    const called = new Map(["JavaScript", "ours"].map((name) => [name, running.get(name)]));
    for (const length of CALLS) {
      const taken = await race(called, calling(list.tools[0].name, length));
      rows.calls.push(rowOf(`${count(size)}, ${count(length)} characters`, taken, ["JavaScript", "ours"]));
    }
  } finally {
    for (const one of running.values()) await one.stop();
  }
  try {
    const request = listing(filters.narrow);
    const stored = await withStoredCatalog(services.get("ours"), request, folder);
    const taken = await startCold(new Map([...services, [STORED, stored]]), request);
    rows.cold.push(rowOf(count(size), taken, [...COLUMNS, STORED]));
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return rows;
}

const folder = mkdtempSync(join(tmpdir(), "sieve-edge-"));
try {
  const rows = { warm: [], cold: [], calls: [] };
  const sizes = process.argv.slice(2).map(Number);
  for (const size of sizes.length > 0 ? sizes : SIZES) {
    const measured = await measure(size, folder);
    for (const [name, found] of Object.entries(measured)) rows[name].push(...found);
  }
  const text = `Workers in workerd on this machine, ${CONNECTIONS} connections, the load from the same machine. CPU time is the whole
process's, with the runtime's own for HTTP. The expert keeps a bitset for each facet and every tool as the bytes it is sent as.

CPU µs for one \`tools/list\`, from a catalog in memory. The same list is sent again and again, under another id each time; in the last
column every request has a header that none before had, so that its answer is not kept:

${table(["tools, filter (found)", ...COLUMNS, UNSEEN], rows.warm)}

CPU ms from the start of the process to its first list, narrow. Ours lists the server in it; in the last column another process
has stored the catalog:

${table(["tools", ...COLUMNS, STORED], rows.cold)}

CPU µs for one \`tools/call\` with an argument that the server returns, beside a Worker that passes requests on as they are:

${table(["tools, argument", "JavaScript", "ours"], rows.calls)}
`;
  if (sizes.length > 0) console.log(text);
  else section("At the edge", text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
