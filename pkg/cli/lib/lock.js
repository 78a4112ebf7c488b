// @ts-check
// The lock file of `check`: digests of what servers said and listed when the operator accepted it.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { Unreadable, output, textOf } from "./input.js";
import { canonical, memberOf, stringOf, treeOf } from "./json-tree.js";

/** Version of the file's format. Version 1 had no digests of declarations, of `ABOUT` but instructions, and of the rest of lists. */
const VERSION = 2;
/** The lists, what one element is called, and the member that identifies it. */
const KINDS = [
  ["tools", "tool", "name"],
  ["resources", "resource", "uri"],
  ["resourceTemplates", "template", "uriTemplate"],
  ["prompts", "prompt", "name"],
  ["skills", "skill", "uri"],
  ["groups", "group", "name"],
  ["tags", "tag", "name"],
  ["concerns", "concern", "name"],
];
/** The kinds that a list result has under `DECLARED`, as written by `live-server.js`. */
const DECLARED = "dev.mcpsieve/declared";
const FACETS = ["groups", "tags", "concerns"];
/** What a server says of itself when a client connects, and the verb of findings about it. */
const ABOUT = [
  ["serverInfo", "has"],
  ["capabilities", "have"],
  ["instructions", "have"],
  ["_meta", "has"],
];
/** Where the digests of the members of list results beside their elements stand. */
const REST = "rest";
/** Members of list results that say how long they are valid and how they continue. No model reads them. */
const PAGING = new Set(["nextCursor", "resultType", "ttlMs", "cacheScope", DECLARED]);
/** The name under which the only server of a file stands, which has none there. */
const ONLY = "upstream";
/** The code of findings. */
const CODE = "not_accepted";

/**
 * What servers said and listed, as digests: for each server what it says of itself, if it was asked, for each kind the digest of
 * each element by its id, and the digests of the rest of its lists.
 * @typedef {Record<string, Record<string, any>>} Digests
 */

/**
 * What `gather` returns: the text of the list results of each server, what those that were asked said of themselves, all their list
 * results and the kinds whose list is missing or incomplete, and the servers that could not be listed.
 * @typedef {{ about: string[], pages: string, missing: string[] }} Described
 * @typedef {{
 *   servers: string[], lists: string[], described: Map<string, Described>, failures: { server: string }[],
 * }} Gathered
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
  if (existsSync(path)) return differences(readLock(path, { mayReplace: mayCreate }), gathered);
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
  const before = existsSync(path) ? readLock(path, { mayReplace: true }) : {};
  const kept = Object.entries(before).filter(([server]) => missing.has(server));
  const now = Object.entries(digestsOf(gathered, before)).map(([server, digests]) => [
    server,
    // Lists in files do not have what their server says of itself.
    { ...Object.fromEntries(ABOUT.map(([name]) => [name, before[server]?.[name]])), ...digests },
  ]);
  const servers = Object.fromEntries([...kept, ...now]);
  // The order of members is fixed, so that version control shows what changed.
  const ordered = canonical(treeOf(JSON.stringify({ version: VERSION, servers })));
  output(path, `${JSON.stringify(JSON.parse(ordered), null, 2)}\n`);
  const definitions = Object.values(servers).flatMap((lists) =>
    KINDS.flatMap(([kind]) => Object.keys(lists[kind] ?? {})),
  );
  return { servers: Object.keys(servers).length, definitions: definitions.length };
}

const missingOf = (/** @type {Gathered} */ { failures }) => new Set(failures.map(({ server }) => server || ONLY));

/**
 * Returns the digests of what servers say and list now. What an incomplete list lacks keeps what was `accepted` of it.
 * @param {Gathered} gathered
 * @param {Digests} accepted
 * @returns {Digests}
 */
function digestsOf({ servers, lists, described }, accepted) {
  return Object.fromEntries(
    servers.map((server, at) => {
      const name = server || ONLY;
      const { about, pages = lists[at], missing = [] } = described.get(server) ?? {};
      const [before, now] = [Object.hasOwn(accepted, name) ? accepted[name] : {}, definitions(pages)];
      for (const kind of missing) {
        now[kind] = { ...before[kind], ...now[kind] };
        now[REST][kind] ??= before[REST]?.[kind];
      }
      return [name, { ...(about && introduction(about)), ...now }];
    }),
  );
}

/** The digests of what a server says of itself. Several texts are of several revisions of the protocol. */
function introduction(/** @type {string[]} */ texts) {
  const results = texts.map(treeOf);
  return Object.fromEntries(
    ABOUT.map(([name]) => [name, allOf(results.flatMap((result) => memberOf(result, name) ?? []))]),
  );
}

