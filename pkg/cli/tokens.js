// `sieve tokens`: what each primitive takes of a model's context, counted with the vocabulary at hand.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { texts } from "./engine.js";
import { Unreadable, inputs, options, output } from "./input.js";

const TOKENIZER = "gpt-tokenizer/encoding/o200k_base";

export default async function tokens(args) {
  const { subjects, config, out } = options(args, {
    config: { type: "string" },
    out: { type: "string", short: "o" },
  }, Infinity);
  if (subjects.length === 0) throw new Unreadable("expected what a server listed: `sieve tokens lists.json`");
  const { rules, servers, lists } = inputs(config, subjects);
  const { countTokens } = await tokenizer();
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
  output(out, `${JSON.stringify({ catalog, tokens: Object.fromEntries(counts) })}\n`);
  process.stderr.write(`${sum} tokens in ${count} ${count === 1 ? "primitive" : "primitives"}\n`);
  return 0;
}

/** The tokenizer beside the package, or else the one of the project that the command is run in. */
async function tokenizer() {
  try {
    return await import(TOKENIZER);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  }
  let path;
  try {
    path = createRequire(join(process.cwd(), "package.json")).resolve(TOKENIZER);
  } catch {
    throw new Unreadable("counting tokens takes the package `gpt-tokenizer`, which is not installed: npm install gpt-tokenizer");
  }
  return import(pathToFileURL(path));
}
