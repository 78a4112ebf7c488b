// @ts-check
// `mcp-sieve tokens`: what each primitive takes of a model's context, counted with the vocabulary at hand.
import { YES, borrowed } from "../lib/optional-packages.js";
import { texts } from "../lib/engine.js";
import { Unreadable, output } from "../lib/input.js";
import { CONFIG, OUT } from "../lib/options.js";
import { json, warn } from "../lib/print.js";
import { SOURCES, configOf, gather, warnOf } from "../lib/sources.js";

export const usage = {
  summary: "Count the tokens of each tool, resource and prompt.",
  takes: "[LISTS]",
  most: Infinity,
  about:
    "LISTS are files of list results; NAME=FILE if the configuration has several `upstreams`. The counts (o200k) are for\n`limit.tokens` in a filter and for `npx mcp-sieve snapshot`.",
  options: {
    ...SOURCES,
    config: CONFIG,
    out: { ...OUT, help: "The file to write (default: standard output)." },
    ...YES,
  },
  examples: ["lists.json --config sieve.jsonc -o tokens.json", "--live -o tokens.json"],
};

export default async function tokens({ subjects, config, out, yes, ...sources }) {
  if (!sources.live && sources.upstream === undefined && subjects.length === 0)
    throw new Unreadable("expected the lists of a server: `npx mcp-sieve tokens lists.json`, or --live");
  const read = await gather(configOf(config, sources), { ...sources, catalog: subjects }, { whole: true });
  const { rules, servers, lists } = read;
  const { countTokens } = await borrowed("gpt-tokenizer", { path: "/encoding/o200k_base", yes });
  const { catalog, primitives } = JSON.parse(texts(rules, servers, lists));
  let [count, sum] = [0, 0];
  const counted = ([name, text]) => {
    // Text that looks like a special token counts as text, as it does for a host that sends it.
    const length = countTokens(text, { disallowedSpecial: new Set() });
    count += 1;
    sum += length;
    return [name, length];
  };
  const counts = Object.entries(primitives).map(([kind, list]) => [kind, Object.fromEntries(list.map(counted))]);
  output(out, `${json({ catalog, tokens: Object.fromEntries(counts) })}\n`);
  warnOf(read);
  warn(`${sum} tokens in ${count} ${count === 1 ? "primitive" : "primitives"}`);
  return 0;
}
