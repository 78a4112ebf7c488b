// `sieve snapshot`: a catalog compiled at build time, to be loaded without parsing.
import { snapshot as write } from "./engine.js";
import { Unreadable, inputs, options, output, reading, textOf } from "./input.js";
import { warn } from "./print.js";

export default function snapshot(args) {
  const { subjects, config, tokens, out } = options(args, {
    config: { type: "string" },
    tokens: { type: "string" },
    out: { type: "string", short: "o" },
  }, Infinity);
  if (subjects.length === 0) throw new Unreadable("expected what a server listed: `sieve snapshot lists.json -o catalog.sieve`");
  if (out === undefined) throw new Unreadable("expected a file to write: `-o catalog.sieve`");
  const { rules, servers, lists } = inputs(config, subjects);
  const counts = tokens === undefined ? undefined : textOf(tokens);
  const bytes = reading(tokens ?? "--config", () => write(rules, servers, lists, counts));
  output(out, bytes);
  warn(`${out}: ${bytes.length} bytes`);
  return 0;
}