/**
 * The digests of the list results in `text`, one or an array of them.
 * @param {string} text
 * @returns {Record<string, any>}
 */
function definitions(text) {
  const given = treeOf(text);
  const results = (given.elements ?? [given]).map((result) => memberOf(result, "result") ?? result);
  const declared = results.flatMap((result) => memberOf(result, DECLARED) ?? []);
  const found = KINDS.map(([kind, , id]) => {
    const all = FACETS.includes(kind)
      ? declared.map((facets) => memberOf(memberOf(facets, kind), "items"))
      : results.map((result) => memberOf(result, kind));
    return [
      kind,
      elements(
        all.flatMap((list) => list?.elements ?? []),
        id,
      ),
    ];
  });
  return { ...Object.fromEntries(found), [REST]: restOf(results) };
}

/** The digests of elements by their ids. A server that lists an id twice has one digest for both definitions. */
function elements(/** @type {import("./json-tree.js").Tree[]} */ all, /** @type {string} */ id) {
  /** @type {Map<string, any[]>} */
  const found = new Map();
  for (const element of all) {
    const name = stringOf(memberOf(element, id));
    if (name === undefined) continue;
    const known = found.get(name);
    if (known) known.push(element);
    else found.set(name, [element]);
  }
  return Object.fromEntries([...found].map(([name, trees]) => [name, allOf(trees)]));
}

/** The digests of the members of list results, such as `_meta`, by the kind of the list. */
function restOf(/** @type {import("./json-tree.js").Tree[]} */ results) {
  /** @type {Record<string, string | undefined>} */
  const rests = {};
  for (const [kind] of KINDS) {
    const lists = results.filter((result) => memberOf(result, kind) !== undefined);
    const rest = lists.map(({ members = [] }) => members.filter(([name]) => name !== kind && !PAGING.has(name)));
    rests[kind] = allOf(rest.filter((some) => some.length > 0).map((members) => ({ text: "", members })));
  }
  return rests;
}

/** One digest of values, in any order and number; `undefined` without values. */
function allOf(/** @type {import("./json-tree.js").Tree[]} */ trees) {
  const texts = new Set(trees.map(canonical));
  return texts.size === 0 ? undefined : digest([...texts].sort().join("\n"));
}

const digest = (text) => createHash("sha256").update(text).digest("hex");

/**
 * Reads a lock file. One of version 1 is refused or, if it may be replaced, counts as one in which nothing was accepted.
 * @param {string} path
 * @param {{ mayReplace?: boolean }} options
 * @returns {Digests}
 * @throws {Unreadable} for a file that cannot be read or has another form
 */
function readLock(path, { mayReplace }) {
  let lock;
  const text = textOf(path);
  try {
    lock = JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`${path}: not JSON: ${error.message}`);
  }
  if (lock?.version === 1 && isObject(lock.servers)) {
    if (mayReplace) return {};
    throw new Unreadable(
      `${path}: version 1 of this file lacks digests of declarations, \`serverInfo\` and \`capabilities\`: read what the servers list, then accept it again with --accept`,
    );
  }
  const isLock = lock?.version === VERSION && isObject(lock.servers) && Object.values(lock.servers).every(isServer);
  if (!isLock) throw new Unreadable(`${path}: expected a file that \`check --lock ${path} --accept\` wrote`);
  return lock.servers;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isServer = (lists) => isObject(lists) && [...KINDS, [REST]].every(([kind]) => isObject(lists[kind] ?? {}));

/**
 * @param {Digests} accepted
 * @param {Gathered} gathered
 */
function differences(accepted, gathered) {
  const [now, missing] = [digestsOf(gathered, accepted), missingOf(gathered)];
  const findings = [];
  const note = (place, message) => findings.push({ code: CODE, place, message });
  for (const [server, lists] of Object.entries(now)) {
    const known = Object.hasOwn(accepted, server) ? accepted[server] : undefined;
    if (known === undefined) {
      note(server, "the server is new");
      continue;
    }
    for (const [name, verb] of ABOUT)
      if (Object.hasOwn(lists, name) && known[name] !== lists[name]) note(server, `its \`${name}\` ${verb} changed`);
    for (const [kind] of KINDS)
      if (known[REST]?.[kind] !== lists[REST][kind])
        note(server, `what its list of \`${kind}\` says beside its elements, such as \`_meta\`, has changed`);
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
