// @ts-check
// The lock of `check`: what servers say and list, compared with what the operator accepted.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { Unreadable } from "./cli-error.js";
import { differencesOf } from "./definition-difference.js";
import { canonical, definitions } from "./engine.js";
import { parseConfig } from "./input.js";
import { memberOf, treeOf } from "./json-tree.js";
import { KINDS, REST, digestsIn, readLock, writeLock } from "./lock-file.js";

/** The kinds that a list result has under `DECLARED`, as written by `live-server.js`. */
const DECLARED = "dev.mcpsieve/declared";
/** What a server says of itself when a client connects, and the verb of findings about it. */
const ABOUT = [
  ["serverInfo", "has"],
  ["capabilities", "have"],
  ["instructions", "have"],
  ["_meta", "has"],
];
/** Members of list results that say how long they are valid and how they continue. No model reads them. */
const PAGING = new Set(["nextCursor", "resultType", "ttlMs", "cacheScope", DECLARED]);
/** The name of the only server of a file, if its `upstream` has none. */
const ONLY = "upstream";
/** The code of findings. */
const CODE = "not_accepted";

/** @typedef {import("./lock-file.js").Digests} Digests */
/** @typedef {import("./lock-file.js").Lock} Lock */
/**
 * What `gather` returns: the text of the configuration and of the list results of each server, what those that were asked said of
 * themselves, all their list results and the kinds whose list is missing or incomplete, and the servers that could not be listed.
 * @typedef {{ about: string[], pages: string, missing: string[] }} Described
 * @typedef {{
 *   rules: string, servers: string[], lists: string[], described: Map<string, Described>, failures: { server: string }[],
 * }} Gathered
 */
/**
 * A difference between a lock and what servers list. `forms` are the names by which it can be accepted, and `accept` takes it over
 * into a lock.
 * @typedef {{
 *   place: string, message: string, differences?: string[], forms: string[], accept: (into: Lock, now: Lock) => void,
 * }} Change
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
  if (!existsSync(path) && mayCreate) return [];
  const accepted = readLock(path, { mayReplace: mayCreate });
  return changesOf(accepted, lockOf(gathered, accepted), gathered).map(findingOf);
}

const findingOf = (/** @type {Change} */ { place, message, differences }) => ({
  code: CODE,
  place,
  message,
  ...(differences !== undefined && differences.length > 0 && { differences }),
});

/**
 * Writes what servers list into the lock file at `path`, or with `only` the definitions that it names. Servers that could not be
 * listed keep what was accepted of them. Returns the number of servers and of definitions in the file, and what was accepted.
 * @param {string} path
 * @param {Gathered} gathered
 * @param {string[]} [only]
 */
export function acceptInto(path, gathered, only) {
  const before = existsSync(path) ? readLock(path, { mayReplace: true }) : { servers: {}, definitions: {} };
  const now = lockOf(gathered, before);
  const changes = changesOf(before, now, gathered);
  const chosen = only?.flatMap((name) => named(changes, name)) ?? [];
  const lock = only === undefined ? whole(before, now, gathered) : structuredClone(before);
  if (only !== undefined) for (const change of chosen) change.accept(lock, now);
  writeLock(path, lock);
  const count = Object.values(lock.servers).flatMap((lists) =>
    KINDS.flatMap(([kind]) => Object.keys(lists[kind] ?? {})),
  );
  return {
    servers: Object.keys(lock.servers).length,
    definitions: count.length,
    ...(only !== undefined && { differences: chosen.map(findingOf) }),
  };
}

