// @ts-check
// The difference between two definitions in lines for the operator: texts, schemas, parameters that accept more than before, and
// hints that are gone.
import { treeOf } from "./json-tree.js";

/** Maximum number of lines, and of characters of a value in them. */
const MAX_LINES = 12;
const MAX_VALUE = 300;
/** Members of schemas that accept more when they grow, and those that accept more when they shrink. */
const CEILINGS = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const FLOORS = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
/** Hints whose loss makes a tool more dangerous, with the value that promises safety. */
const PROMISES = new Map([
  ["readOnlyHint", "true"],
  ["destructiveHint", "false"],
  ["idempotentHint", "true"],
  ["openWorldHint", "false"],
]);

/** @typedef {import("./json-tree.js").Tree} Tree */

/**
 * Returns the differences between accepted definitions and those that are listed now, in their canonical texts. A new definition
 * has lines for all of its texts. Without an accepted text, as in a lock of version 2, there is nothing to compare with.
 * @param {string[]} before
 * @param {string[]} now
 * @returns {string[]}
 */
export function differencesOf(before, now) {
  const added = now.find((text) => !before.includes(text));
  if (added === undefined) return [];
  /** @type {string[]} */
  const lines = [];
  const old = before.find((text) => !now.includes(text)) ?? before[0];
  compare(old === undefined ? undefined : treeOf(old), treeOf(added), "", lines);
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `${more} more differences`] : lines;
}

/** Adds a line for each value below `path` that differs. */
function compare(
  /** @type {Tree | undefined} */ old,
  /** @type {Tree | undefined} */ now,
  /** @type {string} */ path,
  /** @type {string[]} */ lines,
) {
  if (old?.text === now?.text) return;
  if (now?.members !== undefined && (old === undefined ? path === "" : old.members !== undefined)) {
    const [before, after] = [membersOf(old), membersOf(now)];
    for (const key of new Set([...before.keys(), ...after.keys()]))
      compare(before.get(key), after.get(key), path === "" ? key : `${path}.${key}`, lines);
    return;
  }
  const note = noteOf(path, old, now);
  lines.push(`${path}: ${change(old, now)}${note === undefined ? "" : ` (${note})`}`);
}

const membersOf = (/** @type {Tree | undefined} */ tree) => new Map(tree?.members ?? []);

/** What has become of a value. */
function change(/** @type {Tree | undefined} */ old, /** @type {Tree | undefined} */ now) {
  if (old === undefined) return `${shown(now)} is new`;
  if (now === undefined) return `${shown(old)} is gone`;
  return `${shown(old)} is now ${shown(now)}`;
}

function shown(/** @type {Tree | undefined} */ tree) {
  const text = tree?.text ?? "";
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** What a difference means, if it makes the definition more dangerous. */
function noteOf(/** @type {string} */ path, /** @type {Tree | undefined} */ old, /** @type {Tree | undefined} */ now) {
  const key = path.slice(path.lastIndexOf(".") + 1);
  if (path.startsWith("annotations.") && PROMISES.get(key) === old?.text && old !== undefined)
    return "the promise is dropped";
  if (!path.startsWith("inputSchema.")) return undefined;
  return widens(path, key, old, now) ? "it accepts more" : undefined;
}

function widens(
  /** @type {string} */ path,
  /** @type {string} */ key,
  /** @type {Tree | undefined} */ old,
  /** @type {Tree | undefined} */ now,
) {
  if (/\.properties(?:\.[^.]+)?$/.test(path)) return old === undefined;
  if (CEILINGS.has(key)) return now === undefined || (old !== undefined && Number(now.text) > Number(old.text));
  if (FLOORS.has(key)) return now === undefined || (old !== undefined && Number(now.text) < Number(old.text));
  if (key === "additionalProperties") return old?.text === "false";
  if (key === "required") return textsOf(old).some((name) => !textsOf(now).includes(name));
  if (key === "enum") return now === undefined || textsOf(now).some((name) => !textsOf(old).includes(name));
  return ["pattern", "const", "format"].includes(key) && now === undefined;
}

const textsOf = (/** @type {Tree | undefined} */ tree) => (tree?.elements ?? []).map(({ text }) => text);
