// What a catalog seems to be about: groups and tags to begin with, read off names, annotations and servers.

/** Words that say what is done rather than to what. */
const VERBS = new Set("add apply approve archive assign attach book build call cancel check clear clone close commit compare connect convert copy count create delete deploy describe diff disable download drop edit enable execute export extract fetch find fork generate get grant import insert inspect install invite invoke join kill launch leave list load lock lookup make mark merge modify move navigate open parse patch ping post preview print publish pull push put query read rebase refresh remove rename render reopen replace reply reset resolve restart restore resume retrieve revert revoke run save scan schedule search select send set share show sign start stop submit subscribe summarize sync test toggle transfer trigger unassign uninstall unlock unsubscribe update upload upsert validate verify view wait watch write zip".split(" "));
const SMALL = new Set("a all an and as at by for from in into is it me my new of on or the to with".split(" "));
const READS = new Set("check compare count describe diff fetch find get inspect list load lookup preview query read retrieve search show summarize view".split(" "));
const DESTROYS = new Set("clear delete destroy drop kill purge remove revoke uninstall wipe".split(" "));
/** A group of fewer is none. */
const LEAST = 2;
const MOST_GROUPS = 24;

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
      ...groups.map(({ name, match, why }) => ({ match, groups: [name], why })),
      ...tags.map(({ name, match, why }) => ({ match, tags: [name], why })),
    ],
  };
}

/** Several servers are several groups. */
function byServer(sources) {
  if (sources.length < 2) return [];
  return sources.map(({ server, title }) => ({ name: server, match: `server:${server}`, about: `What ${title ?? server} offers.`, why: "one server each" }));
}

/** Tools that begin with one word, or are about one thing. */
function byName(tools) {
  const names = tools.map(({ name }) => name).filter((name) => typeof name === "string" && name !== "");
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
    const match = matching(subject, members, names);
    return { name: plural(subject), match: `kind:tool ${match}`, about: `Tools for ${plural(subject)}.`, why: `names with \`${subject}\`` };
  });
}

/** The shortest condition that holds for these names and no other. */
function matching(subject, members, names) {
  for (const pattern of [`${subject}*`, `*_${subject}*`, `*-${subject}*`, `*${subject}*`]) {
    const like = new RegExp(`^${pattern.replaceAll(/[.\\^$+?()[\]{}|]/g, "\\$&").replaceAll("*", ".*")}$`);
    const found = names.filter((name) => like.test(name));
    if (found.length === members.length && found.every((name) => members.includes(name))) return `name:${pattern}`;
  }
  return anyOf("name", members);
}

const anyOf = (field, values) => (values.length === 1 ? `${field}:${quoted(values[0])}` : `(${values.map((value) => `${field}:${quoted(value)}`).join(" or ")})`);
/** As the expression language has it: `*` and `?` would be patterns. */
const quoted = (value) => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value));

/** Resources of one scheme among several. */
function byScheme(sources) {
  const uris = sources.flatMap(({ primitives: { resources, resourceTemplates } }) => [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)]);
  const schemes = new Map();
  for (const uri of uris) {
    const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri ?? "") ?? [];
    if (scheme !== undefined) schemes.set(scheme, (schemes.get(scheme) ?? 0) + 1);
  }
  if (schemes.size < 2) return [];
  return [...schemes].filter(([, count]) => count >= LEAST)
    .map(([scheme]) => ({ name: `${scheme}-resources`, match: `uri:${scheme}://*`, about: `Resources at ${scheme}: addresses.`, why: `addresses with \`${scheme}:\`` }));
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
      return count === 0 ? [] : [{ name, match: `kind:tool annotation.${hint}=true`, about, why: `${count} of ${tools.length} tools say so` }];
    }
    const members = tools.map((tool) => tool.name).filter((tool) => typeof tool === "string" && wordsOf(tool).some((word) => verbs.has(word)));
    return members.length === 0 ? [] : [{ name, match: `kind:tool ${anyOf("name", members)}`, about, why: "a guess by their verbs: no tool says what it does" }];
  });
}

/** `create_issueComment` as `create`, `issue`, `comment`. */
const wordsOf = (name) => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
const singular = (word) => (word.endsWith("ies") ? `${word.slice(0, -3)}y` : /(?:[^aiosu]s|oses)$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);
const plural = (word) => (/[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`);
/** The word that all have, if they are several. */
const shared = (words) => (words.length > 1 && words.every((word) => word === words[0]) ? words[0] : undefined);