/** The changes of one name. A name of several is refused: each of them may be another matter. */
function named(/** @type {Change[]} */ changes, /** @type {string} */ name) {
  const found = changes.filter(({ forms }) => forms.includes(name));
  if (found.length === 0) {
    const known = changes.map(({ forms }) => `\`${forms.at(-1)}\``);
    const expected = known.length === 0 ? "nothing differs from the lock" : `expected ${known.join(" or ")}`;
    throw new Unreadable(`--only: nothing called \`${name}\` differs from the lock, ${expected}`);
  }
  if (found.length > 1)
    throw new Unreadable(
      `--only: \`${name}\` is the name of several, expected ${found.map(({ forms }) => `\`${forms.at(-1)}\``).join(" or ")}`,
    );
  return found;
}

/** All that servers list now. */
function whole(/** @type {Lock} */ before, /** @type {Lock} */ now, /** @type {Gathered} */ gathered) {
  const missing = missingOf(gathered);
  const kept = (/** @type {Digests} */ all) =>
    Object.fromEntries(Object.entries(all).filter(([server]) => missing.has(server)));
  return {
    servers: { ...kept(before.servers), ...now.servers },
    definitions: { ...kept(before.definitions), ...now.definitions },
  };
}

/** The name of a server, as the gateway looks it up in a lock. The only server of a file has none in `Gathered`. */
const nameOf = (/** @type {string} */ server, /** @type {string} */ rules) =>
  server || parseConfig(rules).upstream?.name || ONLY;
const missingOf = (/** @type {Gathered} */ { rules, failures }) =>
  new Set(failures.map(({ server }) => nameOf(server, rules)));
const ownOf = (/** @type {Record<string, any>} */ all, /** @type {string} */ key) =>
  Object.hasOwn(all, key) ? all[key] : undefined;

/**
 * Returns what servers say and list now. What an incomplete list lacks keeps what was `accepted` of it.
 * @param {Gathered} gathered
 * @param {Lock} accepted
 * @returns {Lock}
 */
function lockOf({ rules, servers, lists, described }, accepted) {
  /** @type {Lock} */
  const lock = { servers: {}, definitions: {} };
  for (const [at, server] of servers.entries()) {
    const name = nameOf(server, rules);
    const { about, pages = lists[at], missing = [] } = described.get(server) ?? {};
    const before = ownOf(accepted.servers, name) ?? {};
    const texts = listedTexts(definitions(rules, server, pages));
    const digests = Object.fromEntries(
      KINDS.map(([kind]) => [
        kind,
        Object.fromEntries(Object.entries(texts[kind]).map(([id, all]) => [id, entryOf(all)])),
      ]),
    );
    const now = { ...digests, [REST]: restOf(pages) };
    const known = ownOf(accepted.definitions, name) ?? {};
    for (const kind of missing) {
      if (!(kind in now)) continue;
      now[kind] = { ...before[kind], ...now[kind] };
      texts[kind] = { ...known[kind], ...texts[kind] };
      now[REST][kind] ??= before[REST]?.[kind];
    }
    // Lists in files do not have what their server says of itself.
    const said = about ? introduction(about) : Object.fromEntries(ABOUT.map(([key]) => [key, before[key]]));
    lock.servers[name] = { ...said, ...now };
    lock.definitions[name] = texts;
  }
  return lock;
}

/** The canonical texts of definitions by kind and name, each text once. A server may list several under one name. */
function listedTexts(/** @type {string} */ found) {
  return Object.fromEntries(
    Object.entries(JSON.parse(found)).map(([kind, all]) => {
      /** @type {Map<string, Set<string>>} */
      const texts = new Map();
      for (const [name, text] of all) texts.set(name, (texts.get(name) ?? new Set()).add(text));
      return [kind, Object.fromEntries([...texts].map(([name, one]) => [name, [...one].sort()]))];
    }),
  );
}

/** The digests of definitions of one name: a text for one, an array for several. */
function entryOf(/** @type {string[]} */ texts) {
  const digests = texts.map(digest);
  return digests.length === 1 ? digests[0] : digests;
}

/** The digests of what a server says of itself. Several texts are of several revisions of the protocol. */
function introduction(/** @type {string[]} */ texts) {
  const results = texts.map(treeOf);
  return Object.fromEntries(
    ABOUT.map(([name]) => [name, allOf(results.flatMap((result) => memberOf(result, name)?.text ?? []))]),
  );
}

/** The digests of the members of list results, such as `_meta`, by the kind of the list. */
function restOf(/** @type {string} */ text) {
  const given = treeOf(text);
  const results = (given.elements ?? [given]).map((result) => memberOf(result, "result") ?? result);
  /** @type {Record<string, string | undefined>} */
  const rests = {};
  for (const [kind] of KINDS) {
    const lists = results.filter((result) => memberOf(result, kind) !== undefined);
    const rest = lists.map(({ members = [] }) => members.filter(([name]) => name !== kind && !PAGING.has(name)));
    rests[kind] = allOf(
      rest
        .filter((some) => some.length > 0)
        .map((members) => `{${members.map(([key, { text }]) => `${JSON.stringify(key)}:${text}`).join(",")}}`),
    );
  }
  return rests;
}

/** One digest of values, in any order and number; `undefined` without values. */
function allOf(/** @type {string[]} */ all) {
  const texts = new Set(all.map((text) => canonical(text)));
  return texts.size === 0 ? undefined : digest([...texts].sort().join("\n"));
}

const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");

/**
 * Returns the differences between what was accepted and what servers list now.
 * @param {Lock} accepted
 * @param {Lock} now
 * @param {Gathered} gathered
 * @returns {Change[]}
 */
function changesOf(accepted, now, gathered) {
  const missing = missingOf(gathered);
  const gone = Object.keys(accepted.servers)
    .filter((server) => !Object.hasOwn(now.servers, server) && !missing.has(server))
    .map((server) => serverChange(server, "the server is gone"));
  const changed = Object.entries(now.servers).flatMap(([server, lists]) => {
    const known = ownOf(accepted.servers, server);
    if (known === undefined) return [serverChange(server, "the server is new")];
    return [
      ...aboutChanges(server, known, lists),
      ...KINDS.flatMap((kind) => kindChanges(server, kind, { accepted, now })),
    ];
  });
  return [...changed, ...gone];
}

/** @returns {Change} */
function serverChange(/** @type {string} */ server, /** @type {string} */ message) {
  const accept = (/** @type {Lock} */ into, /** @type {Lock} */ now) => {
    put(into.servers, server, ownOf(now.servers, server));
    put(into.definitions, server, ownOf(now.definitions, server));
  };
  return { place: server, message, forms: [server], accept };
}

/** The differences of what a server says of itself, and of its lists beside their elements. */
function aboutChanges(/** @type {string} */ server, /** @type {any} */ known, /** @type {any} */ lists) {
  const said = ABOUT.filter(([name]) => lists[name] !== undefined || known[name] !== undefined)
    .filter(([name]) => known[name] !== lists[name])
    .map(([name, verb]) => ({
      place: server,
      message: `its \`${name}\` ${verb} changed`,
      forms: [name, `${server}/${name}`],
      accept: (/** @type {Lock} */ into, /** @type {Lock} */ now) =>
        put(into.servers[server], name, now.servers[server][name]),
    }));
  const rest = KINDS.filter(([kind]) => known[REST]?.[kind] !== lists[REST][kind]).map(([kind]) => ({
    place: server,
    message: `what its list of \`${kind}\` says beside its elements, such as \`_meta\`, has changed`,
    forms: [`${server}/${REST}/${kind}`],
    accept: (/** @type {Lock} */ into, /** @type {Lock} */ now) => {
      into.servers[server][REST] ??= {};
      put(into.servers[server][REST], kind, now.servers[server][REST][kind]);
    },
  }));
  return [...said, ...rest];
}

