// @ts-check
// Suggestions that pass `check`.
import { lint } from "../../lib/engine.js";
import { reading } from "../../lib/input.js";

/** Codes about the servers' lists that no suggestion mends. */
const NOTES = ["repaired", "differs", "prefixed"];
/** Maximum number of times that the suggestions are checked and mended. Each mends all findings that it can. */
const MAX_ROUNDS = 10;

/**
 * Leaves out suggestions that `check` would report, and declares what the servers use already. Returns the findings that are left.
 * @param {any} draft
 * @param {string[]} servers
 * @param {string[]} lists
 * @param {{ textWith: () => string, before?: Record<string, number>, isOld?: (finding: any) => boolean }} file `textWith` is the text
 *   with the suggestions, `before` the number of items of each list that are no suggestions, and `isOld` whether a finding is about these
 */
export function settle(draft, servers, lists, { textWith, before = {}, isOld = () => false }) {
  for (let round = 0; ; round += 1) {
    // Findings about the lists of servers are no errors of the file.
    // The engine may refuse what options name, such as a header that the gateway sets itself.
    const checked = reading("the suggested file", () => lint(textWith(), servers, lists));
    const findings = JSON.parse(checked).findings.filter((one) => !NOTES.includes(one.code) && !isOld(one));
    if (round === MAX_ROUNDS || !findings.map((finding) => mend(draft, finding, before)).includes(true))
      return findings;
    for (const list of ["rules", "groups", "tags"]) draft[list] = draft[list].filter((suggestion) => !suggestion.gone);
  }
}

/** Mends one finding. Returns whether it did. */
function mend(draft, { code, place, message }, before) {
  const [, used] = /^the \w+ `([^]+)` is not declared under `\w+`$/.exec(message) ?? [];
  if (code === "undeclared_group" && used) return draft.groups.push({ name: used }) > 0;
  if (code === "undeclared_tag" && used) return draft.tags.push({ name: used }) > 0;
  const [, most] = (code === "long_name" && /`"maxToolName": (\d+)` shortens (?:it|them)$/.exec(message)) || [];
  if (most) {
    draft.maxToolName = Number(most);
    return true;
  }
  if (code === "odd_name" && !draft.toolNames) {
    draft.toolNames = "portable";
    return true;
  }
  const [, list, number] = /^(rules|groups|tags)\[(\d+)\]/.exec(place) ?? [];
  const suggestion = draft[list]?.[Number(number) - (before[list] ?? 0)];
  if (suggestion === undefined) return false;
  suggestion.gone = true;
  return true;
}
