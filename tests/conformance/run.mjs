// Runs the official conformance suite in both revisions: against servers, and against Sieve in front of each. The suite
// needs Node 22, which `npm` installs.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "../support/home.mjs";
import { startWorkers } from "../support/workerd.mjs";
import { startForeign } from "./foreign/server.mjs";
import { startReference } from "./reference/server.mjs";

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

/**
 * Runs the suite once, with the scenarios that a revision requires or with all. Resolves with the exit code, the
 * output, and the number of passes of each check.
 */
async function judge(url, revision, { results, failures, all }) {
  const scenarios = all ? ["--suite", "all", "--spec-version", revision] : ["--requirements", revision];
  const words = [suite, "server", "--url", url, ...scenarios, "--expected-failures", failures, "-o", results];
  const child = spawn(node, words, { stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      printed += chunk;
    });
  const code = await new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => done(code ?? signal));
  });
  return { code, printed, passed: passedChecks(results) };
}

/** Returns `scenario/check` → the number of passes. */
function passedChecks(results) {
  const passed = new Map();
  for (const folder of readdirSync(results)) {
    const scenario = folder.replace(/-\d{4}-\d{2}-\d{2}T.*$/, "");
    const checks = JSON.parse(readFileSync(join(results, folder, "checks.json"), "utf8"));
    for (const { id, status } of checks) {
      if (status === "SUCCESS") passed.set(`${scenario}/${id}`, (passed.get(`${scenario}/${id}`) ?? 0) + 1);
    }
  }
  return passed;
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
  const own = `${fixtures.urls.fixtures}/mcp`;
  const servers = {
    own: { name: "the Worker", url: own, strict: true },
    foreign: { name: "the TypeScript SDK", url: (await started(startForeign())).url },
    reference: { name: "a server that differs by revision", url: (await started(startReference())).url, all: true },
  };
  const front = await started(
    startWorkers(Object.entries(servers).map(([name, { url }]) => ({ name, upstream: url }))),
  );
  for (const revision of revisions) {
    for (const [key, { name, url, strict, all }] of Object.entries(servers)) {
      let direct = new Map();
      for (const [face, address] of Object.entries({
        [name]: url,
        [`the gateway in front of ${name}`]: `${front.urls[key]}/mcp`,
      })) {
        const folder = join(results, face, revision);
        const failures = strict ? expected : ofForeign;
        const { code, printed, passed } = await judge(address, revision, { results: folder, failures, all });
        const summary = printed.slice(printed.lastIndexOf("=== SUMMARY")).split("\n");
        // In front of a server, Sieve must pass every check that passes without it.
        const lost = [...direct].filter(([check, times]) => (passed.get(check) ?? 0) < times).map(([check]) => check);
        direct = passed;
        // The suite's exit code concerns what a revision requires. With Sieve's own fixtures, the rest must pass too.
        const failing = strict ? summary.filter((line) => line.startsWith("✗")) : [];
        const broken = failing.filter((line) => !listed.some((scenario) => line.startsWith(`✗ ${scenario}:`)));
        const refused = !all && code !== 0;
        failed ||= refused || lost.length > 0 || broken.length > 0 || passed.size === 0;
        const verdict = refused
          ? `failed with ${code}`
          : lost.length > 0
            ? `lost ${lost.join(", ")}`
            : broken.length > 0
              ? `broke ${broken}`
              : "passed";
        const count = [...passed.values()].reduce((sum, times) => sum + times, 0);
        const scenarios = summary.filter((line) => line.startsWith("✓")).length;
        console.log(`\n##### ${face}, ${revision}: ${verdict}, ${scenarios} scenarios, ${count} checks`);
        console.log(summary.filter((line) => !line.startsWith("✓")).join("\n"));
      }
    }
  }
} finally {
  for (const server of running) await server.stop();
  if (!process.argv[2]) rmSync(results, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
