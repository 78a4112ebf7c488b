// @ts-check
// The suggestions of `init`: groups, tags and rules, read off servers, names and annotations.
import { conditions, matchable, patternsOf, scoped } from "./conditions.js";
import { isPlural, split, topicsOf } from "./topics.js";

const READS = new Set(
  "check compare count describe diff fetch find get inspect list load lookup preview query read retrieve search show summarize view".split(
    " ",
  ),
);
const WRITES = new Set(
  "add apply create delete edit insert move put remove rename replace set update write".split(" "),
);
const DESTROYS = new Set("clear delete destroy drop kill purge remove revoke uninstall wipe".split(" "));
/** Maximum number of suggested groups. Each of several servers gets a group, and they share the rest. */
const MAX_GROUPS = 64;
/** Minimum number of URIs of one scheme that become a group. */
const MIN_URIS = 2;
/** Maximum length, in characters, of a scheme that becomes a group, and of the title of a server. Longer titles are cut. */
const MAX_LENGTH = 64;

/**
 * Returns `{ groups: [{name, title?, description?, parent?}], tags: [{name, description}], rules: [{match, groups?, tags?,
 * hide?, why, tools?}] }` for what each server lists: `[{ server, title, primitives: { tools, resources, … } }]`. `tools`
 * are the names that a rule puts into groups, where a rule does so by name. With `several` servers, each gets a group.
 */
export function suggest(sources, several = sources.length > 1) {
  const servers = several ? sources.map(groupOf) : [];
  const parts = shared(
    sources.map((source) => [...topics(source, several), ...schemes(source, several)]),
    MAX_GROUPS - servers.length,
  );
  const groups = parts.flatMap((part, at) => [...servers.slice(at, at + 1), ...part]);
  const tags = [...annotated(sources), ...guessed(sources)];
  const declared = new Map(tags.map(({ name, description }) => [name, { name, description }]));
  return {
    groups: groups.map(({ group }) => group),
    tags: [...declared.values()],
    rules: [
      ...hidden(sources),
      ...groups.flatMap(({ group, matches, why, tools }) =>
        matches.map((match) => ({ match, groups: [group.name], why, tools })),
      ),
      ...tags.flatMap(({ name, matches, why }) => matches.map((match) => ({ match, tags: [name], why }))),
    ],
  };
}

/** Returns the group of a server, if there are several. */
function groupOf({ server, title = server }) {
  const shown = [...title].slice(0, MAX_LENGTH).join("");
  const group = {
    name: server,
    title: shown === server ? undefined : shown,
    description: `Everything that ${server} offers.`,
  };
  return { group, matches: [scoped({ server })] };
}

/** Returns groups of a server's tools by topic. With several servers, they are below the group of their server. */
function topics({ server, primitives }, several) {
  const names = namesOf(primitives.tools);
  return topicsOf(names, server, primitives.tools.flatMap(ownGroups)).map(({ name, words, members }) => {
    const { patterns, values } = patternsOf(words, members, names);
    const named = values.filter(matchable);
    const subject = name.replaceAll("-", " ");
    const description = isPlural(name) ? `Tools about ${subject}.` : undefined;
    const matches = conditions({ server: several ? server : undefined, kind: "tool" }, "name", named, patterns);
    const tools = members
      .filter((member) => named.includes(member) || !values.includes(member))
      .map((member) => [server, member]);
    return {
      group: below(server, several, { name, description }),
      matches,
      why: values.length === 0 ? undefined : `names with \`${subject}\`${without(values)}`,
      tools,
    };
  });
}

/** Returns groups of a server's resources by scheme, if it has several. */
function schemes({ server, primitives: { resources, resourceTemplates } }, several) {
  const uris = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
  const counts = new Map();
  for (const uri of uris) {
    const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri ?? "") ?? [];
    if (scheme?.length <= MAX_LENGTH) counts.set(scheme, (counts.get(scheme) ?? 0) + 1);
  }
  if (counts.size < 2) return [];
  return [...counts]
    .filter(([, count]) => count >= MIN_URIS)
    .map(([scheme]) => ({
      group: below(server, several, {
        name: `${scheme}-resources`,
        description: `Resources with ${scheme}: addresses.`,
      }),
      matches: conditions({ server: several ? server : undefined }, "uri", [], [`${scheme}://*`]),
    }));
}

const below = (server, several, group) =>
  several ? { ...group, name: `${server}/${group.name}`, parent: server } : group;

