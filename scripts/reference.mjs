// Writes the tables of docs/configuration.md from the JSON Schema of the configuration.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = new URL("../docs/configuration.md", import.meta.url);
const schema = JSON.parse(readFileSync(new URL("../src/config/sieve.schema.json", import.meta.url), "utf8"));
const [BEGIN, END] = [
  "<!-- tables: made from src/config/sieve.schema.json by scripts/reference.mjs -->",
  "<!-- end of the tables -->",
];

/** Definitions with their own heading, and the member of the file or of another definition that holds them. */
const SECTIONS = {
  server: "`server`",
  group: "`groups[]`",
  tag: "`tags[]`",
  concern: "`concerns[]`",
  range: "A range of `values`",
  rule: "`rules[]`",
  check: "`checks[]`",
  policy: "`policies[]`",
  preset: "`presets[]`",
  upstream: "`upstream`, `upstreams[]`",
  passedMethod: "`passMethods[]`",
  auth: "`auth`",
  limits: "`limits`",
  filtering: "`filtering`",
  disclosure: "`disclosure`",
  disclosureClient: "`disclosure.clients[]`",
  drafts: "`drafts`",
  serverCard: "`drafts.serverCard`",
  disclosedGroups: "`drafts.groups`",
  tasks: "`tasks`",
  middleware: "`middleware`",
  middlewareServer: "`middleware.servers.NAME`",
  contentPolicy: "`middleware.policies.NAME`",
  weightedPhrase: "A phrase",
  piiPattern: "`middleware.patterns.NAME`",
  mandate: "`middleware.chains[]`",
  chain: "A chain",
  step: "A step",
};
const HREF = { expression: "expressions.md" };
const definition = ($ref) => $ref?.replace("#/$defs/", "");
const resolved = ({ $ref, ...own }) => ($ref ? { ...schema.$defs[definition($ref)], ...own } : own);
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Returns the type of a member, with a link to the section that describes it. */
function typeOf(member, key) {
  const name = definition(member.$ref) ?? (key in SECTIONS ? key : undefined);
  if (name in HREF) return `[${name}](${HREF[name]})`;
  if (name in SECTIONS) return `[${name}](#${anchor(SECTIONS[name])})`;
  const { type, items, oneOf, additionalProperties } = resolved(member);
  if (member.enum) return member.enum.map((value) => `\`"${value}"\``).join(" or ");
  if (oneOf) return [...new Set(oneOf.map((one) => typeOf(one)))].join(" or ");
  const types = [type].flat().filter((one) => one !== "null");
  return types
    .map((one) => {
      if (one === "array") return items ? `array of ${typeOf(items)}` : "array";
      if (one === "object" && typeof additionalProperties === "object")
        return `object of ${typeOf(additionalProperties)}`;
      return one;
    })
    .join(" or ");
}

function boundsOf(member) {
  const { minimum, maximum, maxItems, maxLength, minItems } = resolved(member);
  const widest = 2 ** 31 - 1;
  const parts = [];
  if (minimum > -widest) parts.push(`at least ${minimum}`);
  if (maximum < widest) parts.push(`at most ${maximum}`);
  if (minItems) parts.push(`at least ${minItems} of them`);
  if (maxItems) parts.push(`at most ${maxItems} of them`);
  if (maxLength) parts.push(`at most ${maxLength} characters`);
  return parts.length ? ` (${parts.join(", ")})` : "";
}

/** Returns the rows of an object's members. An object without a section is followed by its members. */
function rows({ properties = {}, required = [] }, under = "") {
  return Object.entries(properties).flatMap(([name, member]) => {
    if (name === "$schema") return [];
    const { description = "", properties: inner, ...rest } = resolved(member);
    const given = required.includes(name)
      ? "required"
      : rest.default === undefined || rest.default === null
        ? ""
        : `\`${JSON.stringify(rest.default)}\``;
    const own = `| \`${under}${name}\` | ${typeOf(member, under ? undefined : name)}${boundsOf(member)} | ${given} | ${description.replaceAll("|", "\\|")} |`;
    const shown = inner && !(definition(member.$ref) in SECTIONS) && !(name in SECTIONS);
    return [own, ...(shown ? rows({ properties: inner, required: rest.required }, `${under}${name}.`) : [])];
  });
}

const table = (object) =>
  ["| member | type | default | what it does |", "|---|---|---|---|", ...rows(object)].join("\n");

/** Returns the tables as Markdown. */
export function reference() {
  const sections = Object.entries(SECTIONS).map(([name, heading]) => {
    const { description, oneOf, ...object } = schema.$defs[name] ?? schema.properties[name];
    const shown = oneOf?.find(({ properties }) => properties) ?? object;
    return `### ${heading}\n\n${description}\n\n${table(shown)}`;
  });
  return [
    BEGIN,
    "",
    "### The file",
    "",
    schema.description,
    "",
    table(schema),
    "",
    sections.join("\n\n"),
    "",
    END,
  ].join("\n");
}

/** Returns the page with current tables. */
export function written() {
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split(BEGIN);
  return `${before}${reference()}${rest.split(END)[1]}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, written());
