// @ts-check
// `init CONFIG`: groups, tags and rules for the servers of a configuration, added to its text.
import { readFileSync } from "node:fs";
import { lint } from "../../lib/engine.js";
import { serversOf } from "../../lib/environment.js";
import { Unreadable, output, parseConfig, rulesOf, textOf } from "../../lib/input.js";
import { gather } from "../../lib/sources.js";
import { additionsTo } from "./additions.js";
import { plain } from "./file.js";
import { inserted } from "./insertion.js";
import { report } from "./report.js";
import { settle } from "./settle.js";
import { suggest } from "./suggest.js";
import { sourcesOf } from "./lists.js";

const LISTS = /** @type {const} */ (["groups", "tags", "rules"]);
const MARK = "\u{feff}";

/**
 * Adds suggestions to a configuration. Returns the exit status.
 * @param {string} path
 * @param {Record<string, any>} given the options of `init`
 */
export async function extend(path, { out = path, json, ...given }) {
  refuseLists(path);
  const text = rulesOf(path);
  const live = given.catalog === undefined && given.upstream === undefined;
  // A variable may hold the address of the only server.
  const isKnown = serversOf(text).some(({ url, command }) => url ?? command) || process.env.UPSTREAM_URL;
  if (live && !isKnown)
    throw new Unreadable(
      `${path}: expected servers to ask, \`upstream\` or \`upstreams\`, or their lists, \`--catalog lists.json\``,
    );
  const { servers, lists, found, failures, partial } = await gather(path, { ...given, live });
  const config = parseConfig(text);
  const several = (config.upstreams ?? []).length > 1;
  const sources = sourcesOf(servers, lists, found);
  const draft = { ...additionsTo(config, suggest(sources, several)), unknown: [] };
  const before = Object.fromEntries(LISTS.map((list) => [list, (config[list] ?? []).length]));
  const known = new Set(JSON.parse(lint(text, servers, lists)).findings.map(nameOf));
  const textWith = () => inserted(text, additionsOf(draft));
  const findings = settle(draft, servers, lists, { textWith, before, isOld: (one) => known.has(nameOf(one)) });
  const isSame = LISTS.every((list) => draft[list].length === 0);
  if (!isSame || out !== path) output(out, `${hasMark(path) ? MARK : ""}${textWith()}`);
  const isNew = before.groups === 0 && before.rules === 0;
  report({ file: out, draft, sources, findings, live: found, partial, failures, added: { isNew } }, json);
  return failures.length > 0 ? 1 : 0;
}

/** A finding without its place in the text, which additions move. */
const nameOf = ({ code, place, message }) => JSON.stringify([code, place, message]);

/** The suggestions as items of the file. */
function additionsOf(draft) {
  const { groups, tags, rules } = plain(draft);
  return {
    groups: { items: groups },
    tags: { items: tags },
    rules: { items: rules, notes: draft.rules.map(({ why }) => why) },
  };
}

/** Refuses list results in place of a configuration. */
function refuseLists(path) {
  let value;
  try {
    value = JSON.parse(textOf(path));
  } catch (error) {
    if (error instanceof SyntaxError) return;
    throw error;
  }
  const { tools, resources, prompts } = value?.result ?? [value].flat()[0] ?? {};
  if (Array.isArray(tools ?? resources ?? prompts))
    throw new Unreadable(
      `expected a configuration or the address of an MCP server, got the lists in \`${path}\`: \`--catalog ${path}\` reads them`,
    );
}

/** Whether a file begins with a byte order mark, which is no part of its text. */
const hasMark = (path) => path !== "-" && readFileSync(path, "utf8").startsWith(MARK);
