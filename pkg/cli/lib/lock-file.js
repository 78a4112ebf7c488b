// @ts-check
// The file of a lock: digests of what servers said and listed when the operator accepted it, and the accepted definitions.
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Unreadable } from "./cli-error.js";
import { withLock } from "./engine.js";
import { output, parseConfig, textOf } from "./input.js";

/** Version of the file's format. Version 2 had no definitions, and one digest for all definitions of one name. */
const VERSION = 3;
/** Versions that can be read. Version 1 had no digests of declarations. */
const READABLE = [2, VERSION];
/** The beginnings of lines that a merge leaves in a file. */
const CONFLICT = /^(?:<{7}|={7}|>{7})/m;
/** The lists, what one element is called, and the member that identifies it. */
export const KINDS = [
  ["tools", "tool"],
  ["resources", "resource"],
  ["resourceTemplates", "template"],
  ["prompts", "prompt"],
  ["skills", "skill"],
  ["groups", "group"],
  ["tags", "tag"],
  ["concerns", "concern"],
];
/** Where the digests of the members of list results beside their elements stand. */
export const REST = "rest";
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * What is in the file: for each server the digests of what it says of itself, for each kind those of each element by its id, and
 * the definitions of which these are the digests.
 * @typedef {Record<string, Record<string, any>>} Digests
 * @typedef {{ servers: Digests, definitions: Digests }} Lock
 */

/** An error about a file, with a stable code. */
const refused = (/** @type {string} */ path, /** @type {string} */ code, /** @type {string} */ message) =>
  Object.assign(new Unreadable(`${path}: ${message} [${code}]`), { refusal: { code, message, path } });

/**
 * Reads a lock file. One of version 1 is refused or, if it may be replaced, counts as one in which nothing was accepted.
 * @param {string} path
 * @param {{ mayReplace?: boolean }} [options]
 * @returns {Lock}
 * @throws {Unreadable} for a file that cannot be read or has another form
 */
export function readLock(path, { mayReplace } = {}) {
  if (!existsSync(path))
    throw refused(
      path,
      "lock_missing",
      "there is no such file; --accept writes it, once you have read what the servers list",
    );
  const text = textOf(path);
  if (CONFLICT.test(text))
    throw refused(path, "lock_conflict", "conflict marks of a merge: resolve them, or accept it again");
  let lock;
  try {
    lock = JSON.parse(text);
  } catch (error) {
    throw refused(path, "lock_damaged", `not JSON: ${error.message}`);
  }
  const { version, servers, definitions = {} } = isObject(lock) ? lock : {};
  if (version === 1 && isObject(servers)) {
    if (mayReplace) return { servers: {}, definitions: {} };
    throw refused(
      path,
      "lock_version",
      "version 1 of this file lacks digests of declarations, `serverInfo` and `capabilities`: read what the servers list, then accept it again with --accept",
    );
  }
  if (Number.isInteger(version) && version > VERSION)
    throw refused(
      path,
      "lock_version",
      `version ${version} of this file is of a later release: expected version 2 or 3`,
    );
  const isLock =
    READABLE.includes(version) &&
    isObject(servers) &&
    isObject(definitions) &&
    Object.values(servers).every(isServer) &&
    Object.values(definitions).every(isObject);
  if (!isLock) throw refused(path, "lock_damaged", `expected a file that \`check --lock ${path} --accept\` wrote`);
  return { servers, definitions };
}

/** Writes a lock file. The order of members is fixed, so that version control shows what changed. */
export function writeLock(/** @type {string} */ path, /** @type {Lock} */ { servers, definitions }) {
  const lock = { version: VERSION, servers, definitions };
  output(path, `${JSON.stringify(ordered(lock), null, 2)}\n`);
}

/** A value whose objects have their members in the order of their names. `undefined` members are left out. */
function ordered(/** @type {any} */ value) {
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, part]) => part !== undefined);
  // A member called `__proto__` is one like others.
  return Object.fromEntries(
    members.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, part]) => [key, ordered(part)]),
  );
}

/** The digests of an element. Version 2 has one, as has a name with one definition. */
export const digestsIn = (/** @type {string | string[] | undefined} */ entry) =>
  entry === undefined ? [] : [entry].flat();

/**
 * The path of the lock that a configuration is under; `undefined` if it is under none. A relative path is one from the folder of
 * the configuration.
 * @param {string} rules
 * @param {string | undefined} config the path of the configuration
 */
export function lockPathOf(rules, config) {
  const { lock } = parseConfig(rules);
  if (!isObject(lock) || typeof lock.file !== "string") return undefined;
  return isAbsolute(lock.file) || config === undefined || config === "-" ? lock.file : join(dirname(config), lock.file);
}

/**
 * The text of a configuration with the digests of its lock, which a gateway cannot read from a file. Lines stay where they are.
 * @param {string} rules
 * @param {string | undefined} config the path of the configuration
 * @param {{ mayLack?: boolean }} [options] whether the file may be missing or unreadable; then nothing is accepted
 * @throws {Unreadable} for a lock that cannot be read
 */
export function lockedConfig(rules, config, { mayLack } = {}) {
  const path = lockPathOf(rules, config);
  // A file may have the text itself.
  if (path === undefined || parseConfig(rules).lock.content !== undefined) return rules;
  try {
    const { servers } = readLock(path);
    const digests = Object.fromEntries(
      Object.entries(servers).map(([server, lists]) => [
        server,
        Object.fromEntries(KINDS.filter(([kind]) => lists[kind]).map(([kind]) => [kind, lists[kind]])),
      ]),
    );
    return withLock(rules, JSON.stringify({ version: VERSION, servers: digests }));
  } catch (error) {
    if (mayLack && error instanceof Unreadable) return rules;
    throw error;
  }
}

const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isEntry = (/** @type {any} */ entry) =>
  digestsIn(entry).every((one) => typeof one === "string" && DIGEST.test(one));
const isServer = (/** @type {any} */ lists) =>
  isObject(lists) &&
  [...KINDS, [REST]].every(([kind]) => isObject(lists[kind] ?? {})) &&
  KINDS.every(([kind]) => Object.values(lists[kind] ?? {}).every(isEntry));
