// @ts-check
// `mcp-sieve snapshot`: a catalog compiled at build time, to be loaded without parsing.
import { snapshot as write, texts } from "../lib/engine.js";
import { Unreadable, output, reading, textOf } from "../lib/input.js";
import { CONFIG, OUT } from "../lib/options.js";
import { warn } from "../lib/print.js";
import { SOURCES, configOf, gather, warnOf } from "../lib/sources.js";

export const usage = {
  summary: "Compile a catalog into a file that loads without parsing.",
  takes: "[LISTS]",
  most: Infinity,
  about:
    "LISTS are files of list results; NAME=FILE if the configuration has several `upstreams`. `Sieve.restore` loads the file.",
  options: {
    ...SOURCES,
    config: CONFIG,
    tokens: {
      type: "string",
      value: "FILE",
      help: "Token counts that `npx mcp-sieve tokens` wrote for the same lists and configuration.",
    },
    out: { ...OUT, help: "The file to write (required)." },
  },
  examples: ["lists.json --config sieve.jsonc --tokens tokens.json -o catalog.sieve", "--live -o catalog.sieve"],
};

export default async function snapshot({ subjects, config: given, tokens, out, ...sources }) {
  if (!sources.live && sources.upstream === undefined && subjects.length === 0)
    throw new Unreadable(
      "expected the lists of a server: `npx mcp-sieve snapshot lists.json -o catalog.sieve`, or --live",
    );
  if (out === undefined) throw new Unreadable("expected a file to write: `-o catalog.sieve`");
  const config = configOf(given, sources);
  const read = await gather(config, { ...sources, catalog: subjects }, { whole: true });
  const counts = tokens === undefined ? undefined : textOf(tokens);
  if (counts !== undefined) fitting(tokens, counts, read, again(config, tokens, subjects, sources));
  const bytes = reading(tokens ?? "--config", () => write(read.rules, read.servers, read.lists, counts));
  output(out, bytes);
  warnOf(read);
  warn(`${out}: ${bytes.length} bytes`);
  return 0;
}

/**
 * Returns the `tokens` command that makes matching counts.
 * @param {string | undefined} config
 * @param {string} tokens
 * @param {string[]} subjects
 * @param {import("../lib/sources.js").Sources} sources
 */
function again(config, tokens, subjects, { live, upstream = [] }) {
  const words = [
    ...subjects,
    ...(live ? ["--live"] : []),
    ...upstream.flatMap((address) => ["--upstream", address]),
    ...(config === undefined ? [] : ["--config", config]),
  ];
  return `npx mcp-sieve tokens ${words.join(" ")} -o ${tokens}`;
}

/** Refuses counts of another catalog: a configuration changes what is sent, and so what it costs. */
function fitting(path, counts, { rules, servers, lists }, command) {
  const counted = catalogIn(counts);
  const catalogOf = (rules) => JSON.parse(texts(rules, servers, lists)).catalog;
  if (counted === undefined || counted === catalogOf(rules)) return;
  const why =
    rules !== "{}" && counted === catalogOf("{}")
      ? "counted without --config"
      : "counted for other lists, or with another configuration";
  throw new Unreadable(`${path}: ${why}; run \`${command}\``);
}

/** The catalog that tokens were counted for. The engine refuses invalid JSON, with its position. */
function catalogIn(counts) {
  try {
    return JSON.parse(counts)?.catalog;
  } catch {
    return undefined;
  }
}
