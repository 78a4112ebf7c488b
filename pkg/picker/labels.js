// Made once: `toLocaleString` makes one for each number, which takes longer than the rest of a drawing.
const { format } = new Intl.NumberFormat("en");

/** What the element says. A host translates by setting `labels`, whole or in part. */
export const LABELS = {
  picker: "Choose tools",
  groups: "Groups",
  groupsHint: "in any of these",
  tags: "Tags",
  tagsHint: "once: must have, twice: must not",
  presets: "Presets",
  list: "What the choice leaves",
  kind: "Kind",
  rows: "Rows",
  left: "Left",
  hidden: "Hidden",
  all: "All",
  find: "Find by words",
  keep: "Keep only these",
  about: (words) => `About “${words}”`,
  anything: "any",
  default: "default",
  undo: "Undo",
  redo: "Redo",
  clear: "Clear all",
  onlyFavourites: "Favourites only",
  favourite: (name) => `Favourite ${name}`,
  enabled: (name) => `Use ${name}`,
  refuse: (name) => `Leave out ${name}`,
  unrefuse: (name) => `No longer leave out ${name}`,
  refused: "left out",
  must: "must have",
  not: "must not have",
  columns: { use: "Use", name: "Name", groups: "Groups", tokens: "Tokens", favourite: "Favourite" },
  nothing: "Nothing is left of this kind.",
  notFound: (words) => `Nothing here is about “${words}”.`,
  kinds: { tools: ["tool", "tools"], resources: ["resource", "resources"], resourceTemplates: ["template", "templates"], prompts: ["prompt", "prompts"] },
  count: (n, [one, many]) => `${format(n)} ${n === 1 ? one : many}`,
  number: format,
  of: (left, members) => `${left} of ${members}`,
  selected: ({ selected, total, tokens, totalTokens, exact }, [one, many]) =>
    `${format(selected)} of ${format(total)} ${total === 1 ? one : many}, ` +
    `${exact ? "" : "about "}${format(tokens)} of ${format(totalTokens)} tokens`,
  why,
};

const quoted = (names, word) => names.map((name) => `“${name}”`).join(` ${word} `);

/** Why a filter leaves something out, in a sentence. */
export function why({ rule, wanted = [], found = [], concern }) {
  const has = (word, nothing) => (found.length ? `${word} ${quoted(found, "and")}` : nothing);
  const missing = wanted.filter((name) => !found.includes(name));
  const refused = wanted.filter((name) => found.includes(name));
  switch (rule) {
    case "off": return "switched off";
    case "favourites": return "not a favourite";
    case "groups": return `not in ${quoted(wanted, "or")}; ${has("in", "in no group")}`;
    case "tags": return `without ${quoted(missing, "and")}; ${has("has", "has no tag")}`;
    case "not.groups": return `in ${quoted(refused, "and")}`;
    case "not.tags": return `has ${quoted(refused, "and")}`;
    case "concern": return `${concern} is ${quoted(found, "or")}, not ${quoted(wanted, "or")}`;
    case "query": return `not about ${quoted(wanted, "or")}`;
    case "limit": return `others are better, and there is room for ${wanted.join(", ")}`;
    case "unknown": return "not in this catalog";
    default: return `does not meet ${quoted(wanted, "or")}${found.length ? `; has ${quoted(found, "and")}` : ""}`;
  }
}
