// @ts-check
// Items that are added to the text of a configuration. Everything that it has stays as it is written.
import { json } from "../../lib/print.js";
import { itemLines } from "./jsonc.js";

/** A string, a comment, a mark, or another value. */
const TOKEN = /"(?:[^"\\]|\\[^])*"|\/\/[^\n]*|\/\*[^]*?\*\/|[{}[\],:]|[^\s{}[\],:"/]+/g;

/**
 * An array or object in a text: where its brackets are, where its last item or comma ends, and whether that is a comma.
 * @typedef {{ open: number, close: number, last: number, isEmpty: boolean, hasComma: boolean }} Container
 */

/**
 * A part that is added: its lines, of which the last but for a comment ends with the `comma`.
 * @typedef {(comma: "," | "") => string[]} Part
 */

/**
 * Returns the text with more items at the ends of arrays of its outer object. An array that is missing is added to its end.
 * @param {string} text a valid configuration
 * @param {Record<string, { items: any[], notes?: (string | undefined)[] }>} additions by the name of the array
 */
export function inserted(text, additions) {
  const { root, members } = outlineOf(text);
  // A file without comments may be read by programs that take none.
  const isStrict = isJson(text);
  /** @type {{ at: number, more: string }[]} */
  const edits = [];
  /** @type {((indent: string) => Part)[]} */
  const missing = [];
  for (const [name, { items, notes = [] }] of Object.entries(additions)) {
    if (items.length === 0) continue;
    /** @type {(indent: string) => Part[]} */
    const parts = (indent) =>
      items.map((item, at) => (comma) => itemLines(item, isStrict ? undefined : notes[at], indent, comma));
    const array = members.get(name);
    if (array !== undefined) edits.push(...editsOf(text, array, isStrict, parts));
    else
      missing.push((indent) => (comma) => [
        `${indent}${json(name)}: [`,
        ...ended(parts(`${indent}${indent}`), isStrict ? "" : ","),
        `${indent}]${comma}`,
      ]);
  }
  if (missing.length > 0)
    edits.push(...editsOf(text, root, isStrict, (indent) => missing.map((partAt) => partAt(indent))));
  let changed = "";
  let from = 0;
  // Of two edits at one place, the first stays the first.
  for (const { at, more } of edits.sort((one, other) => one.at - other.at)) {
    changed += text.slice(from, at) + more;
    from = at;
  }
  return changed + text.slice(from);
}

/**
 * Returns the edits that add parts at the end of a container.
 * @param {string} text
 * @param {Container} container
 * @param {boolean} isStrict
 * @param {(indent: string) => Part[]} partsAt
 */
function editsOf(text, { open, close, last, isEmpty, hasComma }, isStrict, partsAt) {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, open);
  const inner = /^[^\S\n]*\n\s*?([ \t]*)\S/.exec(text.slice(open + 1, close))?.[1];
  const parts = partsAt(inner ?? `${outer}${outer || "  "}`);
  const lines = ended(parts, (isEmpty ? isStrict : !hasComma) ? "" : ",").map((line) => `${line}${end}`);
  const line = text.lastIndexOf("\n", close - 1) + 1;
  const isAlone = line > open && /^[ \t]*$/.test(text.slice(line, close));
  return [
    ...(isEmpty || hasComma ? [] : [{ at: last, more: "," }]),
    isAlone ? { at: line, more: lines.join("") } : { at: close, more: `${end}${lines.join("")}${outer}` },
  ];
}

/** The lines of parts, the last of which has another comma. @type {(parts: Part[], comma: "," | "") => string[]} */
const ended = (parts, comma) => parts.flatMap((part, at) => part(at < parts.length - 1 ? "," : comma));

/** The white space at the beginning of the line with this place. */
const indentAt = (/** @type {string} */ text, /** @type {number} */ at) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at) + 1))?.[0] ?? "";

/**
 * The outer object of a configuration, and its arrays and objects by name.
 * @param {string} text
 */
function outlineOf(text) {
  /** @type {Map<string, Container>} */
  const members = new Map();
  /** @type {{ open: number, name: string }[]} */
  const stack = [];
  let root = { open: 0, close: text.length, last: 0, isEmpty: true, hasComma: false };
  let name = "";
  let previous = { token: "", end: 0 };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    if (token === "{" || token === "[") stack.push({ open: index, name });
    else if (token === ":" && stack.length === 1) name = JSON.parse(previous.token);
    else if (token === "}" || token === "]") {
      const { open, name: own } = stack.pop() ?? { open: 0, name: "" };
      const found = {
        open,
        close: index,
        last: previous.end,
        isEmpty: previous.end === open + 1,
        hasComma: previous.token === ",",
      };
      if (stack.length === 1) members.set(own, found);
      if (stack.length === 0) root = found;
    }
    previous = { token, end: index + token.length };
  }
  return { root, members };
}

/** Whether a text is JSON without comments and without commas at the end. */
function isJson(/** @type {string} */ text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
