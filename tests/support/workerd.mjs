// Runs the built Worker in workerd, the runtime it is deployed to, on 127.0.0.1.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeConfig } from "./workerd-config.mjs";

export { SHIPPED, TRACKER } from "./workerd-config.mjs";

// The package `workerd` starts this binary through a second Node process; a signal must reach the binary itself.
const binary = createRequire(new URL("../../scripts/package.json", import.meta.url)).resolve(
  "@cloudflare/workerd-linux-64/bin/workerd",
);
/** A bound for a process that hangs, no measure: seventy Workers compile for a long time on a busy machine. */
const START_MS = 120_000;
const STOP_MS = 1_000;
const LOG_CHARS = 64_000;

/** Spawns workerd and resolves with the port of each socket once all of them listen. */
function launch(config, names, note, files) {
  // However this process ends, the kernel then ends workerd with it: nothing is left behind.
  const bound = files ? ["prlimit", `--nofile=${files}`] : [];
  const command = ["--pdeathsig", "KILL", ...bound, binary, "serve", "--control-fd=3", config];
  // A session of its own: Ctrl-C in a terminal reaches this process alone, which then ends workerd in order.
  const child = spawn("setpriv", command, { stdio: ["ignore", "pipe", "pipe", "pipe"], detached: true });
  child.stdout.setEncoding("utf8").on("data", note);
  child.stderr.setEncoding("utf8").on("data", note);
  const ports = new Map();
  const listening = new Promise((done, fail) => {
    let pending = "";
    child.stdio[3].setEncoding("utf8").on("data", (chunk) => {
      const lines = (pending + chunk).split("\n");
      pending = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.event === "listen") ports.set(message.socket, message.port);
      }
      if (names.every((name) => ports.has(name))) done(ports);
    });
    child.once("error", fail);
    child.once("exit", (code, signal) => fail(new Error(`workerd ended with ${code ?? signal} before it listened`)));
    setTimeout(() => fail(new Error(`workerd did not listen within ${START_MS} ms`)), START_MS).unref();
  });
  return { child, listening };
}

/** workerd first lets open requests finish; a stream that stays open is cut after a second. */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  const patience = new AbortController();
  const stuck = sleep(STOP_MS, "stuck", { signal: patience.signal }).catch(() => {});
  if ((await Promise.race([gone, stuck])) === "stuck") child.kill("SIGKILL");
  patience.abort();
  await gone;
}

/**
 * Starts several configurations of the Worker in one process. Each service takes
 * `name`, `port` (0 picks a free one), `upstream`, `config` (SIEVE_CONFIG as text or object), `file` (sieve.jsonc, a text), `key`,
 * `env` (more text bindings), `kv` (KV namespaces by binding: services that name the same store share it), `jwks` (what the namespace SIEVE_JWKS holds), `limit` (requests that SIEVE_RATE lets pass),
 * `ranker` (the module of the Worker behind SIEVE_RANKER, a text),
 * `assets` (a folder), `build` (a folder; default: the shipped Worker where a server is configured, otherwise the tracker's),
 * `bundle` (a folder in its place that wrangler wrote), `tracker` (whether the Worker has the tracker's object),
 * `network` (`host:port`, to which all its requests go) and `objects` (bindings to further classes of the build).
 * `persist` keeps Durable Object storage in a folder of the caller's; otherwise it goes at `stop()`.
 * `echo` also prints what workerd and the Worker print; `files` is the number of files that workerd may have open.
 */
export async function startWorkers(services, { persist, echo = false, files } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-workerd-"));
  const storage = resolve(persist ?? join(folder, "storage"));
  mkdirSync(storage, { recursive: true });
  const settled = services.map((service) => ({ key: randomBytes(32).toString("hex"), ...service }));
  const names = settled.map(({ name }) => name);
  let log = "";
  const note = (chunk) => {
    log = (log + chunk).slice(-LOG_CHARS);
    if (echo) process.stderr.write(chunk);
  };
  let child;

  const start = async () => {
    const config = writeConfig(mkdtempSync(join(folder, "run-")), settled, storage);
    const run = launch(config, names, note, files);
    child = run.child;
    try {
      const ports = await run.listening;
      for (const service of settled) service.port = ports.get(service.name);
    } catch (error) {
      await stop();
      throw new Error(echo ? error.message : `${error.message}\n${log}`);
    }
  };
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };

  await start();
  return {
    /** The base address of each service by name. */
    urls: Object.fromEntries(settled.map(({ name, port }) => [name, `http://127.0.0.1:${port}`])),
    /** What workerd and the Worker printed, newest last. */
    log: () => log,
    get pid() {
      return child.pid;
    },
    stop,
    /** Ends the process and starts it again on the same ports and the same storage. */
    restart: async () => {
      await end(child);
      await start();
    },
    /** Ends the process, does something to what it left on disk, and starts it again. */
    stopAndEdit: async (edits) => {
      await end(child);
      edits();
      await start();
    },
    /** Kills the process where it is, as a machine that loses its power would, and starts it again. */
    crash: async () => {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await gone;
      await start();
    },
    /** Resolves with the exit code or signal once the process is gone. */
    exited: () => new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal))),
  };
}

/** Starts one Worker; options as for a service of `startWorkers`, and `persist`, `echo` and `files`. */
export async function startWorker({ persist, echo, files, ...service } = {}) {
  const workers = await startWorkers([{ name: "sieve", ...service }], { persist, echo, files });
  const url = workers.urls.sieve;
  return Object.assign(workers, { url, mcp: `${url}/mcp` });
}
