// @ts-check
// The scores that the author's model gives to the tools that a search can find.
import { failure, safely } from "./ask.js";

/** The scores of a ranker as numbers. The core counts them, and notes why there are none. */
export async function scoresOf(ranker, query, tools, env) {
  const names = tools.map(({ name }) => name);
  const descriptions = tools.map(({ description }) => description);
  return safely("it", async () => {
    const scores = await ranker(query, names, { env, descriptions });
    if (!Array.isArray(scores) && !ArrayBuffer.isView(scores))
      throw failure("TypeError", `expected an array of scores, got ${typeof scores}`);
    return Float32Array.from(/** @type {any} */ (scores), Number);
  });
}
