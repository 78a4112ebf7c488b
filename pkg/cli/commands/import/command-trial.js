// @ts-check
// Starts the command that a host's file will have once, as the host does.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Unreadable } from "../../lib/cli-error.js";
import { PRIVATE, createFile } from "../../lib/files.js";
import { environmentOf } from "../../lib/npm.js";
import { manifest } from "../../lib/own-package.js";
import { warn } from "../../lib/print.js";
import { startProcess } from "../../stdio/local-process.js";
import { read } from "../../stdio/message.js";

/** Milliseconds until the command must have answered. Hosts wait for half a minute to a minute. */
const START_MS = 60_000;
/** Maximum number of lines of its standard error that are shown. */
const MAX_LINES = 40;
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: manifest.name, version: manifest.version },
  },
});

/**
 * Runs `work` with the path of a temporary file that has this text, in the folder of another file.
 * @param {string} path
 * @param {string} text
 * @param {(path: string) => Promise<void>} work
 */
export async function withDraft(path, text, work) {
  const draft = join(dirname(resolve(path)), `.mcp-sieve-${randomBytes(8).toString("hex")}.jsonc`);
  createFile(draft, text, PRIVATE);
  try {
    await work(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Starts a command and asks `initialize`. Resolves once it has answered with a result.
 * @param {{ command: string, args: string[] }} entry
 * @param {Record<string, string | undefined>} environment
 * @throws {Unreadable} if it does not; its standard error has been printed
 */
export async function answersInitialize({ command, args }, environment) {
  /** @type {string[]} */
  const errors = [];
  /** @type {(error?: Error) => void} */
  let settle = () => {};
  const answered = new Promise((done, fail) => {
    settle = (error) => (error === undefined ? done(undefined) : fail(error));
  });
  const child = startProcess(
    {
      name: "sieve",
      command: [command, ...args],
      env: /** @type {Record<string, string>} */ (environmentOf(environment, process.cwd())),
    },
    {
      line: (text) => {
        const { kind, value } = read(text) ?? {};
        if (kind !== "response") return;
        const problem = value?.error && new Error(`it answered \`initialize\` with the error: ${value.error.message}`);
        settle(problem);
      },
      ended: (how) => settle(new Error(`${how} before it answered \`initialize\``)),
      error: (text) => errors.push(text),
    },
  );
  const late = setTimeout(
    () => settle(new Error(`no answer to \`initialize\` within ${START_MS / 1_000} s`)),
    START_MS,
  );
  child.write(INITIALIZE);
  try {
    await answered;
  } catch (error) {
    warn(...errors.slice(-MAX_LINES).map((line) => `  ${line}`));
    throw new Unreadable(
      `Sieve is installed in no file: \`${[command, ...args].join(" ")}\` does not start: ${error.message}`,
    );
  } finally {
    clearTimeout(late);
    await child.stop();
  }
}
