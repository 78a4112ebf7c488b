// The same catalog on the official Python SDK, in its own process.
import { fileURLToPath } from "node:url";
import { start } from "../../support/foreign.mjs";
import { freePort } from "../../support/port.mjs";

const python = fileURLToPath(new URL("../../../.tools/venv/bin/python", import.meta.url));
const program = fileURLToPath(new URL("vault.py", import.meta.url));

export async function startPythonVault() {
  const port = await freePort();
  // The kernel ends the server when this process ends, even if it crashes.
  const args = ["--pdeathsig", "KILL", python, program, String(port)];
  const server = await start(port, "setpriv", args, { signal: "SIGKILL" });
  return { label: "Python SDK", ...server };
}
