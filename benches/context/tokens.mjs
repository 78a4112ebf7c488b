// Token counts of the o200k_base encoding.
import { countTokens } from "../../tests/tokenizer/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js";

const known = new Map();

/** Returns the number of tokens of a text, or of a value as JSON. */
export function tokensOf(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (!known.has(text)) known.set(text, countTokens(text));
  return known.get(text);
}

/** Returns the number of tokens of a list of tools, as hosts pass definitions to their models. */
export const tokensOfList = (tools) =>
  tools.reduce((sum, { name, description, inputSchema }) => sum + tokensOf({ name, description, inputSchema }), 0);
