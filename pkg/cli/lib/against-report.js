// @ts-check
// The comparison of two configurations in words: for a terminal, or as Markdown for a pull request.
import { undescribed } from "./callers.js";

/** The words for one primitive of each kind. */
const NOUNS = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "template",
  prompts: "prompt",
  skills: "skill",
};
/** Most lines about one role. */
const MAX_LINES = 200;

/**
 * Returns lines for a terminal.
 * @param {import("./against.js").Comparison[]} roles
 * @param {string[]} unknown
 */
export const linesOf = (roles, unknown) => [
  ...roles.flatMap((role) => [
    `${role.role}: ${sizes(role)}`,
    ...bounded(changesOf(role), (change) => `  ${change.sign} ${sentence(change, (name) => name)}`, "  "),
  ]),
  ...undescribed(unknown),
];

/**
 * Returns the lines of a Markdown section: a table of the roles, and a list for each that changes.
 * @param {import("./against.js").Comparison[]} roles
 * @param {string[]} unknown
 */
export const markdownOf = (roles, unknown) => [
  "| role | tools | tokens | gains | loses | changes |",
  "|---|--:|--:|--:|--:|--:|",
  ...roles.map(
    ({ role, before, after, gains, losses, changes }) =>
      `| ${escaped(role)} | ${step(before.tools, after.tools)} | ${step(before.tokens, after.tokens)} | ${gains.length} | ${losses.length} | ${changes.length} |`,
  ),
  ...roles
    .filter(isChanged)
    .flatMap((role) => [
      "",
      `**${escaped(role.role)}**`,
      "",
      ...bounded(changesOf(role), (change) => `- ${change.verb} ${sentence(change, code)}`, "- "),
    ]),
  ...undescribed(unknown).flatMap((line) => ["", line]),
];

const isChanged = ({ gains, losses, changes }) => gains.length + losses.length + changes.length > 0;

const changesOf = ({ gains, losses, changes }) => [
  ...gains.map((change) => ({ sign: "+", verb: "gains", ...change })),
  ...losses.map((change) => ({ sign: "-", verb: "loses", ...change })),
  ...changes.map((change) => ({ sign: "~", verb: "changes", ...change })),
];

/** The tools and tokens before and after. */
const sizes = (role) => {
  const tools = `${step(role.before.tools, role.after.tools)} tools`;
  const tokens = `${step(role.before.tokens, role.after.tokens)} tokens`;
  return isChanged(role) ? `${tools}, ${tokens}` : `${tools}, ${tokens}; nothing changes`;
};

const step = (before, after) =>
  before === after ? before.toLocaleString("en") : `${before.toLocaleString("en")} → ${after.toLocaleString("en")}`;

/** A change in words. Names of servers are shown by `quoted`. */
function sentence({ kind, name, was, why, changes = [] }, quoted) {
  const renamed = was === undefined ? [] : [`renamed from ${quoted(was)}`];
  const parts = [...renamed, ...changes.map((change) => quoted(change)), ...(why === undefined ? [] : [why])];
  return `${NOUNS[kind]} ${quoted(name)}${parts.length === 0 ? "" : `: ${parts.join("; ")}`}`;
}

function bounded(changes, line, indent) {
  const lines = changes.slice(0, MAX_LINES).map(line);
  const left = changes.length - lines.length;
  return left === 0 ? lines : [...lines, `${indent}${left} more`];
}

/** Text of a server as code in Markdown. Nothing in it can end the code or the line. */
const code = (text) => `\`${text.replaceAll(/[`\r\n|]/g, " ")}\``;

/** A name of the operator in a table. */
const escaped = (text) => text.replaceAll(/[\\|`*_<>[\]]/g, (sign) => `\\${sign}`).replaceAll(/[\r\n]/g, " ");
