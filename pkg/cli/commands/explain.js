// @ts-check
// `mcp-sieve explain`: whether a primitive is listed, and what rules, policies, presets and a filter do to it.
import { CALLERS, callersOf, refusal, undescribed } from "../lib/callers.js";
import { explain as ask, locate } from "../lib/engine.js";
import { Unreadable, lineAt, reading } from "../lib/input.js";
import { CATALOG, CONFIG, FILTER, JSON_LINE, KIND, QUERY } from "../lib/options.js";
import { print, printJson } from "../lib/print.js";
import { SOURCES, configOf, gather, missingOf, warnOf } from "../lib/sources.js";
import { nearest } from "../lib/suggest.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts", "skills"];

/** The clients that see a primitive which its server lists in one revision only. */
const ERAS = {
  session: "2025-11-25 and older only: the server lists it in sessions alone",
  stateless: "2026-07-28 only: the server lists it in stateless requests alone",
};

export const usage = {
  summary: "Explain why a tool, resource or prompt is listed, or why it is not.",
  takes: "NAME",
  about:
    "NAME is the name of a tool or prompt, as the gateway lists it or as its server does, or the URI of a resource. Prints the\nrules that match it, its groups, tags and concerns, what each policy and preset decides, and which part of a filter\nleaves it out. With --as, for one caller.",
  options: {
    ...SOURCES,
    catalog: CATALOG,
    config: { ...CONFIG, help: "The configuration (default: sieve.jsonc if it exists, with --live and --catalog)." },
    ...CALLERS,
    filter: FILTER,
    query: QUERY,
    kind: {
      ...KIND,
      help: "tools, resources, resourceTemplates, prompts or skills (default: the first that has NAME).",
    },
    json: JSON_LINE,
  },
  examples: [
    "create_issue --live",
    `create_issue --live --config sieve.jsonc --as '{"role":"analyst"}'`,
    "create_issue --upstream https://example.com/mcp",
  ],
};

export default async function explain({
  subject: name,
  as,
  preset,
  config: given,
  filter,
  query = "",
  kind,
  json,
  ...sources
}) {
  if (name === undefined)
    throw new Unreadable("expected a name to explain: `npx mcp-sieve explain create_issue --catalog lists.json`");
  if (!sources.live && sources.catalog === undefined && sources.upstream === undefined)
    throw new Unreadable(
      "expected the lists of a server: `--live`, `--catalog lists.json` or `--upstream https://example.com/mcp`",
    );
  if (kind !== undefined && !KINDS.includes(kind))
    throw new Unreadable(`unknown kind \`${kind}\`, expected one of ${KINDS.join(", ")}`);
  const callers = callersOf(as);
  if (callers.length > 1)
    throw new Unreadable("--as: expected one caller; `npx mcp-sieve check --as … --as …` compares several");
  const config = configOf(given, { live: sources.live || sources.catalog !== undefined });
  const read = await gather(config, sources);
  const { rules, servers, lists } = read;
  const explained = (kind) => ({
    kind,
    ...JSON.parse(
      reading("--filter", () =>
        ask({
          config: rules,
          servers,
          lists,
          filter: filter ?? "{}",
          query,
          kind,
          name,
          claims: callers[0]?.claims,
          preset,
        }),
      ),
    ),
  });
  const found = first(kind === undefined ? KINDS : [kind], explained);
  const caller = callers[0]?.name ?? (preset === undefined ? undefined : `/mcp/${preset}`);
  if (json)
    printJson({
      name,
      ...found,
      caller: callers[0] && { ...callers[0], claims: JSON.parse(callers[0].claims) },
      ...missingOf(read),
    });
  else print(...report(name, found, { config, rules, filtered: Boolean(filter ?? query), caller, lists }));
  if (!json) warnOf(read);
  return read.failures.length > 0 ? 2 : found.shown ? 0 : 1;
}

/**
 * Returns the explanation for the first kind that has a primitive of the name.
 * @param {string[]} kinds
 * @param {(kind: string) => any} explained
 */
function first([kind, ...others], explained) {
  const found = explained(kind);
  if (found.primitives.length + found.reports.length > 0 || others.length === 0) return found;
  const other = first(others, explained);
  return other.primitives.length + other.reports.length > 0 ? other : found;
}

/** Returns lines that describe the steps from the server's list to the caller's view, in order. */
function report(name, { kind, shown, refused, unknown, reports, primitives }, asked) {
  const among = kind === "tools" ? "" : ` among ${kind}`;
  const known = reports.map((problem) => `  reported: ${problem}`);
  if (primitives.length === 0)
    return reports.length > 0
      ? [`${name}: not listed`, ...known]
      : [`${name}: no server lists it${among}${meant(name, asked.lists)}`];
  const lines = [headline(name, { shown, primitives }, asked.caller)];
  if (refused !== undefined) lines.push(`  ${refusal(refused)}`);
  for (const primitive of primitives) {
    if (primitives.length > 1) lines.push(`at ${primitive.server}:`);
    lines.push(...primitiveLines(name, primitive, asked));
  }
  return [...lines, ...known, ...undescribed(unknown)];
}

