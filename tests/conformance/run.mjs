// Runs the official conformance suite against the Worker built with its fixtures, in both eras, and once
// more with another Sieve in front of it. The suite needs Node 22; `npm` brings one.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startWorkers } from "../support/workerd.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const suite = here("../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const node = here("../node_modules/.bin/node");
const expected = here("expected-failures.yml");
const revisions = ["2025-11-25", "2026-07-28"];
const RUN_MS = 180_000;

/** One run of the suite; resolves with its exit code and what it printed. */
function judge(url, revision, results) {
  const words = [suite, "server", "--url", url, "--requirements", revision, "--expected-failures", expected, "-o", results];
  const child = spawn(node, words, { stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => { printed += chunk; });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => done({ code: code ?? signal, printed }));
  });
}

const build = here("worker/build");
const fixtures = await startWorkers([{ name: "fixtures", build }]);
const results = process.argv[2] ?? mkdtempSync(join(tmpdir(), "sieve-conformance-"));
let front;
let failed = false;
try {
  front = await startWorkers([{ name: "gateway", upstream: `${fixtures.urls.fixtures}/mcp` }]);
  const servers = { direct: fixtures.urls.fixtures, gateway: front.urls.gateway };
  for (const [name, url] of Object.entries(servers)) {
    for (const revision of revisions) {
      const { code, printed } = await judge(`${url}/mcp`, revision, join(results, name, revision));
      failed ||= code !== 0;
      const summary = printed.slice(printed.lastIndexOf("=== SUMMARY")).split("\n").filter((line) => !line.startsWith("✓")).join("\n");
      console.log(`\n##### ${name}, ${revision}: ${code === 0 ? "passed" : `failed with ${code}`}\n${summary}`);
    }
  }
} finally {
  await front?.stop();
  await fixtures.stop();
  if (!process.argv[2]) rmSync(results, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
