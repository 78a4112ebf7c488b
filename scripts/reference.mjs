// Writes the tables of docs/configuration.md from the JSON Schema of the configuration.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = new URL("../docs/configuration.md", import.meta.url);
const schema = JSON.parse(
  readFileSync(new URL("../crates/gateway/src/config/sieve.schema.json", import.meta.url), "utf8"),
);
// A section that the file's own object describes is a definition like the others.
for (const [name, { properties }] of Object.entries(schema.properties)) {
  if (!properties) continue;
  schema.$defs[name] = schema.properties[name];
  schema.properties[name] = { $ref: `#/$defs/${name}` };
}
const [BEGIN, END] = [
  "<!-- tables: made from crates/gateway/src/config/sieve.schema.json by scripts/reference.mjs -->",
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
  upstreamAuth: "`auth` of a server",
  authClient: "`auth.client` of a server",
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

/** Returns the type of a value: its alternatives, with links to the sections that describe them, and their bounds. */
function typeOf(member) {
  const name = definition(member.$ref);
  if (name in HREF) return `[${name}](${HREF[name]})`;
  const { type, items, oneOf, additionalProperties, ...own } = resolved(member);
  if (oneOf) return or(oneOf.map((one) => (name in SECTIONS && one.properties ? link(name) : nested(one))));
  if (name in SECTIONS) return link(name) + (member.required ? ` with \`${member.required}\`` : "");
  if (own.enum) return or(own.enum.filter((value) => value !== null).map((value) => `\`"${value}"\``));
  const shown = [type].flat().filter((one) => one !== "null");
  return or(
    shown.map((one) => {
      const contents = one === "array" ? items : one === "object" && additionalProperties;
      return one + boundsOf(own, one) + (contents ? ` of ${grouped(contentsOf(contents))}` : "");
    }),
  );
}

/** Returns the type of the items of an array or the values of an object, where `null` means something. */
const contentsOf = (schema) => typeOf(schema) + ([schema.type].flat().includes("null") ? " or null" : "");
const link = (name) => `[${name}](#${anchor(SECTIONS[name])})`;
const or = (types) => [...new Set(types.filter(Boolean))].join(" or ");
const grouped = (type) => (type.includes(" or ") ? `(${type})` : type);
/** Returns the type of an alternative. An object without a section shows its members. */
const nested = (one) => {
  const { properties } = resolved(one);
  return properties && !(definition(one.$ref) in SECTIONS)
    ? `\`{ ${Object.keys(properties).join(", ")} }\``
    : typeOf(one);
};

/** Names of the bounds in the schema, by type: the least, the most, and the unit. */
const BOUNDS = {
  string: ["minLength", "maxLength", " characters"],
  array: ["minItems", "maxItems", ""],
  object: ["minProperties", "maxProperties", ""],
  number: ["minimum", "maximum", ""],
  integer: ["minimum", "maximum", ""],
};

function boundsOf(schema, type) {
  if (schema.exclusiveMinimum !== undefined) return ` (more than ${schema.exclusiveMinimum})`;
  const [least, most, unit] = BOUNDS[type] ?? [];
  const widest = 2 ** 31 - 1;
  const from = schema[least] > -widest ? schema[least] : undefined;
  const to = schema[most] < widest ? schema[most] : undefined;
  if (from !== undefined && to !== undefined) return ` (${from} to ${to}${unit})`;
  if (to !== undefined) return ` (at most ${to}${unit})`;
  if (from === 1 && type === "string") return " (not empty)";
  return from === undefined ? "" : ` (at least ${from}${unit})`;
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
    const own = `| \`${under}${name}\` | ${typeOf(member)} | ${given} | ${description.replaceAll("|", "\\|")} |`;
    const shown = inner && !(definition(member.$ref) in SECTIONS);
    return [own, ...(shown ? rows({ properties: inner, required: rest.required }, `${under}${name}.`) : [])];
  });
}

const table = (object) =>
  ["| member | type | default | what it does |", "|---|---|---|---|", ...rows(object)].join("\n");

/** Returns the tables as Markdown. */
export function reference() {
  const sections = Object.entries(SECTIONS).map(([name, heading]) => {
    const { description, oneOf, ...object } = schema.$defs[name];
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
