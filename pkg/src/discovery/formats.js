// @ts-check
// Definitions of tools in the formats of model providers.
import { providerName } from "./names.js";

/** The mark by which the AI SDK knows a JSON Schema that is ready to be used. */
const SCHEMA = Symbol.for("vercel.ai.schema");

/** @typedef {import("../../types/index.js").ToolDefinition} Tool */

/** @param {Tool} tool */
const described = ({ title, description }) => description ?? title ?? "";

/** @param {readonly Tool[]} tools */
export const forAnthropic = (tools) =>
  tools.map((tool) => ({
    name: providerName(tool.name),
    description: described(tool),
    input_schema: tool.inputSchema,
  }));

/**
 * @param {readonly Tool[]} tools
 * @param {"responses" | "chat"} api
 */
export function forOpenAI(tools, api) {
  const functions = tools.map((tool) => ({
    name: providerName(tool.name),
    description: described(tool),
    parameters: tool.inputSchema,
  }));
  if (api === "chat") return functions.map((one) => ({ type: "function", function: one }));
  return functions.map((one) => ({ type: "function", ...one, strict: false }));
}

/**
 * @param {readonly Tool[]} tools
 * @param {(name: string, args: unknown, context: unknown) => Promise<unknown>} handle
 */
export const forAiSdk = (tools, handle) =>
  Object.fromEntries(
    tools.map((tool) => [
      providerName(tool.name),
      {
        description: described(tool),
        inputSchema: { [SCHEMA]: true, jsonSchema: tool.inputSchema, validate: undefined },
        execute: (/** @type {unknown} */ args, /** @type {unknown} */ context) => handle(tool.name, args, context),
      },
    ]),
  );
