// @ts-check
import { titled } from "../../core/own-tags.js";

// Made once: `toLocaleString` makes one for each number, which takes longer than the rest of a drawing.
const { format } = new Intl.NumberFormat("en");
const any = new Intl.ListFormat("en", { type: "disjunction" });
const every = new Intl.ListFormat("en", { type: "conjunction" });

/** The texts of the element. A host translates them by setting `labels`, whole or in part. */
export const LABELS = {
  picker: "Choose tools",
  loading: "Loading…",
  failed: "The tools could not be loaded.",
  groups: "Groups",
  servers: "Servers and groups",
  server: "server",
  tags: "Tags",
  concerns: "Concerns",
  presets: "Presets",
  group: "group",
  tag: "tag",
  own: "(yours)",
  ownTag: (name) => `Your tag for ${name}`,
  /** Says why a choice was refused: `code` is that of the error, `message` its English text. */
  refused: ({ message }) => message,
  notStored: (problem) =>
    ({
      full: "This could not be stored: the storage of this page is full.",
      forbidden: "This could not be stored: the browser does not allow this page to store anything.",
    })[problem] ?? `This could not be stored (${problem}).`,
  addTag: "Add tag",
  removeTag: "Remove tag",
  filters: (n) => (n > 0 ? `Filters (${format(n)})` : "Filters"),
  list: ([, many]) => `List of ${many}`,
  rows: "Rows",
  left: "Shown",
  hidden: "Hidden",
  all: "All",
  dropped: "Over budget",
  budget: "Budget",
  maxTools: ([, many]) => `Max ${many}`,
  maxTokens: "Max tokens",
  usedTools: ([, many]) => `${many.replace(/^./u, (first) => first.toUpperCase())} used`,
  usedTokens: "Tokens used",
  reading: (used, candidates, counted, most) =>
    `${used === candidates ? counted : `${format(used)} of ${counted}`}${most === undefined ? "" : `, at most ${format(most)}`}`,
  tokens: (n, exact) => `${exact ? "" : "about "}${format(n)} ${n === 1 ? "token" : "tokens"}`,
  showDropped: (n, [one, many]) => `Show ${format(n)} ${n === 1 ? one : many} over budget`,
  fits: (most) => `Fits hosts with a limit of ${format(most)} tools`,
  exceeds: (most, over) => `${format(over)} too many for hosts with a limit of ${format(most)} tools`,
  /** What a model reads before it asks for anything, in each disclosure mode: its name, and what it lists. */
  disclosure: "Tokens that a model reads at first:",
  modes: {
    flat: ["everything", "Lists every tool of this choice"],
    search: ["by search", "Lists tools that find the others by words"],
    groups: ["by groups", "Lists tools that find the others by groups"],
  },
  size: (n, exact) => `${exact ? "" : "about "}${format(n)}`,
  find: ([, many]) => `Search ${many}`,
  /** The rows that a search finds here, and `elsewhere` the number of those that it finds under other tabs. */
  hits: (n, elsewhere = 0) => `${format(n)} ${n === 1 ? "hit" : "hits"}${elsewhere > 0 ? " here" : ""}`,
  /** The button that shows the rows that a search finds under another tab. */
  more: (n, showing) => `${format(n)} more ${{ left: "shown", hidden: "hidden", dropped: "over budget" }[showing]}`,
  pinned: "Pinned",
  keep: "Filter by this search",
  about: (words) => `Search: “${words}”`,
  anything: "any",
  default: "default",
  undo: "Undo",
  redo: "Redo",
  clear: "Clear filters",
  onlyFavorites: "Favorites only",
  favorite: (name) => `Favorite ${name}`,
  enabled: (name) => `Use ${name}`,
  include: (facet, name) => `Include ${facet} ${name}`,
  require: (facet, name) => `Require ${facet} ${name}`,
  exclude: (facet, name) => `Exclude ${facet} ${name}`,
  excluded: "excluded",
  columns: { use: "Use", name: "Name", groups: "Groups", tokens: "Tokens", favorite: "Favorite" },
  nothing: ([, many]) => `This server has no ${many}.`,
  noMatch: ([one]) => `No ${one} matches.`,
  noneHidden: ([one]) => `No ${one} is hidden.`,
  noneDropped: ([one]) => `No ${one} is over budget.`,
  notFound: (words, [one]) => `No ${one} here matches “${words}”.`,
  kinds: {
    tools: ["tool", "tools"],
    resources: ["resource", "resources"],
    resourceTemplates: ["template", "templates"],
    prompts: ["prompt", "prompts"],
    skills: ["skill", "skills"],
  },
  count: (n, [one, many]) => `${format(n)} ${n === 1 ? one : many}`,
  number: format,
  of: (left, members) => `${left} of ${members}`,
  selected: ({ selected, total, tokens, totalTokens, exact }, [one, many]) => {
    const counted = `${selected === total ? "" : `${format(selected)} of `}${format(total)} ${total === 1 ? one : many}`;
    const saved = totalTokens > 0 ? Math.round(100 * (1 - tokens / totalTokens)) : 0;
    return `${counted} · ${exact ? "" : "about "}${format(tokens)} tokens${saved > 0 ? ` (${saved}\u00a0% less)` : ""}`;
  },
  why,
};

/** A tag as people see it: a person's own without its prefix. */
const called = (name) => titled({ name }).title ?? name;

/**
 * Why a rule hides something, in a sentence without its full stop. `title` gives the title of a group, and `row` is what is
 * hidden.
 */
export function why({ rule, wanted = [], found = [], concern }, title = (name) => name, row = undefined) {
  const missing = wanted.filter((name) => !found.includes(name));
  const excluded = wanted.filter((name) => found.includes(name));
  const tags = (names) => `tag${names.length === 1 ? "" : "s"} ${every.format(names.map(called))}`;
  switch (rule) {
    case "off":
      return "Switched off";
    case "favorites":
      return "Not a favorite";
    case "server":
    case "groups":
      return `Not in ${any.format(wanted.map(title))}`;
    case "tags":
      return `Missing ${tags(missing)}`;
    case "not.server":
      return `From excluded ${every.format(wanted)}`;
    case "not.groups":
      return `In excluded ${every.format(excluded.map(title))}`;
    case "not.tags":
      return `Has excluded ${tags(excluded)}`;
    case "concern":
      return `${concern} is ${any.format(found)}, not ${any.format(wanted)}`.replace(/^./u, (first) =>
        first.toUpperCase(),
      );
    case "query":
      return `Does not match the search ${any.format(wanted.map((words) => `“${words}”`))}`;
    case "namePatterns":
      return `Its name does not match ${any.format(wanted)}`;
    case "uriPatterns":
      return `Its URI does not match ${any.format(wanted)}`;
    case "limit":
      return row?.rank ? full(row.rank, row.tokens) : `Beyond the limit (${wanted.join(", ")})`;
    case "unknown":
      return "Not in this catalog";
    default:
      return `Does not match the expression ${any.format(wanted)}`;
  }
}

/** Says that a limit has no room for an item. */
const full = ({ tokensLeft }, tokens) =>
  `The budget is full${tokensLeft === undefined ? "" : `: this needs ${format(tokens)} tokens, ${format(tokensLeft)} are left`}`;
