// `sieve tokens`: what each primitive takes of a model's context, counted with the vocabulary at hand.
import { YES, borrowed } from "./borrow.js";
import { texts } from "./engine.js";
import { Unreadable, inputs, options, output } from "./input.js";
import { json, warn } from "./print.js";

export default async function tokens(args) {
  const { subjects, config, out, yes } = options(args, {
    ...YES,
    config: { type: "string" },
    out: { type: "string", short: "o" },
  }, Infinity);
  if (subjects.length === 0) throw new Unreadable("expected what a server listed: `sieve tokens lists.json`");
  const { rules, servers, lists } = inputs(config, subjects);
  const { countTokens } = await borrowed("gpt-tokenizer", { path: "/encoding/o200k_base", yes });
  const { catalog, primitives } = JSON.parse(texts(rules, servers, lists));
  let [count, sum] = [0, 0];
  const counted = ([name, text]) => {
    // What looks like a special token is text here, as it is to whoever sends it.
    const length = countTokens(text, { disallowedSpecial: new Set() });
    count += 1;
    sum += length;
    return [name, length];
  };
  const counts = Object.entries(primitives).map(([kind, list]) => [kind, Object.fromEntries(list.map(counted))]);
  output(out, `${json({ catalog, tokens: Object.fromEntries(counts) })}\n`);
  warn(`${sum} tokens in ${count} ${count === 1 ? "primitive" : "primitives"}`);
  return 0;
}
