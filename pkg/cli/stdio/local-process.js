// @ts-check
// The process of a local server: started, read line by line, and ended with all processes that it has started itself.
import { spawn } from "node:child_process";
import { guardGroup } from "../lib/guard.js";
import { relay, warn } from "../lib/print.js";
import { cmdWord } from "./cmd-words.js";
import { eachLine, MAX_LINE } from "./lines.js";

/** Milliseconds that a process has to end once its input is closed, and again after SIGTERM. */
const CLOSE_MS = 1_000;
const TERMINATE_MS = 1_000;
const WINDOWS = process.platform === "win32";

/** @typedef {{ name: string, command: string[], env: Record<string, string>, cwd?: string }} Program */

/** The running processes, which end with this one, each with what ends its guard. */
const all = new Map();
process.on("exit", () => {
  for (const [child, unguard] of all) {
    signal(child, "SIGKILL");
    unguard();
  }
});

/**
 * Starts `{ name, command, env, cwd }`. `line` is called with each line on standard output, and `ended` once with how the
 * process ended, in words for callers. What only the operator may read is printed under its name: its standard error, commands and
 * paths. `error` takes each line of standard error instead, if it is given.
 * @param {Program} settings
 * @param {{ line: (text: string) => void, ended: (how: string) => void, error?: (text: string) => void }} to
 */
export function startProcess({ name, command: [program, ...args], env, cwd }, to) {
  // A process group of its own, so that the programs which `npx` starts end with it.
  const child = spawn(WINDOWS ? cmdWord(program) : program, WINDOWS ? args.map(cmdWord) : args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: !WINDOWS,
    shell: WINDOWS,
    windowsHide: true,
  });
  const unguard = child.pid === undefined ? () => {} : guardGroup(child.pid);
  all.set(child, unguard);
  let over = false;
  const end = (how) => {
    if (over) return;
    over = true;
    // Programs that it has started may outlive it.
    signal(child, "SIGKILL");
    all.delete(child);
    unguard();
    to.ended(how);
  };
  if (to.error === undefined) relay(child.stderr, (text) => `${name}: ${text}`);
  else eachLine(child.stderr, { line: to.error, tooLong: () => {} });
  eachLine(child.stdout, {
    line: to.line,
    tooLong: () => {
      warn(`${name}: sent a message of more than ${MAX_LINE} characters and is ended`);
      end(`it sent a message of more than ${MAX_LINE} characters`);
    },
  });
  // A process that has ended takes no input.
  child.stdin.on("error", () => {});
  child.once("error", (error) => {
    warn(`${name}: ${reasonOf(error, program, cwd)}`);
    end("cannot be started");
  });
  const gone = new Promise((done) => {
    child.once("error", done);
    child.once("exit", done);
  });
  // After its last lines.
  child.once("close", (code, by) => end(`its process ended with ${by ?? `status ${code}`}`));
  child.once("exit", (code, by) =>
    setTimeout(end, CLOSE_MS, `its process ended with ${by ?? `status ${code}`}`).unref(),
  );
  return {
    /** Writes one line. */
    write: (text) => child.stdin.write(`${text}\n`),
    /** Ends the process. Resolves when it has ended. */
    async stop() {
      child.stdin.end();
      const timers = [
        setTimeout(signal, CLOSE_MS, child, "SIGTERM"),
        setTimeout(signal, CLOSE_MS + TERMINATE_MS, child, "SIGKILL"),
      ];
      await gone;
      timers.forEach(clearTimeout);
      signal(child, "SIGKILL");
    },
  };
}

/** Sends a signal to a process and those that it has started. */
function signal(child, name) {
  if (child.pid === undefined) return;
  try {
    if (WINDOWS) child.kill(name);
    else process.kill(-child.pid, name);
  } catch {
    // It has ended.
  }
}

/** @param {NodeJS.ErrnoException} error */
function reasonOf({ code, message }, program, cwd) {
  if (code !== "ENOENT") return message;
  return cwd === undefined
    ? `there is no program \`${program}\``
    : `there is no program \`${program}\`, or no folder ${cwd}`;
}
