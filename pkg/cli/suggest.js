// What a catalog seems to be about: groups and tags to begin with, read off names, annotations and servers.
import { anyOf, matchable, patternOf } from "./match.js";

/** Words that say what is done rather than to what. */
const VERBS = new Set("add apply approve archive assign attach book build call cancel check clear clone close commit compare connect convert copy count create delete deploy describe diff disable download drop edit enable execute export extract fetch find fork generate get grant import insert inspect install invite invoke join kill launch leave list load lock lookup make mark merge modify move navigate open parse patch ping post preview print publish pull push put query read rebase refresh remove rename render reopen replace reply reset resolve restart restore resume retrieve revert revoke run save scan schedule search select send set share show sign start stop submit subscribe summarize sync test toggle transfer trigger unassign uninstall unlock unsubscribe update upload upsert validate verify view wait watch write zip".split(" "));
const SMALL = new Set("a all an and as at by for from in into is it me my new of on or the to with".split(" "));
const READS = new Set("check compare count describe diff fetch find get inspect list load lookup preview query read retrieve search show summarize view".split(" "));
const DESTROYS = new Set("clear delete destroy drop kill purge remove revoke uninstall wipe".split(" "));
/** A group of fewer is none. */
const LEAST = 2;
const MOST_GROUPS = 24;
/** Longest word, and longest title of a server, in characters, that a suggestion repeats. */
const LONGEST = 64;

/**
 * `{ groups: [{name, description}], tags: [{name, description}], rules: [{match, groups?, tags?, why}] }` for what
 * each server lists: `[{ server, primitives: { tools, resources, … } }]`.
 */
export function suggest(sources) {
  const tools = sources.flatMap(({ primitives }) => primitives.tools);
  const drafts = [...byServer(sources), ...byName(tools), ...byScheme(sources)];
  const groups = [...new Map(drafts.map((draft) => [draft.name, draft])).values()].slice(0, MOST_GROUPS);
  const tags = byHint(tools);
  return {
    groups: groups.map(({ name, about }) => ({ name, description: about })),
    tags: tags.map(({ name, about }) => ({ name, description: about })),
    rules: [
      ...groups.flatMap(({ name, matches, why }) => matches.map((match) => ({ match, groups: [name], why }))),
      ...tags.flatMap(({ name, matches, why }) => matches.map((match) => ({ match, tags: [name], why }))),
    ],
  };
}

/** Several servers are several groups. */
function byServer(sources) {
  if (sources.length < 2) return [];
  return sources.map(({ server, title = server }) => ({ name: server, matches: [`server:${server}`], about: `What ${[...title].slice(0, LONGEST).join("")} offers.`, why: "one server each" }));
}

/** Tools that begin with one word, or are about one thing. */
function byName(tools) {
  const names = namesOf(tools);
  const split = new Map(names.map((name) => [name, wordsOf(name)]));
  const drafts = new Map();
  const put = (subject, name) => drafts.set(subject, [...(drafts.get(subject) ?? []), name]);
  const common = shared([...split.values()].map((words) => words[0]));
  for (const [name, words] of split) {
    // A word before all names says nothing; one before several, that is no verb, is what their author groups by.
    const rest = common === undefined ? words : words.slice(1);
    const subject = rest.find((word) => !VERBS.has(word) && !SMALL.has(word));
    if (subject !== undefined) put(singular(subject), name);
  }
  const kept = [...drafts].filter(([, members]) => members.length >= LEAST && members.length < names.length);
  return kept.map(([subject, members]) => {
    const pattern = patternOf(subject, members, names);
    const { matches, left } = pattern === undefined ? exactly(members) : { matches: [`kind:tool name:${pattern}`], left: "" };
    return { name: plural(subject), matches, about: `Tools for ${plural(subject)}.`, why: `names with \`${subject}\`${left}` };
  });
}

/** The names of tools, each once. The engine leaves out a tool whose name is no text, such as half a surrogate pair. */
const namesOf = (tools) => [...new Set(tools.map(({ name }) => name).filter((name) => typeof name === "string" && name !== "" && !/\p{Surrogate}/u.test(name)))];

/** Conditions for these tools and no others, and what the file says of those that no condition can name. */
function exactly(names) {
  const able = names.filter(matchable);
  const count = names.length - able.length;
  return { matches: anyOf("name", able).map((names) => `kind:tool ${names}`), left: count === 0 ? "" : `; without ${count} whose ${count === 1 ? "name is" : "names are"} too long for a rule` };
}

/** Resources of one scheme among several. */
function byScheme(sources) {
  const uris = sources.flatMap(({ primitives: { resources, resourceTemplates } }) => [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)]);
  const schemes = new Map();
  for (const uri of uris) {
    const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri ?? "") ?? [];
    if (scheme?.length <= LONGEST) schemes.set(scheme, (schemes.get(scheme) ?? 0) + 1);
  }
  if (schemes.size < 2) return [];
  return [...schemes].filter(([, count]) => count >= LEAST)
    .map(([scheme]) => ({ name: `${scheme}-resources`, matches: [`uri:${scheme}://*`], about: `Resources at ${scheme}: addresses.`, why: `addresses with \`${scheme}:\`` }));
}

const HINTS = [
  ["read-only", "readOnlyHint", READS, "Changes nothing."],
  ["destructive", "destructiveHint", DESTROYS, "May destroy something."],
  ["open-world", "openWorldHint", new Set(), "Reaches beyond this system."],
];

/** What tools say of themselves; where none does, what their verbs say. */
function byHint(tools) {
  const said = tools.some(({ annotations }) => HINTS.some(([, hint]) => typeof annotations?.[hint] === "boolean"));
  return HINTS.flatMap(([name, hint, verbs, about]) => {
    if (said) {
      const count = tools.filter(({ annotations }) => annotations?.[hint] === true).length;
      return count === 0 ? [] : [{ name, matches: [`kind:tool annotation.${hint}=true`], about, why: `${count} of ${tools.length} tools say so` }];
    }
    const members = namesOf(tools).filter((tool) => wordsOf(tool).some((word) => verbs.has(word)));
    const { matches, left } = exactly(members);
    return matches.length === 0 ? [] : [{ name, matches, about, why: `a guess by their verbs: no tool says what it does${left}` }];
  });
}

/** `create_issueComment` as `create`, `issue`, `comment`. */
const wordsOf = (name) => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== "" && word.length <= LONGEST);
const singular = (word) => (word.endsWith("ies") ? `${word.slice(0, -3)}y` : /(?:[^aiosu]s|oses)$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);
const plural = (word) => (/[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`);
/** The word that all have, if they are several. */
const shared = (words) => (words.length > 1 && words.every((word) => word === words[0]) ? words[0] : undefined);
