// @ts-check
// The report of `init` about the file that it wrote.
import { line } from "../check.js";
import { printJson, warn } from "../../lib/print.js";
import { missingOf, warnOf } from "../../lib/sources.js";
import { namesOf, ownGroups } from "./suggest.js";
import { several, some } from "./words.js";

/** Maximum number of servers whose ungrouped tools are reported on a line each. */
const MAX_LINES = 4;

/**
 * Prints what was written, what the user should know about it, and what to do next. `added` is given if the file existed, with
 * whether it had no groups and rules (`isNew`).
 * @param {Record<string, any>} made
 * @param {boolean | undefined} json
 */
export function report(
  { file, draft, sources, shared = [], prefixes = new Map(), variables = [], findings, live, partial, failures, added },
  json,
) {
  const counts = { groups: draft.groups.length, tags: draft.tags.length, rules: draft.rules.length };
  // Groups that the file had are not compared with the tools.
  const left = added?.isNew === false ? [] : ungrouped(draft, sources);
  const unset = [...new Set(variables.map(({ name }) => name))];
  if (json) {
    printJson({
      file,
      ...counts,
      prefixes: Object.fromEntries(prefixes),
      variables: unset,
      ungrouped: left,
      findings,
      ...missingOf({ failures, partial }),
    });
    return;
  }
  const title = file === "-" ? "suggested" : file;
  const ofServers = sources.length > 1 ? ` for ${sources.length} servers` : "";
  const suggestions = `${several(counts.groups, "group")}, ${several(counts.tags, "tag")}, ${several(counts.rules, "rule")}${ofServers}`;
  const isSame = counts.groups + counts.tags + counts.rules === 0;
  if (added && isSame) warn(`${title}: nothing is added: it has a group and tags for what its servers list`);
  else warn(`${title}: ${added ? "added " : ""}${suggestions}`);
  if (prefixes.size > 0) {
    const given = [...prefixes].map(([server, prefix]) => `\`${prefix}\` (${server})`).join(", ");
    warn(
      `${several(shared.length, "name")} in the lists of several servers: ${some(shared)}; prefixes tell them apart: ${given}`,
    );
  }
  for (const { server, count, tools, names } of left.slice(0, MAX_LINES)) {
    const where = sources.length > 1 ? `in no group but \`${server}\`` : "in no group";
    warn(
      `${count} of ${several(tools, "tool")}${server && ` of \`${server}\``} ${count === 1 ? "is" : "are"} ${where}: ${some(names)}`,
    );
  }
  if (left.length > MAX_LINES)
    warn(`the same is true of tools of ${several(left.length - MAX_LINES, "other server")}; --json lists them`);
  for (const { name, header, server } of variables) {
    warn(
      `${name}: the file refers to this variable for the header ${header}${server && ` of \`${server}\``}; no value was written`,
    );
  }
  warnOf({ failures, partial }, "no suggestions are made for missing primitives");
  for (const finding of findings) warn(`finding: ${line(file, finding)}`);
  if (added) warn(`next: npx mcp-sieve check ${file === "-" ? "FILE" : file}${live.length > 0 ? " --live" : ""}`);
  else warn(`next: ${nextStep(file, draft, sources, unset, live.length > 0)}`);
}

function nextStep(file, { unknown }, sources, unset, live) {
  const saved = file === "-" ? "sieve.jsonc" : file;
  const first = [
    ...(file === "-" ? [`save the file as ${saved}`] : []),
    ...(unknown.length > 0
      ? [`replace the address${unknown.length === 1 ? "" : "es"} of ${some(unknown)} in ${saved}`]
      : []),
    ...(unset.length > 0 ? [`set ${unset.join(", ")} in the environment`] : []),
  ];
  const last = live || sources.length > 1 ? `npx mcp-sieve dev ${saved}` : `npx mcp-sieve dev ${saved} --upstream URL`;
  return [...first, last].join(", then ");
}

/** The tools of each server that are in no group, or in its own group alone if it has others. */
function ungrouped({ groups, rules }, sources) {
  const grouped = new Set(rules.flatMap(({ tools = [] }) => tools.map((tool) => JSON.stringify(tool))));
  return sources
    .flatMap(({ server, primitives }) => {
      const names = namesOf(primitives.tools);
      const claimed = new Set(primitives.tools.filter((tool) => ownGroups(tool).length > 0).map(({ name }) => name));
      const left = names.filter((name) => !claimed.has(name) && !grouped.has(JSON.stringify([server, name])));
      const divided = sources.length === 1 || groups.some(({ parent }) => parent === server);
      return left.length === 0 || !divided ? [] : [{ server, count: left.length, tools: names.length, names: left }];
    })
    .sort((a, b) => b.count - a.count);
}
