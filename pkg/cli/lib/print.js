// @ts-check
// The output of all commands. Names and messages of servers may contain terminal sequences, line ends that imitate lines of
// the command, marks that reverse the order of letters, and characters that are not shown. They are escaped here.

/**
 * Control characters, separators of lines and paragraphs, and characters without a shape of their own, by which two names look the
 * same: zero-width ones, bidirectional marks, variation selectors, fillers and tags. `printable` of the engine, for the Worker, has
 * the same.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const hex = (character) => character.codePointAt(0).toString(16);
/** A character as JSON escapes it: each of its units in UTF-16. */
const inJson = (/** @type {string} */ character) =>
  character
    .split("")
    .map((unit) => `\\u${hex(unit).padStart(4, "0")}`)
    .join("");

/** Escapes in `text` what does not print, as `\u{1b}`. */
export const printable = (text) => text.replaceAll(UNPRINTABLE, (character) => `\\u{${hex(character)}}`);

/** JSON on one line that holds the same value, with the same characters escaped as JSON escapes them. */
export const json = (value) => JSON.stringify(value).replaceAll(UNPRINTABLE, inJson);

/** Prints lines on standard output. A line end inside a line is escaped. */
export const print = (...lines) => write(process.stdout, lines);

/** Prints lines on standard error. */
export const warn = (...lines) => write(process.stderr, lines);

/** Prints a value for programs. */
export const printJson = (value) => print(json(value));

/** The streams whose errors are handled. */
const handled = new Set();

/** Output that no one reads any more ends the command, as a signal would; messages beside it are dropped. */
function onError(/** @type {NodeJS.WriteStream} */ stream, /** @type {NodeJS.ErrnoException} */ error) {
  if (error.code !== "EPIPE") throw error;
  if (stream === process.stdout) process.exit();
}

function write(stream, lines) {
  if (!handled.has(stream)) stream.on("error", (error) => onError(stream, error));
  handled.add(stream);
  stream.write(lines.map((line) => `${printable(line)}\n`).join(""));
}

/** Prints a fault of the command itself: its message on one line, then where it happened. */
export function warnOfFault(error) {
  const frames = String(error?.stack ?? "")
    .split("\n")
    .filter((line) => /^ {4}at /.test(line));
  warn(`unexpected error: ${error?.message ?? error}`, ...frames);
}

/** Prints on standard error what another process writes, line by line, as `readable` gives each line; none for nothing. */
export function relay(stream, readable = (line) => line) {
  let pending = "";
  const relayed = (lines) => warn(...lines.map(readable).filter((line) => line !== undefined));
  stream
    .setEncoding("utf8")
    .on("data", (chunk) => {
      const lines = (pending + chunk).split(/\r?\n/);
      pending = lines.pop();
      relayed(lines);
    })
    .on("end", () => {
      if (pending !== "") relayed([pending]);
    });
}
