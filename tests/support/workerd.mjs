// Runs the built Worker in workerd, the runtime of its deployment, on 127.0.0.1.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import "./home.mjs";
import { writeConfig } from "./workerd-config.mjs";

export { SHIPPED, TRACKER } from "./workerd-config.mjs";

// The package `workerd` starts this binary through a second Node process, but a signal must reach the binary itself.
const binary = createRequire(new URL("../../scripts/package.json", import.meta.url)).resolve(
  "@cloudflare/workerd-linux-64/bin/workerd",
);
/** Maximum wait for workerd to start. It is generous: seventy Workers compile for a long time on a busy machine. */
const START_MS = 120_000;
const STOP_MS = 1_000;
const LOG_CHARS = 64_000;

/** Spawns workerd and resolves with the port of each socket once all of them listen. */
function launch(config, names, note, files) {
  // The kernel ends workerd when this process ends, even if it crashes.
  const bound = files ? ["prlimit", `--nofile=${files}`] : [];
  const command = ["--pdeathsig", "KILL", ...bound, binary, "serve", "--control-fd=3", config];
  // workerd gets its own session, so that Ctrl-C in a terminal reaches only this process, which then ends workerd
  // properly.
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

/** Ends workerd. It lets open requests finish first; streams that remain open are cut after a second. */
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
 * Starts several configurations of the Worker in one process. Members of a service:
 * - `name`, and `port` (0 picks a free one)
 * - `upstream`, `key`, and `env` (further text bindings)
 * - `config` (SIEVE_CONFIG as text or object), or `file` (the text of sieve.jsonc)
 * - `kv`: KV namespaces by binding; services that name the same store share it
 * - `jwks`: the content of the namespace SIEVE_JWKS
 * - `limit`: the number of requests that SIEVE_RATE allows
 * - `ranker`: the text of the module of the Worker at SIEVE_RANKER
 * - `assets`: a folder
 * - `build`: a folder; default: the shipped Worker if a server is configured, otherwise the tracker's
 * - `bundle`: a folder from wrangler, in place of `build`
 * - `tracker`: whether the Worker has the tracker's object
 * - `catalog`: the service whose objects with the catalog and the listeners it shares; `false` for no object with the catalog
 * - `shares`: the service whose objects it uses, as isolates of one deployment do
 * - `connections`: `false` for no objects with the connections of callers
 * - `network`: the `host:port` that receives all its requests
 * - `objects`: bindings to further classes of the build
 *
 * `persist` is a folder for Durable Object storage; without it, the storage is removed at `stop()`. `echo` also prints
 * the output of workerd and the Worker. `files` is the number of files that workerd may open.
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
    /** The base URL of each service by name. */
    urls: Object.fromEntries(settled.map(({ name, port }) => [name, `http://127.0.0.1:${port}`])),
    /** Returns the output of workerd and the Worker, newest last. */
    log: () => log,
    get pid() {
      return child.pid;
    },
    stop,
    /** Ends the process and starts it again on the same ports with the same storage. */
    restart: async () => {
      await end(child);
      await start();
    },
    /** Ends the process, runs `edits` on its files, and starts it again. */
    stopAndEdit: async (edits) => {
      await end(child);
      edits();
      await start();
    },
    /** Kills the process at once, like a power failure, and starts it again. */
    crash: async () => {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await gone;
      await start();
    },
    /** Resolves with the exit code or signal once the process has ended. */
    exited: () => new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal))),
  };
}

/** Starts one Worker. The options are those of a service of `startWorkers`, and `persist`, `echo` and `files`. */
export async function startWorker({ persist, echo, files, ...service } = {}) {
  const workers = await startWorkers([{ name: "sieve", ...service }], { persist, echo, files });
  const url = workers.urls.sieve;
  return Object.assign(workers, { url, mcp: `${url}/mcp` });
}
