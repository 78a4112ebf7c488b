// The Worker in workerd beside what somebody would write in JavaScript: requests a second over eight
// connections, and the CPU time of the process a request. Prints a table and puts it into RESULTS.md.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpu } from "../tests/support/process.mjs";
import { startWorkers } from "../tests/support/workerd.mjs";
import { catalog, filters } from "./generate.mjs";
import { median } from "./measure.mjs";
import { naive } from "./peers.mjs";
import { section } from "./results.mjs";

const VERSION = "2026-07-28";
const TOOLS = 1_000;
const CONNECTIONS = 8;
const WARM_MS = 1_500;
const ROUND_MS = 1_500;
const ROUNDS = 3;

const list = catalog(TOOLS);
const meta = { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} };
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": VERSION,
};

/** A request for `tools/list` under a filter. */
const ask = (filter) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { filter, _meta: meta } });

/** An MCP server that lists the catalog, for the Worker to stand in front of. */
async function upstream() {
  const answers = {
    "server/discover": {
      resultType: "complete",
      ttlMs: 600_000,
      cacheScope: "public",
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
    },
    "tools/list": { resultType: "complete", ttlMs: 600_000, cacheScope: "public", ...list },
  };
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

/** A folder that holds a Worker of plain JavaScript, where `startWorkers` looks for a build. */
function plain(folder, name, source) {
  const build = mkdtempSync(join(folder, `${name}-`));
  const classes = ["Session", "Changes", "Tasks", "Audit", "Library", "Limits", "Catalog"];
  const objects = classes.map((name) => `${name}Object`).filter((object) => !source.includes(object));
  writeFileSync(
    join(build, "index.js"),
    `${objects.map((object) => `export class ${object} {}`).join("\n")}\n${source}`,
  );
  writeFileSync(join(build, "index_bg.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  return build;
}

const filtering = `
const list = ${JSON.stringify(list)};
const ours = (${naive.toString()})(list);
export default { async fetch(request) {
  const { id, params } = await request.json();
  return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: ours.select(params.filter) } });
} };`;

const empty = `export default { fetch: () => new Response("{}", { headers: { "content-type": "application/json" } }) };`;

/** Sends a request and resolves with the body. */
function send(agent, { url, body }) {
  return new Promise((done, fail) => {
    const request = http.request(
      url,
      {
        method: "POST",
        agent,
        headers: { ...headers, "mcp-method": "tools/list", "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk)).on("error", fail);
        response.on("end", () =>
          response.statusCode === 200
            ? done(Buffer.concat(chunks))
            : fail(new Error(`${url}: ${response.statusCode} ${Buffer.concat(chunks)}`)),
        );
      },
    );
    request.on("error", fail).end(body);
  });
}

/** Keeps all connections busy for a while: requests a second, and CPU microseconds a request. */
async function load(contender, milliseconds) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const [started, before] = [performance.now(), cpu(contender.pid)];
  let answered = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - started < milliseconds) {
        await send(agent, contender);
        answered += 1;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const spent = cpu(contender.pid) - before;
  agent.destroy();
  return { rate: answered / seconds, cpu: (spent * 1_000) / answered };
}

const folder = mkdtempSync(join(tmpdir(), "sieve-edge-"));
const server = await upstream();
const running = [];
try {
  const start = async (name, service) => {
    const workers = await startWorkers([{ name: "worker", port: 0, ...service }]);
    running.push(workers);
    return { name, pid: workers.pid, url: `${workers.urls.worker}/mcp` };
  };
  const idle = await start("an empty Worker in JavaScript", { build: plain(folder, "empty", empty) });
  const script = await start(`\`Array.filter\` in JavaScript, ${TOOLS} tools`, {
    build: plain(folder, "naive", filtering),
  });
  const builtIn = await start("ours, 24 tools built in", {});
  const gateway = await start(`ours, ${TOOLS} tools behind it`, {
    upstream: `http://127.0.0.1:${server.address().port}/mcp`,
  });
  const issues = { groups: ["issues"], tags: ["stable"] };
  const contenders = [
    { ...idle, what: "–", body: ask({}) },
    { ...builtIn, what: "narrow", body: ask(issues) },
    { ...script, what: "narrow", body: ask(filters.narrow) },
    { ...gateway, what: "narrow", body: ask(filters.narrow) },
    { ...script, what: "medium", body: ask(filters.medium) },
    { ...gateway, what: "medium", body: ask(filters.medium) },
  ];

  const agent = new http.Agent({ keepAlive: true });
  for (const contender of contenders) {
    const answer = await send(agent, contender);
    Object.assign(contender, { bytes: answer.length, tools: JSON.parse(answer).result?.tools.length, samples: [] });
  }
  agent.destroy();
  for (const [one, other] of [
    [2, 3],
    [4, 5],
  ]) {
    if (contenders[one].tools !== contenders[other].tools)
      throw new Error(`${contenders[one].tools} tools are not ${contenders[other].tools}`);
  }

  for (const contender of contenders) await load(contender, WARM_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contender of contenders) contender.samples.push(await load(contender, ROUND_MS));
  }

  const count = (number) => Math.round(number).toLocaleString("en");
  const rows = contenders.map(({ name, what, tools, bytes, samples }) => [
    name,
    what,
    tools ?? "–",
    count(bytes),
    count(median(samples.map((sample) => sample.rate))),
    count(median(samples.map((sample) => sample.cpu))),
  ]);
  section(
    "At the edge",
    `\`tools/list\` in workerd on this machine, ${CONNECTIONS} connections, the load from the same machine. CPU time is the
whole process's, with the runtime's own for HTTP.

| Worker | filter | tools | bytes | requests a second | CPU µs a request |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`,
  );
} finally {
  for (const workers of running) await workers.stop();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
