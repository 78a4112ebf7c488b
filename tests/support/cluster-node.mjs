// Nodes of a cluster: the packed command, as a user runs it.
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "./home.mjs";
import { freePort } from "./port.mjs";
import { workerdOf } from "./process.mjs";

/** A key for tests. It stands in no line that a command prints. */
export const CLUSTER_KEY = "a-key-of-the-cluster-for-its-tests";
const START_MS = 120_000;
/** Lines that are kept of a node, the newest. */
const LINES = 2_000;
/** Variables of the machine that would change what a node does. */
const OF_A_NODE = /^(AWS_|SIEVE_(?!PACKED))|^UPSTREAM_URL$/;

const bare = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_A_NODE.test(name)));

/**
 * Starts `mcp-sieve run --cluster … --json` of the installed package `consumer` (see tarball.mjs). `store` is a store or a proxy of
 * one, and `address`
 * replaces `127.0.0.1:CLUSTERPORT`, and `null` leaves it out, as it does the `key`. `bucket` replaces `s3://BUCKET/PREFIX`.
 *
 * `ready` resolves with the facts of the event `ready`, or rejects with the last lines of a node that ended before. `ended` resolves
 * with `{ status, signal }`. `lines` has what the node printed. `term()` and `kill()` resolve once the node has ended; `kill()`
 * ends the command and the runtime at once, like a power failure.
 */
export async function startNode({
  consumer,
  config,
  store,
  bucket,
  prefix = "cluster",
  port,
  clusterPort,
  address,
  key = CLUSTER_KEY,
  env = {},
  options = [],
}) {
  const peer = clusterPort ?? (await freePort());
  const own = port ?? (await freePort());
  const place = bucket ?? `s3://${store?.bucket ?? "sieve"}/${prefix}`;
  const reached = address === null ? [] : ["--cluster-address", address ?? `127.0.0.1:${peer}`];
  const args = ["run", config, "--cluster", place, ...reached, "--port", String(own), "--json", "--yes", ...options];
  const temporary = mkdtempSync(join(tmpdir(), "sieve-node-"));
  const variables = {
    ...bare(),
    HOME: consumer.folder,
    TMPDIR: temporary,
    CI: "true",
    ...(key === null ? {} : { SIEVE_CLUSTER_KEY: key }),
    ...store?.environment,
    ...env,
  };
  // The kernel ends the command when this process ends, and the command its runtime.
  const program = [process.execPath, join(consumer.package, "cli/main.js"), ...args.filter((arg) => arg !== undefined)];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", ...program], {
    cwd: consumer.folder,
    env: variables,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = [];
  const events = [];
  let told;
  const ready = new Promise((done, fail) => {
    told = { done, fail };
  });
  ready.catch(() => {});
  const note = (line) => {
    lines.push(line);
    if (lines.length > LINES) lines.shift();
  };
  createInterface({ input: child.stderr }).on("line", note);
  createInterface({ input: child.stdout }).on("line", (line) => {
    note(line);
    const event = parsed(line);
    if (event === undefined) return;
    events.push(event);
    if (event.event === "ready") told.done(event);
  });
  const ended = once(child, "close").then(([status, signal]) => {
    clearTimeout(late);
    rmSync(temporary, { recursive: true, force: true });
    told.fail(new Error(`the node ended with ${status ?? signal}:\n${lines.slice(-20).join("\n")}`));
    return { status, signal };
  });
  const late = setTimeout(() => {
    told.fail(new Error(`the node was not ready within ${START_MS} ms:\n${lines.slice(-20).join("\n")}`));
  }, START_MS);
  late.unref();
  const running = () => child.exitCode === null && child.signalCode === null;
  let workerd;
  ready.then(
    () => {
      workerd = Number(workerdOf(child));
    },
    () => {},
  );

  return {
    url: `http://127.0.0.1:${own}`,
    mcp: `http://127.0.0.1:${own}/mcp`,
    peer: `http://127.0.0.1:${peer}`,
    port: own,
    clusterPort: peer,
    pid: child.pid,
    /** The id of the runtime, once the node is ready. */
    get workerdPid() {
      return workerd;
    },
    ready,
    ended,
    lines,
    events,
    running,
    /** Asks the node to end, as a supervisor does. It hands its objects to the others first. */
    async term() {
      if (running()) child.kill("SIGTERM");
      return ended;
    },
    /** Ends the node at once, with its runtime, as a power failure does. */
    async kill() {
      if (!running()) return ended;
      const runtime = workerd ?? Number(workerdOf(child) ?? 0);
      child.kill("SIGKILL");
      if (runtime) endNow(runtime);
      return ended;
    },
  };
}

function endNow(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself.
    if (error.code !== "ESRCH") throw error;
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
