// `mcp-sieve init`: a first sieve.jsonc, read off what a server lists.
import { existsSync } from "node:fs";
import { resolve, dirname, join } from "node:path";
import { YES } from "./borrow.js";
import { lint } from "./engine.js";
import { Unreadable, inputs, output } from "./input.js";
import { LIVE, listed } from "./live.js";
import { CATALOG, JSON_LINE, OUT } from "./options.js";
import { json as jsonOf, printJson, warn } from "./print.js";
import { suggest } from "./suggest.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];
/** More rounds than there are kinds of member to leave out again. */
const ROUNDS = 10;

export const usage = {
  summary: "Write a first sieve.jsonc, suggested from what servers list.",
  most: 0,
  about: "Suggests groups by what the names of tools are about, and tags by annotations. The file passes `npx mcp-sieve check`.",
  options: {
    ...LIVE,
    catalog: CATALOG,
    out: { ...OUT, help: "The file to write, or - for standard output (default: sieve.jsonc)." },
    force: { type: "boolean", help: "Replace a file that exists." },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["--upstream https://example.com/mcp"],
};

export default async function init({ catalog, out = "sieve.jsonc", force, json, upstream, ...asking }) {
  if (catalog === undefined && upstream === undefined) {
    throw new Unreadable("expected a server to look at, `npx mcp-sieve init --upstream https://example.com/mcp`, or what it lists, `--catalog lists.json`");
  }
  if (out !== "-" && !force && existsSync(out)) throw new Unreadable(`${out} is there already; --force writes over it, -o names another`);
  const live = await listed(upstream, asking);
  const { servers, lists } = inputs(undefined, catalog, live);
  if (servers.length > 1 && servers.includes("")) {
    throw new Unreadable("expected a name for each of several servers: --upstream forge=https://… --catalog wiki=wiki.json");
  }
  const titles = new Map(live.map(({ server, title }) => [server, title]));
  const sources = lists.map((text, at) => ({ server: servers[at], title: titles.get(servers[at]), primitives: primitivesOf(text) }));
  const draft = { ...suggest(sources), upstreams: live.map(({ server, url }) => ({ name: server, url })), schema: schemaFrom(out) };
  settle(draft, servers, lists);
  output(out, text(draft, sources));
  const counts = { groups: draft.groups.length, tags: draft.tags.length, rules: draft.rules.length };
  if (json) printJson({ file: out, ...counts });
  else warn(...next(out, counts, live.length > 0));
  return 0;
}

function primitivesOf(text) {
  const results = [JSON.parse(text)].flat().map((result) => result?.result ?? result);
  const listed = (kind) => results.flatMap((result) => result?.[kind] ?? []).filter((primitive) => typeof primitive === "object" && primitive !== null);
  return Object.fromEntries(KINDS.map((kind) => [kind, listed(kind)]));
}

/** Where an editor finds the schema, as the file sees it. */
function schemaFrom(out) {
  const path = "node_modules/mcp-sieve/dist/sieve.schema.json";
  return out !== "-" && existsSync(join(dirname(resolve(out)), path)) ? `./${path}` : undefined;
}

/** Leaves out what the check would find fault with, and declares what the catalog uses already. */
function settle(draft, servers, lists) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { findings } = JSON.parse(lint(JSON.stringify(plain(draft)), servers, lists));
    if (!findings.map((finding) => mend(draft, finding)).includes(true)) return;
    for (const list of ["rules", "groups", "tags"]) draft[list] = draft[list].filter((member) => !member.gone);
  }
}

/** Whether something was done about a finding. */
function mend(draft, { code, place, message }) {
  const [, used] = /^the \w+ `([^]+)` is not declared under `\w+`$/.exec(message) ?? [];
  if (code === "undeclared_group" && used) return draft.groups.push({ name: used }) > 0;
  if (code === "undeclared_tag" && used) return draft.tags.push({ name: used }) > 0;
  const [, list, number] = /^(rules|groups|tags)\[(\d+)\]/.exec(place) ?? [];
  const member = draft[list]?.[number];
  if (member === undefined) return false;
  member.gone = true;
  return true;
}

/** The draft as a configuration. */
function plain({ groups, tags, rules, upstreams = [] }) {
  const of = (rule) => ({ match: rule.match, groups: rule.groups, tags: rule.tags });
  const [only, ...more] = upstreams;
  return { ...(more.length > 0 ? { upstreams } : only && { upstream: { url: only.url } }), groups, tags, rules: rules.map(of) };
}

/** The file: a line a member, each section with what it is for. */
function text(draft, sources) {
  const { upstream, upstreams, groups, tags, rules } = plain(draft);
  const listed = KINDS.map((kind) => sources.reduce((sum, { primitives }) => sum + primitives[kind].length, 0));
  const lines = [
    `// What is listed here: ${listed.map((count, at) => `${count} ${["tools", "resources", "resource templates", "prompts"][at]}`).join(", ")}. Suggested by \`npx mcp-sieve init\`:`,
    "// nothing here is final, and a file of {} serves everything as its server lists it. `npx mcp-sieve check` looks it over.",
    "{",
  ];
  if (draft.schema) lines.push(`  "$schema": ${jsonOf(draft.schema)},`, "");
  if (upstream) lines.push("  // The server behind. A secret goes in as \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" }.", `  "upstream": ${spaced(upstream)},`, "");
  if (upstreams) lines.push("  // The servers behind, in the order in which they are listed; \"prefix\" goes before names that collide.", ...section("upstreams", upstreams), "");
  lines.push("  // What a caller may choose: a filter on several groups keeps what is in any of them.", ...section("groups", groups), "");
  lines.push("  // Labels across groups: a filter on several tags keeps what carries all of them.", ...section("tags", tags), "");
  lines.push("  // What belongs where. Applied in order; \"hide\": true takes something out for everybody.", ...section("rules", rules, draft.rules.map(({ why }) => why)), "");
  lines.push("  // Who sees what, in lists and in calls; what a policy hides does not exist for that caller:");
  lines.push('  // "policies": [{ "name": "staff", "show": "-tag:destructive or claim.role:admin" }],', "}", "");
  return lines.join("\n");
}

function section(name, members, notes = []) {
  if (members.length === 0) return [`  ${JSON.stringify(name)}: [],`];
  const line = (member, at) => `    ${spaced(member)},${notes[at] ? ` // ${notes[at]}` : ""}`;
  return [`  ${JSON.stringify(name)}: [`, ...members.map(line), "  ],"];
}

/** One line of JSON with air. */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return jsonOf(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([key, member]) => `${jsonOf(key)}: ${spaced(member)}`).join(", ")} }`;
}

const several = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

const next = (out, { groups, tags, rules }, live) => [
  `${out === "-" ? "suggested" : out}: ${several(groups, "group")}, ${several(tags, "tag")}, ${several(rules, "rule")}`,
  `next: ${live ? `npx mcp-sieve dev ${out}` : `npx mcp-sieve check ${out} --catalog …, then npx mcp-sieve dev ${out} --upstream URL`}`,
];
