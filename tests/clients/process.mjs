// Clients as separate programs. Each prints JSON lines, and keeps its connections open until its input ends.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "../support/home.mjs";

const LOOK_MS = 60_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const python = [here("../../.tools/venv/bin/python"), here("peer.py")];
const rust = [here("../../target/peers/debug/rmcp-peer")];

/** Starts a program that keeps running. `line()` returns its next line. */
function start([command, ...words]) {
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${words.join(" ")} ended without a word`);
    return JSON.parse(value);
  };
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill();
    await gone;
  };
  return { line, close, write: (text) => child.stdin.write(`${text}\n`) };
}

/** Starts a FastMCP client without options. Returns its revision, `text(tool)`, which calls a tool, and `close`. */
export async function talkingFastMcp(url) {
  const { line, close, write } = start([...python, "fastmcp", "talk", url, "auto"]);
  const { protocol } = await line();
  const text = async (tool) => (write(tool), (await line()).text);
  return { protocol, text, close };
}

/** Runs a program to its end. Resolves with the one line that it prints. */
async function ask([command, ...rest], what, url, mode, given) {
  const { stdout } = await promisify(execFile)(command, [...rest, what, url, mode, JSON.stringify(given)], {
    timeout: LOOK_MS,
  });
  return JSON.parse(stdout);
}

const client = (words, mode) => ({
  look: (url, questions) => ask(words, "look", url, mode, questions),
  use: (url, call) => ask(words, "use", url, mode, call),
  async hear(url, uri) {
    const { line, close } = start([...words, "hear", url, mode, uri]);
    await line();
    return { heard: line().then(({ heard }) => heard), close };
  },
  async leave(url, call) {
    const { line, close } = start([...words, "leave", url, mode, JSON.stringify(call)]);
    await line();
    return { close };
  },
});

const pythonClient = (words, mode) => ({
  ...client(words, mode),
  task: (url, task) => ask(words, "task", url, mode, task),
});

export const official = (mode) => pythonClient([...python, "mcp"], mode);
export const fast = (mode) => pythonClient([...python, "fastmcp"], mode);
export const rmcp = (mode) => client(rust, mode);
