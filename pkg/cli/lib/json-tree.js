// @ts-check
// JSON text as a tree that keeps what `JSON.parse` loses: numbers as they are written, and every value of a repeated member.

/**
 * A value: its text, and the `elements` of an array or the `members` of an object.
 * @typedef {{ text: string, elements?: Tree[], members?: [string, Tree][] }} Tree
 */

/** Maximum nesting depth of arrays and objects that are taken apart, as for the engine. Deeper values keep their text alone. */
const MAX_DEPTH = 127;
/** A bracket, comma or colon, a string, or another value. */
const TOKEN = /\s*([{}[\],:]|"[^"\\]*(?:\\[^][^"\\]*)*"|[^\s{}[\],:"]+)/y;

/**
 * Parses text that is valid JSON.
 * @param {string} text
 * @returns {Tree}
 */
export function treeOf(text) {
  const token = new RegExp(TOKEN);
  let depth = 0;
  const next = () => token.exec(text)?.[1] ?? "";
  return value(next());

  /** @returns {Tree} */
  function value(/** @type {string} */ first) {
    const start = token.lastIndex - first.length;
    depth += 1;
    if (depth > MAX_DEPTH && "[{".includes(first)) skip();
    const parts =
      depth > MAX_DEPTH ? {} : first === "[" ? { elements: elements() } : first === "{" ? { members: members() } : {};
    depth -= 1;
    return { ...parts, text: text.slice(start, token.lastIndex) };
  }

  /** Skips the rest of an array or object, of any depth. */
  function skip() {
    for (let open = 1; open > 0; ) {
      const part = next();
      if (part === "") return;
      if (part === "[" || part === "{") open += 1;
      if (part === "]" || part === "}") open -= 1;
    }
  }

  function elements() {
    const found = [];
    for (let first = next(); first !== "" && first !== "]"; first = next()) if (first !== ",") found.push(value(first));
    return found;
  }

  function members() {
    /** @type {[string, Tree][]} */
    const found = [];
    for (let key = next(); key !== "" && key !== "}"; key = next()) {
      if (key === ",") continue;
      // A colon follows the key.
      next();
      found.push([JSON.parse(key), value(next())]);
    }
    return found;
  }
}

/**
 * Returns the member `name`, as `JSON.parse` does: of a repeated member the last one.
 * @param {Tree | undefined} tree
 * @param {string} name
 */
export const memberOf = (tree, name) => tree?.members?.findLast(([key]) => key === name)?.[1];

/**
 * Returns the string that a value is; `undefined` for other values.
 * @param {Tree | undefined} tree
 * @returns {string | undefined}
 */
export const stringOf = (tree) => (tree?.text.startsWith('"') ? JSON.parse(tree.text) : undefined);

/**
 * Returns the one text of equal values. Members are in the order of their names, because servers may write them in any order, and
 * strings have no escapes that they do not need. Numbers are as they are written, and repeated members in their order.
 * @param {Tree} tree
 * @returns {string}
 */
export function canonical({ elements, members, text }) {
  if (elements) return `[${elements.map(canonical).join(",")}]`;
  if (!members) return text.startsWith('"') ? JSON.stringify(JSON.parse(text)) : text;
  const ordered = members.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return `{${ordered.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(",")}}`;
}
