// The same catalog on the official Python SDK, in its own process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/port.mjs";

const START_MS = 30_000;
const python = fileURLToPath(new URL("../../../.tools/venv/bin/python", import.meta.url));
const program = fileURLToPath(new URL("vault.py", import.meta.url));

export async function startPythonVault() {
  const port = await freePort();
  // The kernel ends the server when this process ends, even if it crashes.
  const child = spawn("setpriv", ["--pdeathsig", "KILL", python, program, String(port)], { stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}/mcp`;
  const until = Date.now() + START_MS;
  while (
    !(await fetch(url).then(
      async ({ body }) => {
        await body?.cancel();
        return true;
      },
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > until) throw new Error("the Python server did not start");
    await sleep(50);
  }
  return {
    label: "Python SDK",
    url,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