/** Returns the first line. If only the server uses this name, the line says under which name callers see it. */
function headline(name, { shown, primitives }, caller) {
  const whom = caller === undefined ? "" : ` for ${caller}`;
  if (!shown) return `${name}: not listed${whom}`;
  const listed = primitives
    .filter(({ visible, filter }) => visible && filter?.shown)
    .map((primitive) => primitive.name ?? primitive.id);
  return `${name}: listed${whom}${listed.includes(name) ? "" : ` as ${listed.join(", ")}`}`;
}

/** Returns lines about one primitive: its rules, name, groups, tags, concerns, policies, presets and filter. */
function primitiveLines(name, primitive, { config, rules, filtered, caller }) {
  const {
    id,
    name: called,
    leftOut,
    era,
    rules: matched,
    hiddenBy,
    policies,
    presets,
    groups,
    tags,
    concerns,
    pinned,
    visible,
    filter,
  } = primitive;
  const lines = matched.map(
    (number) =>
      `  rules[${number}] ${number === hiddenBy ? "hides it" : "matches it"}${at(config, rules, `rules[${number}]`)}`,
  );
  if (hiddenBy !== undefined) return lines;
  if (called !== undefined) lines.push(`  called    ${called}`);
  if (called !== undefined && name !== id) lines.push(`  own name  ${id}`);
  if (leftOut !== undefined) return [...lines, `  left out: ${leftOut}`];
  const mapped = Object.entries(concerns).map(([concern, values]) => `${concern}=${values.join("|")}`);
  for (const [what, values] of [
    ["groups", groups],
    ["tags", tags],
    ["concerns", mapped],
  ])
    lines.push(`  ${what.padEnd(8)}  ${values.join(", ") || "none"}`);
  if (era !== undefined) lines.push(`  revision  ${ERAS[era]}`);
  if (pinned) lines.push("  pinned: no filter leaves it out");
  for (const { name: policy, says } of policies) lines.push(`  policy ${policy} ${policyWords(says, caller)}`);
  for (const { name: preset, when, says } of presets)
    lines.push(`  preset ${preset} ${says} it${presetWords(preset, when, says, caller)}`);
  const decided = [...policies, ...presets].some(({ says }) => says === "hides");
  if (caller !== undefined && !visible && !decided)
    lines.push("  hidden: the tools or skills that it belongs to are hidden");
  if (filter.reason !== null && filter.reason.rule !== "unknown")
    lines.push(`  the filter leaves it out: ${why(filter.reason)}`);
  else if (filtered && visible && filter.shown) lines.push("  the filter keeps it");
  return lines;
}

/** Returns a suggestion in parentheses: the name in the lists that is closest to a missing one. */
function meant(name, lists) {
  const results = lists.flatMap((text) => [JSON.parse(text)].flat().map((result) => result?.result ?? result));
  const items = results.flatMap((result) => KINDS.flatMap((kind) => result?.[kind] ?? []));
  const ids = items.flatMap((item) => [item?.name, item?.uri, item?.uriTemplate]);
  const near = nearest(
    name,
    ids.filter((id) => typeof id === "string"),
  );
  return near === undefined ? "" : ` (did you mean \`${near}\`?)`;
}

const policyWords = (says, caller) =>
  caller === undefined
    ? { shows: "shows it to every caller", hides: "hides it from every caller", depends: "shows it to some callers" }[
        says
      ]
    : `${says} it`;

/** Describes to which callers a preset applies. */
function presetWords(name, when, says, caller) {
  if (caller !== undefined) return "";
  return when === undefined ? ` at /mcp/${name}` : ` ${says === "hides" ? "from" : "to"} callers with ${when}`;
}

/** Describes the part of a filter that leaves a primitive out. */
function why({ rule, concern, wanted = [], found = [] }) {
  const list = (values) => values.map((value) => `\`${value}\``).join(", ") || "none";
  return `${rule}${concern === undefined ? "" : ` ${concern}`} wants ${list(wanted)}${found.length > 0 || rule !== "query" ? `, it has ${list(found)}` : ""}`;
}

/** Returns the position of a rule in the configuration file, in parentheses. */
function at(config, rules, path) {
  const byte = config === undefined ? undefined : locate(rules, path);
  if (byte === undefined) return "";
  const { line, column } = lineAt(rules, byte);
  return ` (${config}:${line}:${column})`;
}
