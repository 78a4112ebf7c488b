// @ts-check
// JSON with comments, laid out for people: short values on one line, long ones wrapped.
import { json, printable } from "../../lib/print.js";

/** Longest line, in characters, unless a single value is longer. */
const WIDTH = 120;
const STEP = "  ";

/** Writes an array as a member of the file, an item a line. `notes` are comments for the items, by place. */
export function section(name, items, notes = []) {
  if (items.length === 0) return [`${STEP}${json(name)}: [],`];
  return [
    `${STEP}${json(name)}: [`,
    ...items.flatMap((item, at) => itemLines(item, notes[at], STEP + STEP)),
    `${STEP}],`,
  ];
}

/** Writes a value as a member of the file. */
export const member = (name, value) => `${STEP}${json(name)}: ${laidOut(value, STEP, `${json(name)}: `.length)},`;

/** Writes an item of an array, with its comment: on the same line if there is room, otherwise above it. */
export function itemLines(item, note, indent, comma = ",") {
  const text = `${indent}${laidOut(item, indent)}${comma}`;
  if (note === undefined) return [text];
  const comment = `// ${printable(note)}`;
  const line = `${text} ${comment}`;
  return text.includes("\n") || line.length > WIDTH ? [`${indent}${comment}`, text] : [line];
}

/** Formats a value that begins after `indent` and `taken` characters. */
function laidOut(value, indent, taken = 0) {
  const line = spaced(value);
  if (indent.length + taken + line.length + 1 <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = indent + STEP;
  if (Array.isArray(value)) return `[\n${packed(value, inner)}\n${indent}]`;
  const members = membersOf(value);
  const parts = members.map(([key, part]) => `${json(key)}: ${laidOut(part, inner, `${json(key)}: `.length)}`);
  return `{\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}}`;
}

/** Items of an array, as many on a line as fit. */
function packed(items, indent) {
  const lines = [];
  for (const item of items.map((item) => laidOut(item, indent))) {
    const last = lines.at(-1);
    const line = `${last}, ${item}`;
    if (last !== undefined && !line.includes("\n") && line.length + 1 <= WIDTH) lines[lines.length - 1] = line;
    else lines.push(`${indent}${item}`);
  }
  return lines.join(",\n");
}

/** A value on one line. */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return json(value);
  return `{ ${membersOf(value)
    .map(([key, part]) => `${json(key)}: ${spaced(part)}`)
    .join(", ")} }`;
}

const membersOf = (value) => Object.entries(value).filter(([, part]) => part !== undefined);
