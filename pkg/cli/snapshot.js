// `mcp-sieve snapshot`: a catalog compiled at build time, to be loaded without parsing.
import { snapshot as write } from "./engine.js";
import { Unreadable, inputs, output, reading, textOf } from "./input.js";
import { CONFIG, OUT } from "./options.js";
import { warn } from "./print.js";

export const usage = {
  summary: "Compile a catalog into a file that loads without parsing.",
  takes: "LISTS",
  most: Infinity,
  about: "LISTS are files of list results; NAME=FILE if the configuration has several `upstreams`. `Sieve.restore` loads the file.",
  options: {
    config: CONFIG,
    tokens: { type: "string", value: "FILE", help: "Token counts that `npx mcp-sieve tokens` wrote for the same lists and configuration." },
    out: { ...OUT, help: "The file to write (required)." },
  },
  examples: ["lists.json --config sieve.jsonc --tokens tokens.json -o catalog.sieve"],
};

export default function snapshot({ subjects, config, tokens, out }) {
  if (subjects.length === 0) throw new Unreadable("expected the lists of a server: `npx mcp-sieve snapshot lists.json -o catalog.sieve`");
  if (out === undefined) throw new Unreadable("expected a file to write: `-o catalog.sieve`");
  const { rules, servers, lists } = inputs(config, subjects);
  const counts = tokens === undefined ? undefined : textOf(tokens);
  const bytes = reading(tokens ?? "--config", () => write(rules, servers, lists, counts));
  output(out, bytes);
  warn(`${out}: ${bytes.length} bytes`);
  return 0;
}
