// Three nodes of a cluster on this machine, with an object store, and with the balancer of haproxy.cfg if HAProxy is installed:
// node local.mjs [CONFIG]. The README of this folder describes it. PORT is the balancer's.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const build = join(here, "../../build");
const python = join(build, "store/bin/python");
const { PATH = "", PORT = "8787" } = process.env;
const LOOPBACK = "127.0.0.1";
const NODES = 3;
/** Pause before a part that ended starts again, as a supervisor makes one. */
const RESTART_MS = 1_000;
const [config] = process.argv.slice(2);

/** Debian has servers in a folder that only the superuser has on PATH. */
const found = (program) =>
  [...PATH.split(delimiter), "/usr/sbin"].map((folder) => join(folder, program)).find((path) => existsSync(path));
/** The kernel ends a process started by it when this one is killed. Other systems than Linux have no such program. */
const setpriv = found("setpriv");
const haproxy = found("haproxy");
const children = new Set();
let ending = false;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Starts a program. `read` gets each line that it prints, and `ended` is called when it ends by itself. */
function start([program, ...args], { env = {}, read, ended }) {
  const command = setpriv ? [setpriv, "--pdeathsig", "KILL", program, ...args] : [program, ...args];
  const child = spawn(command[0], command.slice(1), {
    env: { ...process.env, ...env },
    // Ctrl-C reaches this process alone.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on("line", read);
  child.once("error", (error) => fail(`${program} cannot be started: ${error.message}`));
  child.once("exit", (code, signal) => {
    children.delete(child);
    if (!ending) ended(code ?? signal);
  });
  return child;
}

async function freePort() {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** Waits until a server responds. */
async function responds(url, what) {
  for (let tries = 0; tries < 300; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response) return;
    await sleep(100);
  }
  fail(`${what} does not respond`);
}

/** Installs the packed command and returns its program. */
function command() {
  const tarball = existsSync(build) && readdirSync(build).find((name) => /^mcp-sieve-.+\.tgz$/.test(name));
  if (!tarball) fail("build/ has no package yet: run `make package`");
  const folder = join(build, "cluster");
  const quiet = ["--silent", "--no-audit", "--no-fund", "--no-save"];
  execFileSync("npm", ["install", ...quiet, "--prefix", folder, join(build, tarball)], { stdio: "inherit" });
  return join(folder, "node_modules/mcp-sieve/cli/main.js");
}

/** Starts the store, and returns the variables by which nodes find it. */
async function startStore() {
  if (!existsSync(python)) fail("build/store has no object store yet: the README of examples/cluster has the command");
  const port = await freePort();
  let printed = "";
  start([python, "-m", "moto.server", "--host", LOOPBACK, "--port", String(port)], {
    read: (line) => {
      printed = line;
    },
    ended: (how) => fail(`the object store ended with ${how}: ${printed}`),
  });
  const url = `http://${LOOPBACK}:${port}`;
  await responds(url, "the object store");
  await fetch(`${url}/sieve`, { method: "PUT" });
  // The store accepts all credentials.
  return { AWS_ENDPOINT_URL: url, AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
}

/** Starts the server with two tools, in place of servers that a configuration names. */
async function startTools() {
  const port = await freePort();
  start([process.execPath, join(here, "tools.mjs")], {
    env: { PORT: String(port) },
    read: () => {},
    ended: (how) => fail(`the server with tools ended with ${how}`),
  });
  const url = `http://${LOOPBACK}:${port}/mcp`;
  await responds(url, "the server with tools");
  return { UPSTREAM_URL: url };
}

/** Starts a node, and again whenever it ends. Resolves once it serves. */
function startNode(name, { program, port, peer, env }) {
  const args = ["run", config ?? join(here, "config/sieve.jsonc"), "--port", String(port), "--json", "--yes"];
  const member = ["--cluster", "s3://sieve/gateway", "--cluster-address", `${LOOPBACK}:${peer}`];
  return new Promise((done) => {
    let joined = false;
    const ready = (pid) => {
      console.log(`  ${name}     http://${LOOPBACK}:${port}/mcp   process ${pid}`);
      joined = true;
      done();
    };
    const run = () => {
      const child = start([process.execPath, program, ...args, ...member], {
        env,
        read: (line) => {
          const { event, problem, text } = line.startsWith("{") ? JSON.parse(line) : { text: line };
          if (event === "ready") return ready(child.pid);
          if (problem ?? text) console.log(`  ${name}     ${problem ?? text}`);
        },
        ended: async (how) => {
          if (!joined) fail(`  ${name}     ended with ${how}`);
          console.log(`  ${name}     ended with ${how} and starts again`);
          await sleep(RESTART_MS);
          if (!ending) run();
        },
      });
    };
    run();
  });
}

/** Starts the balancer with the file that compose.yaml uses. */
async function startBalancer(nodes) {
  const env = { SIEVE_LISTEN: `${LOOPBACK}:${PORT}` };
  for (const [index, { port, peer }] of nodes.entries())
    Object.assign(env, {
      [`SIEVE_NODE${index + 1}`]: `${LOOPBACK}:${port}`,
      [`SIEVE_PEER${index + 1}`]: String(peer),
    });
  let printed = "";
  start([haproxy, "-db", "-f", join(here, "haproxy.cfg")], {
    env,
    read: (line) => {
      printed = line;
    },
    ended: (how) => fail(`the balancer ended with ${how}: ${printed}`),
  });
  await responds(`http://${LOOPBACK}:${PORT}/health`, "the balancer");
  console.log(`  balancer  http://${LOOPBACK}:${PORT}/mcp`);
}

// The store is in memory, so nothing is handed over. A node that is killed ends its runtime and its local servers.
process.on("exit", () => {
  ending = true;
  for (const child of children) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(0));

const program = command();
const env = {
  ...(await startStore()),
  ...(config === undefined && (await startTools())),
  SIEVE_CLUSTER_KEY: randomBytes(32).toString("hex"),
};
const nodes = [];
for (let count = 0; count < NODES; count += 1)
  nodes.push({ program, port: await freePort(), peer: await freePort(), env });
// The first node alone fetches the runtime.
const [first, ...others] = nodes.map((node, index) => () => startNode(`node${index + 1}`, node));
await first();
await Promise.all(others.map((other) => other()));
if (haproxy) await startBalancer(nodes);
else console.log("  no balancer: `haproxy` is not installed; each node serves every session");
console.log("\n`kill PROCESS` ends a node as a restart does, `kill -9 PROCESS` as a crash does. Ctrl-C ends all.");
