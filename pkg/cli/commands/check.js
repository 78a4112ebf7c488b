// @ts-check
// `mcp-sieve check`: reports likely mistakes in a configuration, and what callers see.
import { existsSync } from "node:fs";
import { compare, ownLists, presetsOf } from "../lib/against.js";
import { linesOf, markdownOf } from "../lib/against-report.js";
import { CALLERS, callersOf, proposed, refusal, undescribed } from "../lib/callers.js";
import { directory, refuseUnknown, summaryOf } from "../lib/directory.js";
import { callers as ask, lint } from "../lib/engine.js";
import { checkFunctions } from "../lib/functions.js";
import { served } from "../lib/gateway-inputs.js";
import { Unreadable, inputs, lineAt, parseConfig, reading, rulesOf } from "../lib/input.js";
import { acceptInto, compared } from "../lib/lock.js";
import { lockPathOf, readLock } from "../lib/lock-file.js";
import { CATALOG, FILTER, JSON_LINE, USUAL } from "../lib/options.js";
import { print, printJson } from "../lib/print.js";
import { SOURCES, gather, missingOf, warnOf } from "../lib/sources.js";

/** The lists of each caller, and how a table heads them. */
const KINDS = {
  tools: "tools",
  resources: "resources",
  resourceTemplates: "templates",
  prompts: "prompts",
  skills: "skills",
};
/** The code for a filter that selects nothing. Ignored without lists, since every filter then selects nothing. */
const DEAD_FILTER = "dead_filter";
/** Codes about the servers' lists that no configuration can fix. They are printed, but do not count as findings. */
const NOTES = ["repaired", "differs", "prefixed"];

export const usage = {
  summary: "Report rules, policies and names of a file that have no effect, and what callers see.",
  takes: "[CONFIG]",
  about:
    "CONFIG is the file, or - for standard input (default: sieve.jsonc, if it exists). With the lists of its servers, every\nrule is tried on every tool, resource and prompt; without them, the file is judged alone. With --as, prints how much each\ncaller sees (with --json, the names).",
  options: {
    ...SOURCES,
    catalog: CATALOG,
    ...CALLERS,
    filter: FILTER,
    lock: {
      type: "string",
      value: "FILE",
      help: "Report what the servers have changed since --accept wrote FILE.",
    },
    accept: { type: "boolean", help: "Write what the servers list now into the file of --lock." },
    against: {
      type: "string",
      value: "OLD",
      help: "Print what each role gains and loses from the file OLD to CONFIG, in place of findings.",
    },
    markdown: { type: "boolean", help: "Print the result of --against as Markdown, for a pull request." },
    directory: {
      type: "string",
      value: "VENDOR",
      help: "Report the tools that the directory of anthropic or openai would refuse, with rules.",
    },
    only: {
      type: "string",
      multiple: true,
      value: "NAME",
      help: "With --accept: accept this definition alone, as NAME or SERVER/KIND/NAME; may be repeated.",
    },
    json: JSON_LINE,
  },
  examples: [
    "sieve.jsonc --live",
    "sieve.jsonc --live --lock sieve.lock.json",
    "sieve.jsonc --catalog lists.json",
    "sieve.jsonc --against old.jsonc --live --markdown",
    "sieve.jsonc --live --directory anthropic",
    `sieve.jsonc --live --as 'analyst={"role":"analyst"}' --as '{}'`,
  ],
};

