// @ts-check
// The lock file of `check`: digests of what servers listed when the operator accepted it.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { Unreadable, output, textOf } from "./input.js";

/** Version of the file's format. */
const VERSION = 1;
/** The lists, what one element is called, and the member that identifies it. */
const KINDS = [
  ["tools", "tool", "name"],
  ["resources", "resource", "uri"],
  ["resourceTemplates", "template", "uriTemplate"],
  ["prompts", "prompt", "name"],
  ["skills", "skill", "uri"],
];
/** The name under which the only server of a file stands, which has none there. */
const ONLY = "upstream";
/** The code of findings. */
const CODE = "not_accepted";

/**
 * What servers listed, as digests: for each server its instructions, and for each kind the digest of each element by its id.
 * @typedef {Record<string, Record<string, any>>} Digests
 */

/**
 * What `gather` returns: the text of the list results of each server, the instructions of those that have any, and the servers that
 * could not be listed.
 * @typedef {{ servers: string[], lists: string[], introductions: Map<string, string>, failures: { server: string }[] }} Gathered
 */

/**
 * Returns a finding for each difference between the lock file at `path` and what servers list. Servers that could not be listed
 * are left out.
 * @param {string} path
 * @param {Gathered} gathered
 * @param {{ mayCreate?: boolean }} options whether the file may be missing; then nothing was accepted, and nothing differs
 * @throws {Unreadable} without lists, and for a file that cannot be read or has another form
 */
export function compared(path, gathered, { mayCreate }) {
  if (gathered.lists.length === 0)
    throw new Unreadable(
      "--lock: expected the lists to compare: --live, --catalog lists.json or --upstream https://example.com/mcp",
    );
  if (existsSync(path)) return differences(readLock(path), digestsOf(gathered), missingOf(gathered));
  if (mayCreate) return [];
  throw new Unreadable(`${path}: there is no such file; --accept writes it, once you have read what the servers list`);
}

/**
 * Writes what servers list into the lock file at `path`. Servers that could not be listed keep what was accepted of them. Returns
 * the number of servers and of definitions in the file.
 * @param {string} path
 * @param {Gathered} gathered
 */
export function acceptInto(path, gathered) {
  const missing = missingOf(gathered);
  const before = existsSync(path) ? Object.entries(readLock(path)) : [];
  const kept = before.filter(([server]) => missing.has(server));
  const servers = { ...Object.fromEntries(kept), ...digestsOf(gathered) };
  // The order of members is fixed, so that version control shows what changed.
  output(path, `${JSON.stringify(JSON.parse(canonical({ version: VERSION, servers })), null, 2)}\n`);
  const definitions = Object.values(servers).flatMap((lists) =>
    KINDS.flatMap(([kind]) => Object.keys(lists[kind] ?? {})),
  );
  return { servers: Object.keys(servers).length, definitions: definitions.length };
}

const missingOf = (/** @type {Gathered} */ { failures }) => new Set(failures.map(({ server }) => server || ONLY));

/**
 * @param {Gathered} gathered
 * @returns {Digests}
 */
function digestsOf({ servers, lists, introductions }) {
  return Object.fromEntries(
    servers.map((server, at) => {
      const results = [JSON.parse(lists[at])].flat().map((result) => result.result ?? result);
      const instructions = introductions.get(server);
      return [
        server || ONLY,
        {
          ...(instructions && { instructions: digest(instructions) }),
          ...Object.fromEntries(KINDS.map(([kind, , id]) => [kind, elements(results, kind, id)])),
        },
      ];
    }),
  );
}

/** The digests of the elements of a kind. A server that lists an id twice has one digest for both definitions. */
function elements(results, kind, id) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const element of results.flatMap((result) => result[kind] ?? [])) {
    if (typeof element?.[id] !== "string") continue;
    const known = found.get(element[id]) ?? new Set();
    found.set(element[id], known.add(canonical(element)));
  }
  return Object.fromEntries([...found].map(([name, texts]) => [name, digest([...texts].sort().join("\n"))]));
}

/** JSON with the members of objects in the order of their names: servers may write them in any order. */
const canonical = (value) =>
  JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

const digest = (text) => createHash("sha256").update(text).digest("hex");

/**
 * Reads a lock file.
 * @param {string} path
 * @returns {Digests}
 * @throws {Unreadable} for a file that cannot be read or has another form
 */
function readLock(path) {
  let lock;
  const text = textOf(path);
  try {
    lock = JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`${path}: not JSON: ${error.message}`);
  }
  const isLock = lock?.version === VERSION && isObject(lock.servers) && Object.values(lock.servers).every(isServer);
  if (!isLock) throw new Unreadable(`${path}: expected a file that \`check --lock ${path} --accept\` wrote`);
  return lock.servers;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isServer = (lists) => isObject(lists) && KINDS.every(([kind]) => isObject(lists[kind] ?? {}));

/**
 * @param {Digests} accepted
 * @param {Digests} now
 * @param {Set<string>} missing
 */
function differences(accepted, now, missing) {
  const findings = [];
  const note = (place, message) => findings.push({ code: CODE, place, message });
  for (const [server, lists] of Object.entries(now)) {
    const known = Object.hasOwn(accepted, server) ? accepted[server] : undefined;
    if (known === undefined) {
      note(server, "the server is new");
      continue;
    }
    if (known.instructions !== lists.instructions) note(server, "its `instructions` have changed");
    for (const [kind, one] of KINDS) {
      const [before, after] = [known[kind] ?? {}, lists[kind]];
      for (const [id, value] of Object.entries(after)) {
        if (!Object.hasOwn(before, id)) note(server, `the ${one} \`${id}\` is new`);
        else if (before[id] !== value) note(server, `the ${one} \`${id}\` has changed`);
      }
      for (const id of Object.keys(before)) if (!Object.hasOwn(after, id)) note(server, `the ${one} \`${id}\` is gone`);
    }
  }
  for (const server of Object.keys(accepted))
    if (!Object.hasOwn(now, server) && !missing.has(server)) note(server, "the server is gone");
  return findings;
}
