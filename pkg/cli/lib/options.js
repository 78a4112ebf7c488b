// @ts-check
// Arguments of a command, read by the table of options from which its help is printed.
import { parseArgs } from "node:util";
import { usages } from "./commands.js";
import { nearest } from "./suggest.js";
import { Unreadable } from "./cli-error.js";

/** The option that every command has. */
export const HELP = { help: { type: "boolean", short: "h", help: "Print this help." } };

/** The configuration that a command reads if none is named. */
export const USUAL = "sieve.jsonc";

// Options that several commands share. `value` and `help` are what help prints.
export const CATALOG = {
  type: "string",
  multiple: true,
  value: "LISTS",
  help: "Read list results from a file, or - for standard input; NAME=FILE for each of several servers.",
};
export const CONFIG = { type: "string", value: "FILE", help: "The configuration, such as sieve.jsonc." };
export const FILTER = {
  type: "string",
  value: "FILTER",
  help: "A filter: params.filter as JSON, or a URL's query such as groups=issues&tags=stable.",
};
export const JSON_LINE = { type: "boolean", help: "Print the result as JSON." };
export const KIND = {
  type: "string",
  value: "KIND",
  help: "tools (default), resources, resourceTemplates, prompts or skills.",
};
export const OUT = { type: "string", short: "o", value: "FILE" };
export const QUERY = { type: "string", value: "QUERY", help: "The query of the URL that the list was requested from." };

/**
 * Parses the arguments of the command `name` as its `usage` declares them. Returns the options by name, the arguments
 * as `subjects`, and the first of these as `subject`.
 */
export async function parse(name, args, { options: own, takes, most = 1 }) {
  const options = { ...own, ...HELP };
  // Not strict: the messages of `parseArgs` do not suggest options.
  const { values, positionals, tokens } = parseArgs({ args, options, strict: false, tokens: true });
  /** @type {any[]} */
  const given = tokens.filter(({ kind }) => kind === "option");
  if (given.some((token) => token.name === "help")) return { help: true };
  for (const token of given) {
    if (!Object.hasOwn(options, token.name)) throw new Unreadable(await unknown(name, token.rawName, options));
    requireValue(token, options[token.name]);
  }
  if (positionals.length > most) {
    const expected = most === 0 ? "no argument" : most > 1 ? `\`${takes}\`` : `one ${takes.replaceAll(/[[\]]/g, "")}`;
    throw new Unreadable(`\`${name}\` expects ${expected}, got ${shortened(positionals)}; ${pointer(name)}`);
  }
  return { ...values, subject: positionals[0], subjects: positionals };
}

function requireValue({ rawName, value, inlineValue }, { type, value: metavariable }) {
  if (type === "boolean" && value !== undefined)
    throw new Unreadable(`${rawName}: expected no value, got \`${value}\``);
  if (type !== "string") return;
  if (value === undefined) throw new Unreadable(`${rawName}: expected a value: \`${rawName} ${metavariable}\``);
  // A lone `-` is standard input.
  if (!inlineValue && /^-./.test(value))
    throw new Unreadable(
      `${rawName}: expected a value, got the option \`${value}\`; write \`${rawName}=${value}\` if the value begins with \`-\``,
    );
}

/** The message for an option that the command does not have. */
async function unknown(name, rawName, options) {
  const bare = rawName.replace(/^-+/, "");
  const long = rawName.startsWith("--");
  const others = (await usages()).filter(([, usage]) =>
    Object.entries(usage.options).some(([known, { short }]) => bare === (long ? known : short)),
  );
  if (others.length > 0)
    return `\`${rawName}\` is an option of ${listed(others.map(([other]) => other))}, not of \`${name}\`; ${pointer(name)}`;
  const meant = long ? nearest(bare, Object.keys(options)) : undefined;
  return `unknown option \`${rawName}\` of \`${name}\`${meant === undefined ? "" : ` (did you mean \`--${meant}\`?)`}; ${pointer(name)}`;
}

/** Returns the message for an option before any command. Its value is not repeated, since it may be a secret. */
export async function misplaced(word) {
  const rawName = word.replace(/=[^]*/, "");
  const owners = (await usages()).filter(([, { options }]) => Object.hasOwn(options, rawName.replace(/^-+/, "")));
  const example = owners[0]?.[0] ?? "init";
  return `expected a command before \`${rawName}\`, such as \`npx mcp-sieve ${example} ${rawName}\`; \`npx mcp-sieve --help\` lists the commands`;
}

/** The first of the surplus arguments. Others may be parts of a header that was not quoted. */
/** @type {(words: string[]) => string} */
const shortened = ([first, second, ...more]) =>
  [
    `\`${first}\``,
    ...(second === undefined ? [] : [`\`${second}\``]),
    ...(more.length > 0 ? [`${more.length} more`] : []),
  ].join(" and ");

const pointer = (name) => `\`npx mcp-sieve ${name} --help\` lists its options`;

/** Names as "`a`, `b` and `c`". */
const listed = (names) =>
  names
    .map((name) => `\`${name}\``)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1");
