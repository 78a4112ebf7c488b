// The contenders as Workers in workerd, each in a process of its own.
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startWorkers } from "../../tests/support/workerd.mjs";
import { bitset, naive, slices } from "../peers.mjs";

const EMPTY_RUST = fileURLToPath(new URL("../../build/empty-worker", import.meta.url));
const CLASSES = ["Session", "Changes", "Tasks", "Audit", "Library", "Limits", "Catalog"].map((name) => `${name}Object`);
const OBJECTS = CLASSES.map((name) => `export class ${name} {}\n`).join("");

/** Writes a build of plain JavaScript in the form that `startWorkers` expects, and returns its folder. */
export function script(folder, name, source) {
  const build = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(build, "index.js"), `${OBJECTS}${source}`);
  writeFileSync(join(build, "index_bg.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  return build;
}

/** Returns the build of the empty Rust Worker, with the classes that its configuration names. */
export function emptyRust(folder) {
  if (!existsSync(EMPTY_RUST))
    throw new Error("expected a build: scripts/build-worker bench-empty-worker build/empty-worker");
  const build = join(folder, "empty-rust");
  cpSync(EMPTY_RUST, build, { recursive: true });
  appendFileSync(join(build, "index.js"), `\n${OBJECTS}`);
  return build;
}

/** The folder of an older build of the Worker, which the environment names, as a further contender. */
export const BEFORE = process.env.BEFORE || undefined;

/** Returns the older build in the form of a bundle, so that it runs under the same flags as the shipped Worker. */
export function older(folder) {
  const bundle = mkdtempSync(join(folder, "before-"));
  copyFileSync(join(BEFORE, "index.js"), join(bundle, "worker.js"));
  copyFileSync(join(BEFORE, "index_bg.wasm"), join(bundle, "index_bg.wasm"));
  return bundle;
}

export const EMPTY = `export default { fetch: () => new Response("{}", { headers: { "content-type": "application/json" } }) };`;

export const plain = (list) => `
const ours = (${naive.toString()})(${JSON.stringify(list)});
export default { async fetch(request) {
  const { id, params } = await request.json();
  return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: ours.select(params.filter) } });
} };`;

export const expert = (list) => `
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
export const PROXY = `export default { fetch: (request, env) => fetch(env.UPSTREAM_URL, request) };`;

/** Starts a Worker in its own process. */
export async function start({ path = "/mcp", persist, ...service }) {
  const workers = await startWorkers([{ name: "worker", port: 0, ...service }], { persist });
  return { pid: workers.pid, url: `${workers.urls.worker}${path}`, stop: workers.stop };
}

/** Starts the Workers of `services`, a map by name, runs `work` on them, and ends them. */
export async function running(services, work) {
  const started = new Map();
  try {
    for (const [name, service] of services) started.set(name, await start(service));
    return await work(started);
  } finally {
    for (const one of started.values()) await one.stop();
  }
}