export default async function check(given) {
  const {
    subject,
    as,
    preset,
    filter,
    lock: named,
    accept,
    only,
    against,
    markdown,
    directory: vendor,
    json,
    ...sources
  } = given;
  const path = subject ?? (existsSync(USUAL) ? USUAL : undefined);
  if (path === undefined) throw new Unreadable("expected a file to check: `npx mcp-sieve check sieve.jsonc`");
  const callers = callersOf(as);
  if (preset !== undefined && callers.length === 0)
    throw new Unreadable("--preset: expected a caller that connects to the path of the preset: --as '{}'");
  if (only !== undefined && !accept) throw new Unreadable("--only: expected --accept, which it restricts");
  refuseApart(given);
  refuseUnknown(vendor);
  try {
    const read = await gather(path, sources);
    if (against !== undefined) return changes({ path, against, callers, markdown, json }, read);
    const lock = named ?? lockPathOf(read.rules, path);
    if (accept && lock === undefined)
      throw new Unreadable("--accept: expected the file to write: --lock sieve.lock.json");
    served(read.rules, undefined, path);
    await checkFunctions(read.rules, path);
    const found = judge(read, filter);
    const isCompared = lock !== undefined && (named !== undefined || accept || read.lists.length > 0);
    if (lock !== undefined && !isCompared) readLock(lock);
    const differences = isCompared ? compared(lock, read, { mayCreate: accept }) : [];
    if (!accept) found.findings.push(...differences);
    if (callers.length > 0 && read.lists.length === 0)
      throw new Unreadable(
        "--as: expected the lists that callers see a part of: --live, --catalog lists.json or --upstream https://example.com/mcp",
      );
    const seen = callers.length === 0 ? undefined : seenBy(callers, read, preset);
    const judged = vendor && directory(vendor, read, seen && Object.values(seen.roles));
    if (judged) found.findings.push(...judged.findings);
    const accepted = accept ? { differences, ...acceptInto(lock, read, only) } : undefined;
    const reports = read.notes.length === 0 ? undefined : read.notes;
    if (json) printJson({ ...found, ...seen, directory: judged?.directory, reports, accepted, ...missingOf(read) });
    else {
      print(...report(path, found), ...read.notes, ...(seen === undefined ? hint(found) : table(seen)));
      if (judged) print(summaryOf(judged.directory));
      if (accepted) print(...acceptance(lock, accepted));
    }
    if (!json) warnOf(read);
    return read.failures.length > 0 ? 2 : found.findings.length > 0 ? 1 : 0;
  } catch (error) {
    if (!json || !(error instanceof Unreadable)) throw error;
    printJson({ error: error.refusal ?? { message: error.message } });
    return 2;
  }
}

/** Refuses options that say nothing beside `--against`, or nothing without it. */
function refuseApart({ against, markdown, json, ...given }) {
  if (against === undefined) {
    if (markdown) throw new Unreadable("--markdown: expected the file to compare with: --against old.jsonc");
    return;
  }
  const other = ["filter", "lock", "accept", "preset", "directory"].find((option) => given[option] !== undefined);
  if (other !== undefined)
    throw new Unreadable(`--${other}: --against compares what roles see, expected one of the two`);
  if (markdown && json) throw new Unreadable("--markdown: expected one of --markdown and --json");
}

/** Prints what each role gains and loses from the configuration `against` to the one that was read. */
function changes({ path, against, callers, markdown, json }, read) {
  const before = rulesOf(against);
  if (read.lists.length === 0)
    throw new Unreadable(
      "--against: expected the lists to compare: --live, --catalog lists.json or --upstream https://example.com/mcp",
    );
  const { rules, servers, lists } = read;
  const old = { subject: against, rules: before, ...ownLists({ rules: before, servers, lists }) };
  const presets = presetsOf(parseConfig(before), parseConfig(rules));
  const { roles, unknown } = compare(old, { subject: path, rules, servers, lists }, { callers, presets });
  if (json) printJson({ against, roles, unknown, ...missingOf(read) });
  else {
    print(...(markdown ? markdownOf : linesOf)(roles, unknown), ...read.notes);
    warnOf(read);
  }
  return read.failures.length > 0 ? 2 : 0;
}

/** What was accepted, in words. */
const acceptance = (lock, { definitions, servers, differences }) => [
  ...differences.flatMap((one) => [`accepted: ${one.place}: ${one.message}`, ...detailsOf(one)]),
  `${lock}: ${count(definitions, "definition")} of ${count(servers, "server")} accepted`,
];

/** Returns the findings of the file at `path` without a catalog, each with its line. */
export const review = (path) => judge(inputs(path));

