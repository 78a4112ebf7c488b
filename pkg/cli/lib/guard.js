// @ts-check
// Guards: processes that end others if this one is killed, as hosts do with servers that take too long. They wait for the end of
// their input, which this process holds open. Windows has no shell for them, so the others stay there.
import { spawn } from "node:child_process";

/** Ends the process $1 and removes the folder $2. */
const RUNTIME = 'read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
/** Ends the process group $1, whose input has ended with this process: in turn as `stop` of a local server does. */
const GROUP = 'read -r _; sleep 1; kill -15 "-$1" 2>/dev/null; sleep 1; kill -9 "-$1" 2>/dev/null';

/** Guards workerd and the folder of its files. Returns a function that ends the guard alone. */
export const guard = (/** @type {number} */ pid, /** @type {string} */ folder) =>
  started(RUNTIME, [String(pid), folder]);

/** Guards a local server and what it has started: the process group that it leads. Returns a function as `guard` does. */
export const guardGroup = (/** @type {number} */ pid) => started(GROUP, [String(pid)]);

/** Starts a guard. @type {(script: string, args: string[]) => () => void} */
function started(script, args) {
  if (process.platform === "win32") return () => {};
  const stdio = /** @type {import("node:child_process").StdioOptions} */ (["pipe", "ignore", "ignore"]);
  const child = spawn("sh", ["-c", script, "sh", ...args], { stdio, detached: true });
  const input = /** @type {import("node:net").Socket} */ (child.stdin);
  // If `sh` cannot be started, only a killed process leaves the other running.
  for (const part of [child, input]) part.on("error", () => {});
  child.unref();
  input.unref();
  return () => {
    child.kill("SIGKILL");
    input.destroy();
  };
}
