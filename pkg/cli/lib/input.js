// @ts-check
// Files that the command reads and writes.
import { readFileSync } from "node:fs";
import { hash_of, lint, locate } from "./engine.js";
import { Unreadable } from "./cli-error.js";
import { replaceFile } from "./files.js";

export { Unreadable };

/** The text of a file, or of standard input. `before` begins the message of an error. */
export function textOf(path, before = "") {
  try {
    const bytes = readFileSync(path === "-" ? process.stdin.fd : path);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Unreadable(`${before}${path}: ${reasons[error.code] ?? error.message}`);
  }
}

const reasons = {
  ENOENT: "there is no such file",
  EISDIR: "expected a file, this is a folder",
  EACCES: "access is denied",
  ERR_ENCODING_INVALID_ENCODED_DATA: "expected UTF-8",
};

/** Writes a file, or standard output. A new file has the `mode`. */
export function output(path, content, mode = undefined) {
  if (path === undefined || path === "-") {
    process.stdout.write(content);
    return;
  }
  try {
    replaceFile(path, content, mode);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const reason = error.code === "ENOENT" ? "there is no such folder" : reasons[error.code];
    throw new Unreadable(`${path}: ${reason ?? error.message}`);
  }
}

/**
 * Returns the text of the configuration, and the servers and their lists as `servers` and `lists`, by position. Lists are given
 * as `FILE`, or `NAME=FILE` if there are several servers, or come from `live` servers. Lists of one server are joined.
 */
export function inputs(config, given = [], live = [], rules = rulesOf(config)) {
  const sources = new Map();
  for (const part of given) {
    const [, server = "", path = part] = /^([\w.-]+)=(.+)$/.exec(part) ?? [];
    const text = textOf(path);
    reading(path, () => hash_of(text, "tools"), { text });
    sources.set(server, [...(sources.get(server) ?? []), text.trim()]);
  }
  for (const { server, text } of live) sources.set(server, [...(sources.get(server) ?? []), text]);
  const read = { rules, servers: [...sources.keys()], lists: [...sources.values()].map(joined) };
  // Each input is valid by itself, so an error is about a server that the configuration does not name.
  reading("--catalog", () => lint(rules, read.servers, read.lists));
  return read;
}

/** The text of a configuration that the engine takes; without one, of an empty one. */
export function rulesOf(config) {
  if (config === undefined) return "{}";
  const rules = textOf(config);
  reading(config, () => lint(rules, [], []), { text: rules, locate });
  return rules;
}

/** Several list results as one text; arrays of them are taken apart. */
function joined(texts) {
  if (texts.length === 1) return texts[0];
  const results = texts.map((text) => (text.startsWith("[") ? text.slice(1, -1).trim() : text));
  return `[${results.filter((text) => text !== "").join(",")}]`;
}

/** The value of a configuration that the engine takes. As for the engine, a comment ends with its line, at `\n` alone. */
export function parseConfig(config) {
  const bare = config
    .replaceAll(/("[^"\\]*(?:\\[^][^"\\]*)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1")
    .replaceAll(/("[^"\\]*(?:\\[^][^"\\]*)*")|,(?=\s*[}\]])/g, "$1");
  return JSON.parse(bare);
}

/** Line and column of a byte in a text, counted from 1, for `file:line:column`. */
export function lineAt(text, at) {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, at)).split("\n");
  return { line: before.length, column: [...before.at(-1)].length + 1 };
}

/** The members under which the files of hosts name their servers. */
const HOST_MEMBERS = ["mcpServers", "servers", "mcp"];

/** The message for the file of a host in place of a configuration. */
const ofHost = (member) =>
  `\`${member}\` is a member of the files of hosts: \`npx mcp-sieve import FILE\` writes a configuration with their servers`;

/**
 * Calls `work` and converts errors of the engine: they name the subject and, for a file with its `text`, the line and column.
 * @template Result
 * @param {string} subject
 * @param {() => Result} work
 * @param {{ text?: string, locate?: (text: string, path: string) => number | undefined }} [file]
 * @returns {Result}
 */
export function reading(subject, work, { text, locate = () => undefined } = {}) {
  try {
    return work();
  } catch (error) {
    // Errors of the engine have a code. Anything else is a bug.
    if (typeof error.code !== "string") throw error;
    const { code, path } = error;
    const message = HOST_MEMBERS.includes(path) ? ofHost(path) : error.message;
    const at = text === undefined ? undefined : (error.at ?? (path === undefined ? undefined : locate(text, path)));
    const { line, column } = at === undefined ? {} : lineAt(text, at);
    const place = line === undefined ? subject : `${subject}:${line}:${column}`;
    throw Object.assign(new Unreadable(`${place}: ${message}`), { refusal: { code, message, path, line, column } });
  }
}
