// @ts-check
// What all servers list, beside what hosts take.
import { parseConfig } from "./input.js";

/** The limits of hosts for tools, as of November 2026. */
const LIMITS = [
  { host: "Cursor", tools: 40 },
  { host: "VS Code", tools: 128 },
];
/** The mode, and the tokens up to which `auto` lists all tools, unless the file sets them (`config/disclosure.rs`). */
const MODE = "flat";
const BUDGET = 8_000;

/** @typedef {{ tools: number, tokens: Record<"flat" | "search" | "groups", number> }} Total what models read first in each mode */

/**
 * Returns a line about the number of tools and their tokens, with the limits that they exceed and what `search` would take.
 * @param {Total} total
 * @param {string} config
 * @param {string} [chosen] the mode that the command line sets
 */
export function totalLine({ tools, tokens }, config, chosen) {
  const { disclosure = {}, policies = [], presets = [] } = parseConfig(config);
  const { mode = MODE, budget = BUDGET } = disclosure;
  const wanted = chosen ?? mode;
  const used = wanted === "auto" ? (tokens.flat > budget ? "search" : "flat") : wanted;
  const bounds = [policies.length > 0 && "policies", presets.length > 0 && "presets"].filter(Boolean).join(" and ");
  const head = `total: ${count(tools, "tool")}, ${count(tokens.flat, "token")}${bounds && ` before ${bounds}`}`;
  const first = tokens[used];
  // A mode that is not measured, such as `outline`, still lists every tool.
  if (used !== "flat" && first !== undefined)
    return `${head}; in the mode \`${used}\` a model reads ${count(first, "token")} first`;
  const exceeded = LIMITS.filter((limit) => limit.tools < tools);
  const limits = exceeded.map(
    (limit, at) => `${limit.host}${at === 0 ? " takes" : ""} ${count(limit.tools, at === 0 ? "tool" : "")}`,
  );
  const outline = used === "outline" ? ["in the mode `outline` a model reads a name and one line of each first"] : [];
  const less = tokens.search < tokens.flat ? [`with search a model reads ${count(tokens.search, "token")} first`] : [];
  return [head, ...(limits.length > 0 ? [limits.join(", ")] : []), ...outline, ...less].join("; ");
}

/** A number with its noun, `1,085 tools`. */
const count = (number, noun) => `${number.toLocaleString("en")}${noun && ` ${noun}${number === 1 ? "" : "s"}`}`;
