// Generates pkg/types/config.d.ts, the types of `sieve.jsonc`, from its JSON Schema: `node scripts/config-types.mjs`.
// The usual generators flatten each `$ref` that has its own description, so `Expression` would appear a dozen times.
// They also turn `patternProperties` into an index signature, which accepts any misspelt member.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SCHEMA = new URL("../crates/gateway/src/config/sieve.schema.json", import.meta.url);
const TYPES = new URL("../pkg/types/config.d.ts", import.meta.url);
/** Maximum length of a line of the output, in characters. */
const WIDTH = 120;

/** Names for definitions whose own name, capitalized, is taken or too vague. */
const NAMES = {
  chain: "MiddlewareChain",
  concern: "ConcernDeclaration",
  filtering: "FilteringFeatures",
  group: "GroupDeclaration",
  mandate: "MiddlewareMandate",
  middleware: "MiddlewareConfig",
  range: "ConcernRange",
  server: "ServerInfo",
  sides: "TimeBounds",
  step: "MiddlewareStep",
  tag: "TagDeclaration",
  tasks: "TasksConfig",
  value: "ConcernValue",
};

/** Pattern of keys → the TypeScript type of those keys. A new pattern needs an entry here. */
const KEYS = {
  '^(concern|annotation|meta|capability|claim|header|request[.]meta)[.][^\\s()"\\\\:=!<>]+$':
    '`${"concern" | "annotation" | "meta" | "capability" | "claim" | "header" | "request.meta"}.${string}`',
  "^([:=<>]|[!<>]=|contains|starts)$": '":" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "starts"',
};

const PREFIX = "#/$defs/";
const PRIMITIVES = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" };

const nameOf = (name) => NAMES[name] ?? name[0].toUpperCase() + name.slice(1);
const indented = (text) => text.replaceAll(/^(?=.)/gm, "  ");

/** Returns whether a schema gets a named type in the output. Lists and refined strings are written inline. */
const isNamed = (name, schema) =>
  name in NAMES ||
  "properties" in schema ||
  "oneOf" in schema ||
  "patternProperties" in schema ||
  typeof schema.additionalProperties === "object";

/** Returns the types of a configuration as the text of a declaration file. */
export function configTypes(schema) {
  // A section of the file that is described inline gets a name too.
  const sections = Object.entries(schema.properties).filter(([, section]) => "properties" in section);
  const definitions = { ...schema.$defs, ...Object.fromEntries(sections) };
  const properties = {
    ...schema.properties,
    ...Object.fromEntries(sections.map(([name, { description }]) => [name, { $ref: `#/$defs/${name}`, description }])),
  };

  function referred(path) {
    const name = path.replace(PREFIX, "");
    const found = definitions[name];
    if (found === undefined) throw new Error(`the schema refers to ${path}, which it does not define`);
    if (!isNamed(name, found)) return typeOf(found);
    return `${nameOf(name)}${[found.type].flat().includes("null") ? " | null" : ""}`;
  }

  function typeOf(schema) {
    if (schema === true) return "unknown";
    if (schema.$ref !== undefined) {
      const name = referred(schema.$ref);
      return schema.required === undefined
        ? name
        : `${name} & Required<Pick<${name}, ${schema.required.map((key) => JSON.stringify(key)).join(" | ")}>>`;
    }
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(" | ");
    return [schema.type]
      .flat()
      .map((type) => PRIMITIVES[type] ?? { array: arrayOf, object: objectOf }[type](schema))
      .join(" | ");
  }

  function arrayOf({ items }) {
    const item = items === undefined ? "unknown" : typeOf(items);
    return `readonly ${/[|&]/.test(item) ? `(${item})` : item}[]`;
  }

  function objectOf({ properties, required = [], patternProperties = {}, additionalProperties }) {
    const patterns = Object.entries(patternProperties).map(([pattern, value]) => {
      if (!(pattern in KEYS)) throw new Error(`scripts/config-types.mjs: no key type for the pattern ${pattern}`);
      // A finite set of keys becomes a mapped type, which accepts no other member.
      return KEYS[pattern].startsWith("`")
        ? `readonly [key: ${KEYS[pattern]}]: ${typeOf(value)};`
        : `readonly [key in ${KEYS[pattern]}]?: ${typeOf(value)};`;
    });
    const members = Object.entries(properties ?? {}).map(([name, member]) => {
      const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
      return `${documented({ description: definitions[member.$ref?.replace(PREFIX, "")]?.description, ...member })}readonly ${key}${required.includes(name) ? "" : "?"}: ${typeOf(member)};`;
    });
    if (members.length > 0 && additionalProperties === true) patterns.push("readonly [name: string]: unknown;");
    if (members.length + patterns.length > 0) return `{\n${indented([...members, ...patterns].join("\n"))}\n}`;
    return `Readonly<Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"}>>`;
  }

  const declared = (name, schema) => {
    // If the value may be null, the schema that refers to it says so.
    const type = typeOf(schema.properties === undefined ? schema : { ...schema, type: "object" });
    // A mapped type cannot be an interface.
    const declaration = /^\{(?!.*\[key in)[^]*\}$/s.test(type)
      ? `interface ${name} ${type}`
      : `type ${name} = ${type};`;
    return `${documented(schema)}export ${declaration}`;
  };
  const parts = [
    "// Generated by scripts/config-types.mjs from crates/gateway/src/config/sieve.schema.json: change that, and run the script.",
    declared("Config", { ...schema, properties }),
    ...Object.entries(definitions)
      .filter(([name, part]) => isNamed(name, part))
      .map(([name, part]) => declared(nameOf(name), part)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns a doc comment whose lines fit into `WIDTH` at any indentation. A schema without a description has none. */
function documented({ description, default: usual }) {
  if (description === undefined) return "";
  const shown =
    usual !== undefined && usual !== null && typeof usual !== "object" ? [`@default ${JSON.stringify(usual)}`] : [];
  const lines = [...wrapped(description.replaceAll("*/", "*\\/")), ...shown];
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */\n`;
}

function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length + 1 > WIDTH - 12) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(TYPES, configTypes(JSON.parse(readFileSync(SCHEMA, "utf8"))));
