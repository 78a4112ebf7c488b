// `mcp-sieve explain`: whether a primitive is listed, and what rules, policies and a filter do to it.
import { YES } from "./borrow.js";
import { explain as ask, locate } from "./engine.js";
import { Unreadable, inputs, lineAt, reading } from "./input.js";
import { LIVE, listed } from "./live.js";
import { CATALOG, CONFIG, FILTER, JSON_LINE, KIND, QUERY } from "./options.js";
import { print, printJson } from "./print.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];

export const usage = {
  summary: "Explain why a tool, resource or prompt is listed, or why it is not.",
  takes: "NAME",
  about: "NAME is the name of a tool or prompt, or the URI of a resource. Prints the rules that match it, its groups, tags and\nconcerns, what each policy decides, and which part of a filter leaves it out.",
  options: {
    ...LIVE,
    catalog: CATALOG,
    config: CONFIG,
    filter: FILTER,
    query: QUERY,
    kind: { ...KIND, help: "tools, resources, resourceTemplates or prompts (default: the first that has NAME)." },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["create_issue --upstream https://example.com/mcp --config sieve.jsonc"],
};

export default async function explain({ subject: name, catalog, config, filter, query = "", kind, json, upstream, ...asking }) {
  if (name === undefined) throw new Unreadable("expected what to explain: `npx mcp-sieve explain create_issue --catalog lists.json`");
  if (catalog === undefined && upstream === undefined) throw new Unreadable("expected what a server lists: `--catalog lists.json` or `--upstream https://example.com/mcp`");
  if (kind !== undefined && !KINDS.includes(kind)) throw new Unreadable(`unknown kind \`${kind}\`, expected one of ${KINDS.join(", ")}`);
  const { rules, servers, lists } = inputs(config, catalog, await listed(upstream, asking));
  const told = (of) => ({ kind: of, ...JSON.parse(reading("--filter", () => ask(rules, servers, lists, filter ?? "{}", query, of, name))) });
  // Of several kinds the first that has something of the name.
  const all = (kind === undefined ? KINDS : [kind]).map(told);
  const found = all.find(({ primitives }) => primitives.length > 0) ?? all[0];
  if (json) printJson({ name, ...found });
  else print(...report(name, found, config, rules, { filter, query }));
  return found.shown ? 0 : 1;
}

/** What happens to it, in the order in which it happens. */
function report(name, { kind, shown, filter: { reason }, primitives }, config, rules, asked) {
  if (primitives.length === 0) return [`${name}: no server lists it${kind === "tools" ? "" : ` among ${kind}`}`];
  const lines = [`${name}: ${shown ? "listed" : "not listed"}`];
  for (const { server, rules: matched, hiddenBy, policies, groups, tags, concerns, pinned, name: called } of primitives) {
    if (primitives.length > 1) lines.push(`at ${server}:`);
    for (const number of matched) lines.push(`  rules[${number}] ${number === hiddenBy ? "hides it" : "matches it"}${at(config, rules, `rules[${number}]`)}`);
    if (hiddenBy !== undefined) continue;
    if (called !== undefined) lines.push(`  called    ${called}`);
    const mapped = Object.entries(concerns).map(([concern, values]) => `${concern}=${values.join("|")}`);
    for (const [what, values] of [["groups", groups], ["tags", tags], ["concerns", mapped]]) lines.push(`  ${what.padEnd(8)}  ${values.join(", ") || "none"}`);
    if (pinned) lines.push("  pinned: no filter leaves it out");
    const words = { shows: "shows it to everybody", hides: "hides it from everybody", depends: "shows it to some callers" };
    for (const { name: policy, says } of policies) lines.push(`  policy ${policy} ${words[says]}`);
  }
  if (reason !== null && reason.rule !== "unknown") lines.push(`  the filter leaves it out: ${why(reason)}`);
  else if (shown && (asked.filter ?? asked.query) && reason === null) lines.push("  the filter keeps it");
  return lines;
}

function why({ rule, concern, wanted = [], found = [] }) {
  const list = (values) => values.map((value) => `\`${value}\``).join(", ") || "none";
  return `${rule}${concern === undefined ? "" : ` ${concern}`} asks ${list(wanted)}${found.length > 0 || rule !== "query" ? `, it has ${list(found)}` : ""}`;
}

function at(config, rules, path) {
  const byte = config === undefined ? undefined : locate(rules, path);
  if (byte === undefined) return "";
  const { line, column } = lineAt(rules, byte);
  return ` (${config}:${line}:${column})`;
}
