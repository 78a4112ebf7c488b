// @ts-check
// `check --directory`: the tools that a vendor's directory of servers would refuse, each with a rule that answers it.
import { roles } from "./engine.js";
import { reading } from "./input.js";
import { Unreadable } from "./cli-error.js";

/** Most characters of a tool's name in Anthropic's directory. */
const MAX_NAME = 64;
/** What stands in a rule for a value that the operator knows. A configuration with the one for hints is refused. */
const [TITLE, HINT, DESCRIPTION, NAME] = ["<title>", "<true or false>", "<description>", "<shorter name>"];

/**
 * What a directory misses in a tool, in words, and the members of a rule that answer it.
 * @typedef {{ lacks: string, members: Record<string, any> }} Lack
 * @typedef {{ code: "directory", place: string, message: string, rule: Record<string, any> }} Refused
 */

/**
 * The directories, where their rules are published, when they were read, and how a tool is judged.
 * @type {Record<string, { source: string, read: string, judge: (tool: any) => (Lack | undefined)[] }>}
 */
const DIRECTORIES = {
  anthropic: {
    source: "https://claude.com/docs/connectors/building/review-criteria",
    read: "2026-12-01",
    judge: (tool) => [titled(tool), applicable(tool), short(tool)],
  },
  openai: {
    source: "https://developers.openai.com/apps-sdk/app-submission-guidelines",
    read: "2026-12-01",
    judge: (tool) => [
      ...["readOnlyHint", "destructiveHint", "openWorldHint"].map((hint) => set(tool, hint)),
      described(tool),
    ],
  },
};

const isText = (value) => typeof value === "string" && value.trim() !== "";
const titled = ({ title, annotations }) =>
  isText(title) || isText(annotations?.title) ? undefined : { lacks: "no `title`", members: { title: TITLE } };
const described = ({ description }) =>
  isText(description) ? undefined : { lacks: "no `description`", members: { description: DESCRIPTION } };
const set = ({ annotations }, hint) =>
  typeof annotations?.[hint] === "boolean"
    ? undefined
    : { lacks: `no \`${hint}\``, members: { annotations: { [hint]: HINT } } };
const short = ({ name }) =>
  [...name].length <= MAX_NAME
    ? undefined
    : { lacks: `a name of more than ${MAX_NAME} characters`, members: { name: NAME } };

/** A tool that only reads says so; every other one says whether it destroys. */
function applicable({ annotations }) {
  if (annotations?.readOnlyHint === true || typeof annotations?.destructiveHint === "boolean") return undefined;
  return {
    lacks: "neither `readOnlyHint: true` nor `destructiveHint`",
    members: { annotations: { readOnlyHint: HINT, destructiveHint: HINT } },
  };
}

/** Refuses a directory whose rules are not known. */
export function refuseUnknown(vendor) {
  if (vendor === undefined || Object.hasOwn(DIRECTORIES, vendor)) return;
  const known = Object.keys(DIRECTORIES).map((name) => `\`${name}\``);
  throw new Unreadable(`--directory: expected ${known.join(" or ")}, got \`${vendor}\``);
}

/**
 * Judges the tools that the configuration lists, as it lists them: all of the catalog or, with `callers`, those that any of them
 * sees.
 * @param {string} vendor
 * @param {{ rules: string, servers: string[], lists: string[] }} read
 * @param {{ tools: string[] }[]} [callers]
 */
export function directory(vendor, { rules, servers, lists }, callers) {
  if (lists.length === 0)
    throw new Unreadable(
      "--directory: expected the tools to judge: --live, --catalog lists.json or --upstream https://example.com/mcp",
    );
  const { source, read, judge } = DIRECTORIES[vendor];
  const { primitives } = JSON.parse(reading("--directory", () => roles(rules, servers, lists, [], [])));
  const seen = callers && new Set(callers.flatMap(({ tools }) => tools));
  const tools = primitives.tools.filter(({ name }) => seen === undefined || seen.has(name));
  /** @type {Refused[]} */
  const findings = tools.flatMap((tool) => {
    const lacks = judge({ ...tool.definition, name: tool.name }).filter((lack) => lack !== undefined);
    return lacks.length === 0 ? [] : [refused(vendor, tool, lacks, servers.length > 1)];
  });
  return { findings, directory: { name: vendor, source, read, tools: tools.length, refused: findings.length } };
}

/** @returns {Refused} */
function refused(vendor, { name, server, id }, lacks, several) {
  const matches = [...(several ? [term("server", server)] : []), term("name", id)].join(" ");
  const annotations = Object.assign({}, ...lacks.map(({ members }) => members.annotations));
  const members = Object.assign({}, ...lacks.map(({ members }) => members));
  const rule = { match: matches, ...members, ...(members.annotations === undefined ? {} : { annotations }) };
  const message = `the directory of ${vendor} refuses it: ${lacks.map((lack) => lack.lacks).join(", ")}`;
  return { code: "directory", place: `tool \`${name}\``, message, rule };
}

/** A term that holds for this value alone; `:` would read `*` and `?` as a pattern. */
const term = (field, value) =>
  /^[\w.-]+$/.test(value) ? `${field}:${value}` : `${field}="${value.replace(/["\\]/g, "\\$&")}"`;

/** The result in a line. */
export const summaryOf = ({ name, source, read, tools, refused }) =>
  `the directory of ${name} would refuse ${refused} of ${tools} ${tools === 1 ? "tool" : "tools"}, by its rules as read on ${read}: ${source}`;