/** Returns the findings of a configuration that is no file, without lines. */
export const reviewOf = (rules) =>
  judge({ rules, servers: [], lists: [] }).findings.map(({ line, column, ...finding }) => finding);

function judge({ rules, servers, lists }, filter) {
  const { findings, ...counts } = JSON.parse(reading("--filter", () => lint(rules, servers, lists, filter)));
  const placed = findings.map(({ at, ...finding }) => ({ ...finding, ...(at === undefined ? {} : lineAt(rules, at)) }));
  const notes = placed.filter(({ code }) => NOTES.includes(code));
  return {
    ...counts,
    primitives: lists.length === 0 ? undefined : counts.primitives,
    findings: placed.filter(({ code }) => !NOTES.includes(code) && (lists.length > 0 || code !== DEAD_FILTER)),
    notes: notes.length === 0 ? undefined : notes,
  };
}

/** The names that each caller sees, list by list, under `roles`. `catalog` counts the names of the whole catalog. */
function seenBy(callers, { rules, servers, lists }, preset) {
  const claims = callers.map((caller) => caller.claims);
  const { callers: seen, ...all } = JSON.parse(reading("--as", () => ask(rules, servers, lists, claims, preset)));
  const roles = seen.map((lists, at) => [callers[at].name, { claims: JSON.parse(claims[at]), ...lists }]);
  return { ...all, roles: Object.fromEntries(roles) };
}

/**
 * @param {string} path
 * @param {any} found what `judge` returned
 */
function report(path, { findings, notes = [], ...counts }) {
  const lines = [
    ...[...findings, ...notes].flatMap((finding) => [line(path, finding), ...detailsOf(finding)]),
    `${count(findings.length, "finding")} in ${told(counts)}`,
  ];
  if (counts.unlisted === "default")
    lines.push('resources that no list mentions cannot be read: `"unlisted": true` for an upstream server opens them');
  if (counts.primitives === undefined)
    lines.push("without --live, --catalog or --upstream, no rule was tried on a primitive");
  return lines;
}

/** What a definition has become, a line each, and the rule that answers a finding. */
const detailsOf = (/** @type {{ differences?: string[], rule?: any }} */ { differences = [], rule }) => [
  ...differences.map((difference) => `  ${difference}`),
  ...(rule === undefined ? [] : [`  rule: ${JSON.stringify(rule)}`]),
];

/** A finding in words. */
export function line(path, { code, place, message, meant, line, column }) {
  const at = line === undefined ? "" : `${path}:${line}:${column}: `;
  return `${at}${place}: ${message}${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`} [${code}]`;
}

const hint = ({ claim, primitives }) =>
  claim === undefined || primitives === undefined
    ? []
    : [`the view of a caller depends on \`claim.${claim.name}\`; to compare callers, add ${proposed(claim)}`];

/** A line for each caller: how much of each list it sees. */
function table({ catalog, roles, unknown }) {
  // Few servers have skills. A catalog without skills has no column for them.
  const kinds = Object.keys(KINDS).filter((kind) => kind !== "skills" || catalog.skills > 0);
  /** @type {{ name: string, cells: any[], refused?: any }[]} */
  const rows = [
    { name: "caller", cells: kinds.map((kind) => KINDS[kind]) },
    { name: "(whole catalog)", cells: kinds.map((kind) => catalog[kind]) },
    ...Object.entries(roles).map(([name, { refused, ...lists }]) => ({
      name,
      cells: kinds.map((kind) => lists[kind].length),
      refused,
    })),
  ];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const cell = (value, at) => String(value).padStart(Math.max(KINDS[kinds[at]].length, 5));
  const lines = rows.map(
    ({ name, cells, refused }) =>
      `${name.padEnd(width)}  ${cells.map(cell).join("  ")}${refused === undefined ? "" : `  ${refusal(refused)}`}`,
  );
  return [...lines, ...undescribed(unknown)];
}

function told({ rules, policies, primitives }) {
  const parts = [count(rules, "rule"), count(policies, "policy", "policies")];
  if (primitives !== undefined) parts.push(count(primitives, "primitive"));
  return parts.join(", ");
}

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
