// @ts-check
// Definitions of tools in the formats of model providers.
import { providerNames } from "./names.js";

/** The mark by which the AI SDK knows a JSON Schema that is ready to be used. */
const SCHEMA = Symbol.for("vercel.ai.schema");

/** @typedef {import("../../types/index.js").ToolDefinition} Tool */

/** @param {Tool} tool */
const described = ({ title, description }) => description ?? title ?? "";

/**
 * Returns a schema of arguments as providers take it. They refuse a whole request if the schema of one tool has no `properties`, or
 * combines schemas at its root. The properties of those are named in its place, and the server checks how they combine.
 * @param {any} schema
 * @returns {Tool["inputSchema"]}
 */
function parametersOf({ anyOf, oneOf, allOf, not, enum: _, ...schema }) {
  const parts = (/** @type {unknown} */ given) =>
    Array.isArray(given) ? given.filter((part) => part !== null && typeof part === "object").map(parametersOf) : [];
  const all = parts(allOf);
  const properties = [...parts(anyOf), ...parts(oneOf), ...all, schema].map((part) => part.properties);
  const required = new Set([...all, schema].flatMap((part) => part.required ?? []));
  const named = { ...schema, properties: Object.assign({}, ...properties) };
  return required.size > 0 ? { ...named, required: [...required] } : named;
}

/** @param {readonly Tool[]} tools */
export function forAnthropic(tools) {
  const names = providerNames(tools);
  return tools.map((tool, at) => ({
    name: names[at],
    description: described(tool),
    input_schema: parametersOf(tool.inputSchema),
  }));
}

/**
 * @param {readonly Tool[]} tools
 * @param {"responses" | "chat"} api
 */
export function forOpenAI(tools, api) {
  const names = providerNames(tools);
  const functions = tools.map((tool, at) => ({
    name: names[at],
    description: described(tool),
    parameters: parametersOf(tool.inputSchema),
  }));
  if (api === "chat") return functions.map((one) => ({ type: "function", function: one }));
  return functions.map((one) => ({ type: "function", ...one, strict: false }));
}

/**
 * Returns what a model of the AI SDK reads of a result: its content. Without this function the SDK writes the whole result as JSON,
 * with `structuredContent` beside the same text and images as text. Version 5 of the SDK passes the result alone, and knows images
 * by another name.
 * @param {any} given
 */
function toModelOutput(given) {
  const old = given?.toolCallId === undefined;
  const result = old ? given : given.output;
  if (!Array.isArray(result?.content)) return { type: "json", value: result ?? null };
  const value = result.content.map((/** @type {any} */ part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "image") return { type: old ? "media" : "image-data", data: part.data, mediaType: part.mimeType };
    return { type: "text", text: JSON.stringify(part) };
  });
  return { type: "content", value };
}

/**
 * @param {readonly Tool[]} tools
 * @param {(name: string, args: unknown, context: unknown) => Promise<unknown>} handle
 */
export function forAiSdk(tools, handle) {
  const names = providerNames(tools);
  return Object.fromEntries(
    tools.map((tool, at) => [
      names[at],
      {
        description: described(tool),
        inputSchema: { [SCHEMA]: true, jsonSchema: parametersOf(tool.inputSchema), validate: undefined },
        execute: (/** @type {unknown} */ args, /** @type {unknown} */ context) => handle(tool.name, args, context),
        toModelOutput,
      },
    ]),
  );
}
