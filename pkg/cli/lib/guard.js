// @ts-check
// Ends workerd if this process is killed, as hosts do with servers that take too long.
import { spawn } from "node:child_process";

/** Waits for the end of its input, which this process holds open. Then ends the process $1 and removes the folder $2. */
const SCRIPT = 'cat >/dev/null; kill -9 "$1" 2>/dev/null; rm -rf "$2"';

/**
 * Starts a process that outlives this one, ends the process `pid` after it and removes `folder`. Returns a function that ends
 * the guard alone. Windows has no shell for it, so workerd stays there.
 * @param {number} pid
 * @param {string} folder
 */
export function guard(pid, folder) {
  if (process.platform === "win32") return () => {};
  const stdio = /** @type {import("node:child_process").StdioOptions} */ (["pipe", "ignore", "ignore"]);
  const child = spawn("sh", ["-c", SCRIPT, "sh", String(pid), folder], { stdio, detached: true });
  const input = /** @type {import("node:net").Socket} */ (child.stdin);
  // If `sh` cannot be started, only a killed process leaves workerd running.
  for (const part of [child, input]) part.on("error", () => {});
  child.unref();
  input.unref();
  return () => {
    child.kill("SIGKILL");
    input.destroy();
  };
}