/**
 * The differences of the elements of one kind.
 * @param {string} server
 * @param {string[]} kind
 * @param {{ accepted: Lock, now: Lock }} locks
 */
function kindChanges(server, [kind, one], { accepted, now }) {
  const [before, after] = [accepted.servers[server][kind] ?? {}, now.servers[server][kind]];
  const texts = (/** @type {Lock} */ lock, /** @type {string} */ id) =>
    ownOf(ownOf(lock.definitions, server)?.[kind] ?? {}, id) ?? [];
  /** @returns {Change} */
  const change = (/** @type {string} */ id, /** @type {string} */ end) => ({
    place: server,
    message: `the ${one} \`${id}\` ${end}`,
    differences: differencesOf(texts(accepted, id), texts(now, id)),
    forms: [id, `${one}/${id}`, `${server}/${id}`, `${server}/${one}/${id}`],
    accept: (into, from) => {
      for (const part of [into.servers, into.definitions]) {
        part[server] ??= {};
        part[server][kind] ??= {};
      }
      put(into.servers[server][kind], id, ownOf(from.servers[server][kind], id));
      put(into.definitions[server][kind], id, ownOf(from.definitions[server][kind], id));
    },
  });
  const isKnown = (/** @type {string} */ id) => {
    const known = digestsIn(before[id]);
    // A lock of version 2 has one digest for all definitions of a name.
    const joined = texts(now, id).length > 1 ? [digest(texts(now, id).join("\n"))] : [];
    return digestsIn(after[id]).every((one) => known.includes(one)) || joined.some((one) => known.includes(one));
  };
  const ids = Object.keys(after);
  return [
    ...ids
      .filter((id) => !Object.hasOwn(before, id) || !isKnown(id))
      .map((id) => change(id, Object.hasOwn(before, id) ? "has changed" : "is new")),
    ...Object.keys(before)
      .filter((id) => !Object.hasOwn(after, id))
      .map((id) => change(id, "is gone")),
  ];
}

/** Sets a member of an object, or removes it. */
function put(/** @type {Record<string, any>} */ object, /** @type {string} */ key, /** @type {any} */ value) {
  if (value === undefined) delete object[key];
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