/** Keeps at most `room` groups: the first of each server, then the second of each, and so on. */
function shared(parts, room) {
  const kept = parts.map(() => 0);
  for (let rank = 0, left = room; left > 0; rank += 1) {
    const next = parts.map((groups, at) => [at, groups[rank]]).filter(([, group]) => group !== undefined);
    if (next.length === 0) break;
    // The last round has room for some only: for the largest.
    const size = ([, { tools = [] }]) => tools.length;
    for (const [at] of next.sort((a, b) => size(b) - size(a)).slice(0, left)) kept[at] += 1;
    left -= next.length;
  }
  return parts.map((groups, at) => groups.slice(0, kept[at]));
}

/** Returns rules that hide resources whose URI an earlier server lists: unlike a name, a URI gets no prefix. */
function hidden(sources) {
  return [
    ["resources", "uri", "resource"],
    ["resourceTemplates", "uriTemplate", "template"],
  ].flatMap(([list, id, kind]) => {
    const met = new Set();
    return sources.flatMap(({ server, primitives }) => {
      const own = [...new Set(primitives[list].map((primitive) => primitive[id]))].filter(
        (uri) => typeof uri === "string",
      );
      const again = own.filter((uri) => met.has(uri));
      for (const uri of own) met.add(uri);
      return conditions({ server, kind }, "uri", again.filter(matchable)).map((match) => ({
        match,
        hide: true,
        why: `another server lists ${again.length === 1 ? "this address" : "these addresses"} first`,
      }));
    });
  });
}

const HINTS = [
  ["read-only", "readOnlyHint", "Changes nothing, as its server states."],
  ["destructive", "destructiveHint", "May destroy something."],
  ["open-world", "openWorldHint", "Reaches beyond its own system, as its server states."],
];

/** Returns whether a server annotates its tools. */
const annotates = ({ primitives: { tools } }) =>
  tools.some(({ annotations }) => HINTS.some(([, hint]) => typeof annotations?.[hint] === "boolean"));

/** Returns tags by the annotations of tools. */
function annotated(sources) {
  const tools = sources.flatMap(({ primitives }) => primitives.tools);
  return HINTS.flatMap(([name, hint, description]) => {
    const count = tools.filter(({ annotations }) => annotations?.[hint] === true).length;
    return count === 0
      ? []
      : [
          {
            name,
            description,
            matches: [`kind:tool annotation.${hint}=true`],
            why: `${count} of ${tools.length} tools say so`,
          },
        ];
  });
}

/** Returns tags by the verbs of tools, for servers that annotate none. */
function guessed(sources) {
  const silent = sources.filter((source) => !annotates(source));
  const outside = sources.filter(annotates).map(({ server }) => server);
  const names = namesOf(silent.flatMap(({ primitives }) => primitives.tools));
  const [reads, destroys] = [new Set(), new Set()];
  for (const { primitives } of silent) {
    const { split: parts, isVerb } = split(namesOf(primitives.tools));
    for (const [name, words] of parts) {
      const verb = words.find(isVerb);
      if (words.some((word) => DESTROYS.has(word))) destroys.add(name);
      else if (READS.has(verb) && !words.some((word) => WRITES.has(word))) reads.add(name);
    }
  }
  return [
    ["reads", "Reads only, judging by its name.", READS, reads],
    ["destructive", "May destroy something.", DESTROYS, destroys],
  ].flatMap(([name, description, verbs, members]) => {
    const { patterns, values } = patternsOf([...verbs], [...members], names);
    const matches = conditions({ kind: "tool", outside }, "name", values.filter(matchable), patterns);
    return matches.length === 0
      ? []
      : [
          {
            name,
            description,
            matches,
            why: `a guess from names, since the servers do not annotate these tools${without(values)}`,
          },
        ];
  });
}

/** The groups that a server puts a tool into. @type {(tool: any) => string[]} */
export const ownGroups = ({ groups, _meta }) =>
  [groups, _meta?.["dev.mcpsieve/groups"]].flat().filter((name) => typeof name === "string");

/** Returns the names of tools, each once. A tool whose name is not valid Unicode text is left out, as in the engine. */
export const namesOf = (tools) => [
  ...new Set(
    tools
      .map(({ name }) => name)
      .filter((name) => typeof name === "string" && name !== "" && !/\p{Surrogate}/u.test(name)),
  ),
];

/** Returns the part of a comment about names that are too long for a condition. */
function without(names) {
  const count = names.filter((name) => !matchable(name)).length;
  return count === 0 ? "" : `; without ${count} whose ${count === 1 ? "name is" : "names are"} too long for a rule`;
}
