// Third-party servers in separate processes, each on a port of this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import "./home.mjs";
import { freePort } from "./port.mjs";

const START_MS = 60_000;

/** Starts a server, waits until it listens on its port, and returns `{url, port, stop}`. `signal` ends it. */
export async function start(port, command, args, { env = {}, signal = "SIGTERM" } = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}/mcp`;
  const until = Date.now() + START_MS;
  // Any response shows that the server listens.
  while (
    !(await fetch(url).then(
      async ({ body }) => {
        await body?.cancel();
        return true;
      },
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`${args[0]} did not start`);
    }
    await sleep(50);
  }
  return {
    url,
    port,
    stop: async () => {
      child.kill(signal);
      await ended;
    },
  };
}

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

/** Starts the reference server of the handshake revision on the given port. */
export const startEverythingOn = (port) =>
  start(port, process.execPath, [everything, "streamableHttp"], { env: { PORT: String(port) } });

const python = fileURLToPath(new URL("../../.tools/venv/bin/python", import.meta.url));
const peer = fileURLToPath(new URL("peer_server.py", import.meta.url));
const tagged = fileURLToPath(new URL("tagged_server.py", import.meta.url));

/** Starts a server on FastMCP that tags what it lists. */
export async function startTagged() {
  const port = await freePort();
  return start(port, python, [tagged, String(port)]);
}

/** Starts a stateless server on the official Python SDK. */
export async function startPython() {
  const port = await freePort();
  return start(port, python, [peer, String(port)]);
}
