// @ts-check
// The text of the file that `init` writes.
import { member, section } from "./jsonc.js";
import { several } from "./words.js";

/** The kinds of list, by the member that each has in a result, and what one of its members is called. */
const KINDS = [
  ["tools", "tool"],
  ["resources", "resource"],
  ["resourceTemplates", "resource template"],
  ["prompts", "prompt"],
];

/** The draft as a configuration. @type {(draft: any) => Record<string, any>} */
export const plain = ({ upstream, upstreams, maxToolName, toolNames, groups, tags, rules }) => {
  const of = ({ match, groups: given, tags: labels, hide }) => ({ match, groups: given, tags: labels, hide });
  return { upstream, upstreams, maxToolName, toolNames, groups, tags, rules: rules.map(of) };
};

/** Returns the text of the file: each section with a comment that says what it is for. */
export function textOf(draft, sources) {
  const { upstream, upstreams, maxToolName, toolNames, groups, tags, rules } = plain(draft);
  const counts = KINDS.map(([kind, noun]) =>
    several(
      sources.reduce((sum, { primitives }) => sum + primitives[kind].length, 0),
      noun,
    ),
  );
  const lines = [
    `// Suggested by \`npx mcp-sieve init\` from ${counts.slice(0, -1).join(", ")} and ${counts.at(-1)}.`,
    "// Change what you like: a file of {} serves everything as the servers list it. `npx mcp-sieve check` reviews the file.",
    "{",
  ];
  if (draft.schema) lines.push(member("$schema", draft.schema), "");
  if (upstream)
    lines.push(
      '  // The server behind the gateway. Secrets stay outside: "headers": { "Authorization": "Bearer ${TOKEN}" }.',
      member("upstream", upstream),
      "",
    );
  if (upstreams) {
    lines.push(
      '  // The servers behind the gateway, in the order of the lists. A "prefix" goes before names that several servers list.',
      ...(draft.unknown.length > 0 ? ["  // Addresses in .example are placeholders: replace them."] : []),
      ...section("upstreams", upstreams),
      "",
    );
  }
  if (maxToolName)
    lines.push(
      "  // Many hosts refuse longer names. A longer one is shortened to its beginning and a hash; calls reach the tool.",
      member("maxToolName", maxToolName),
      "",
    );
  if (toolNames)
    lines.push(
      "  // Hosts refuse names with dots, slashes, spaces or letters outside ASCII. Calls reach the tool by its own name.",
      member("toolNames", toolNames),
      "",
    );
  lines.push(
    "  // Groups that a caller can choose. A filter on several groups keeps the members of any of them.",
    ...section("groups", groups),
    "",
    "  // Labels across groups. A filter on several tags keeps what carries all of them.",
    ...section("tags", tags),
    "",
    '  // Rules assign groups and tags, in order. A rule with "hide": true hides what it matches from every caller.',
    ...section(
      "rules",
      rules,
      draft.rules.map(({ why }) => why),
    ),
    "",
    "  // Policies hide tools from some callers, in lists and in calls:",
    '  // "policies": [{ "name": "staff", "show": "-tag:destructive or claim.role:admin" }],',
    "}",
    "",
  );
  return lines.join("\n");
}
