// @ts-check
// The servers of several files as one list, each with a name of its own.
import { isDeepStrictEqual } from "node:util";
import { upstreamOf } from "./servers.js";
import { Variables } from "./variables.js";

/** Maximum length of a prefix, as in the engine (`crates/gateway/src/config/upstream.rs`). */
const MAX_PREFIX = 64;

/**
 * Returns the `upstreams` of all files, the `variables` that they refer to, and for each file what was `taken`,
 * `{ name, as, entry, notes }`, and what was `left`, `{ name, reason }`. `entry` identifies what the file says of the server.
 * `signIns` are the names of the servers that sign users in.
 * @param {ReturnType<typeof import("./host-files.js").readHostFile>[]} files
 * @param {Map<string, string>} [failed] the reasons for which servers are left out, by their `entry`
 * @param {Set<string>} [guarded] the `entry` of each server that signs users in
 */
export function collect(files, failed = new Map(), guarded = new Set()) {
  const variables = new Variables(files.map(({ servers }) => servers));
  /** @type {Map<string, { upstream: Record<string, any>, entry: string }>} */
  const known = new Map();
  const reports = files.map(({ path, servers, workspace }) => {
    const [taken, left] = [[], []];
    for (const [name, entry] of Object.entries(servers)) {
      const text = textOf(entry, { path, workspace });
      if (failed.has(text)) {
        left.push({ name, reason: failed.get(text) });
        continue;
      }
      const as = nameFor(name, text, known);
      const { upstream, left: reason, notes = [] } = upstreamOf(entry, { name: as, path, workspace }, variables);
      if (upstream === undefined) {
        left.push({ name, reason });
        continue;
      }
      if (known.has(as)) notes.push("is the same in another file, and imported once");
      else known.set(as, { upstream: guarded.has(text) ? { ...upstream, auth: "user" } : upstream, entry: text });
      taken.push({ name, as, entry: text, notes });
    }
    return { path, taken, left };
  });
  const upstreams = [...known.values()].map(({ upstream }) => upstream);
  return {
    upstreams: upstreams.length > 1 ? withPrefixes(upstreams) : upstreams,
    variables: variables.all,
    reports,
    signIns: upstreams.filter(({ auth }) => auth !== undefined).map(({ name }) => name),
  };
}

/** An entry as text, which differs between files if it means something else in each. */
function textOf(entry, { path, workspace }) {
  const text = JSON.stringify(entry);
  const meant = [
    ...(text.includes("${input:") ? [path] : []),
    ...(text.includes("${workspaceFolder") ? [workspace] : []),
  ];
  return [text, ...meant].join("\n");
}

/** The name for a server: its own, or with a number if another server has it. */
function nameFor(name, entry, known) {
  let free = name || "server";
  for (let number = 2; known.has(free) && known.get(free)?.entry !== entry; number += 1) free = `${name}-${number}`;
  return free;
}

/** Whether the servers of a configuration include these, whatever else it says of them. */
export function includes({ upstream, upstreams = [] }, wanted) {
  const places = ({ name, command, env, cwd, url, headers }) => ({ name, command, env, cwd, url, headers });
  const known = [upstream, ...upstreams].filter(Boolean).map(places);
  return wanted.every((server) => known.some((one) => isDeepStrictEqual(one, places(server))));
}

/**
 * Hosts keep the tools of their servers apart: with a prefix of its own for each, none is left out because another server has
 * its name.
 */
function withPrefixes(upstreams) {
  const used = new Set();
  return upstreams.map(({ name, ...upstream }) => {
    const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "server";
    let prefix;
    for (let number = 1; prefix === undefined || used.has(prefix); number += 1) {
      const end = number === 1 ? "_" : `-${number}_`;
      prefix = plain.slice(end.length - MAX_PREFIX) + end;
    }
    used.add(prefix);
    return { name, prefix, ...upstream };
  });
}
