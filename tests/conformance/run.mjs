// Runs the official conformance suite in both eras: against the Worker built with its fixtures, against a server
// on the TypeScript SDK with the same, and against Sieve in front of each. The suite needs Node 22; `npm` brings one.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startWorkers } from "../support/workerd.mjs";
import { startForeign } from "./foreign/server.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const suite = here("../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const node = here("../node_modules/.bin/node");
const expected = here("expected-failures.yml");
const ofForeign = here("expected-failures-foreign.yml");
const listed = readFileSync(expected, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("  - "))
  .map((line) => line.slice(4));
const revisions = ["2025-11-25", "2026-07-28"];
const RUN_MS = 180_000;

/** One run of the suite; resolves with its exit code and what it printed. */
function judge(url, revision, results, failures) {
  const words = [
    suite,
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "--expected-failures",
    failures,
    "-o",
    results,
  ];
  const child = spawn(node, words, { stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      printed += chunk;
    });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => done({ code: code ?? signal, printed }));
  });
}

const build = here("worker/build");
const results = process.argv[2] ?? mkdtempSync(join(tmpdir(), "sieve-conformance-"));
const running = [];
const started = async (starting) => {
  const server = await starting;
  running.unshift(server);
  return server;
};
let failed = false;
try {
  const fixtures = await started(startWorkers([{ name: "fixtures", build }]));
  const foreign = await started(startForeign());
  const own = `${fixtures.urls.fixtures}/mcp`;
  const front = await started(
    startWorkers([
      { name: "own", upstream: own },
      { name: "foreign", upstream: foreign.url },
    ]),
  );
  const servers = {
    "the Worker": own,
    "the gateway in front of it": `${front.urls.own}/mcp`,
    "the TypeScript SDK": foreign.url,
    "the gateway in front of that": `${front.urls.foreign}/mcp`,
  };
  for (const revision of revisions) {
    let behind = [];
    for (const [name, url] of Object.entries(servers)) {
      const ours = url.startsWith(fixtures.urls.fixtures) || url.startsWith(front.urls.own);
      const { code, printed } = await judge(url, revision, join(results, name, revision), ours ? expected : ofForeign);
      const summary = printed.slice(printed.lastIndexOf("=== SUMMARY")).split("\n");
      const passed = summary.filter((line) => line.startsWith("✓")).map((line) => line.split(":")[0]);
      // In front of a server, Sieve loses nothing that passes without it.
      const lost = name.startsWith("the gateway") ? behind.filter((scenario) => !passed.includes(scenario)) : [];
      behind = passed;
      // The suite's own verdict is about what a revision requires; with our fixtures the rest has to pass too.
      const failing = ours ? summary.filter((line) => line.startsWith("✗")) : [];
      const broken = failing.filter((line) => !listed.some((scenario) => line.startsWith(`✗ ${scenario}:`)));
      failed ||= code !== 0 || lost.length > 0 || broken.length > 0;
      const verdict =
        code !== 0
          ? `failed with ${code}`
          : lost.length > 0
            ? `lost ${lost}`
            : broken.length > 0
              ? `broke ${broken}`
              : "passed";
      console.log(`\n##### ${name}, ${revision}: ${verdict}, ${passed.length} scenarios`);
      console.log(summary.filter((line) => !line.startsWith("✓")).join("\n"));
    }
  }
} finally {
  for (const server of running) await server.stop();
  if (!process.argv[2]) rmSync(results, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
