// What the command is given: its options, and files.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** What cannot be read, or is no use: the command ends with 2. */
export class Unreadable extends Error {}

/** The options of a command and what else was given, of which there is at most one. */
export function options(args, known) {
  let parsed;
  try {
    parsed = parseArgs({ args, options: known, allowPositionals: true });
  } catch (error) {
    throw new Unreadable(error.message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new Unreadable(`expected one file, got ${positionals.join(", ")}`);
  return { ...values, subject: positionals[0] };
}

/** The text of a file, or of standard input. */
export function textOf(path) {
  try {
    const bytes = readFileSync(path === "-" ? process.stdin.fd : path);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Unreadable(`${path}: ${reasons[error.code] ?? error.message}`);
  }
}

const reasons = {
  ENOENT: "there is no such file",
  EISDIR: "expected a file, this is a folder",
  EACCES: "may not be read",
  ERR_ENCODING_INVALID_ENCODED_DATA: "expected UTF-8",
};

/**
 * What the servers list, as `{servers, lists}`, place by place. Each is given as `FILE`, or `NAME=FILE` where several
 * servers are behind; files of one server are joined. `check` refuses what is no list result.
 */
export function sourcesOf(given = [], check) {
  const sources = new Map();
  for (const part of given) {
    const [, server = "", path = part] = /^([\w.-]+)=(.+)$/.exec(part) ?? [];
    const text = textOf(path);
    reading(path, text, () => undefined, () => check(text));
    sources.set(server, [...(sources.get(server) ?? []), text.trim()]);
  }
  return { servers: [...sources.keys()], lists: [...sources.values()].map(joined) };
}

/** Several list results as one text; arrays of them are taken apart. */
function joined(texts) {
  if (texts.length === 1) return texts[0];
  const results = texts.map((text) => (text.startsWith("[") ? text.slice(1, -1).trim() : text));
  return `[${results.filter((text) => text !== "").join(",")}]`;
}

/** Line and column of a byte in a text, counted from 1, for `file:line:column`. */
export function lineAt(text, at) {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, at)).split("\n");
  return { line: before.length, column: [...before.at(-1)].length + 1 };
}

/** Does what may refuse `path`, and says so with the place where it does. */
export function reading(path, text, locate, work) {
  try {
    return work();
  } catch (error) {
    // What the engine refuses has a code; anything else is a fault of ours.
    if (typeof error.code !== "string") throw error;
    const at = error.at ?? (error.path === undefined ? undefined : locate(text, error.path));
    const { line, column } = at === undefined ? {} : lineAt(text, at);
    const place = line === undefined ? path : `${path}:${line}:${column}`;
    throw Object.assign(new Unreadable(`${place}: ${error.message}`), { refusal: { code: error.code, message: error.message, path: error.path, line, column } });
  }
}
