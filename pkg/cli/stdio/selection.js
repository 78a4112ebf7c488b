// @ts-check
// What the options of `stdio` select: mistakes in them are reported to the person who starts it, not only to the host.
import { Unreadable } from "../lib/cli-error.js";
import { statelessHeaders } from "./http-headers.js";
import { STATELESS_PARAMS } from "./message.js";

const FILTER = "dev.mcpsieve/filter";
const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: STATELESS_PARAMS };

/**
 * Lists the tools at an endpoint. Resolves with lines about names in the query that select nothing.
 * @param {string} url
 * @param {{ preset?: string, query?: string, presets?: string[], headers?: Record<string, string> }} options
 *   `presets` are those of the file, and `headers` those that the gateway needs
 * @throws {Unreadable} if nothing is served there, and for a query that the gateway refuses
 */
export async function selectionProblems(url, { preset, query, presets = [], headers = {} }) {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, ...statelessHeaders(REQUEST) },
    body: JSON.stringify(REQUEST),
  });
  const { result, error } = await response.json();
  // A preset with a condition may apply to the client that is still to come.
  if (preset !== undefined && presets.includes(preset) && response.status === 404)
    return [`--preset: \`${preset}\` serves only clients that meet its \`when\``];
  if (preset !== undefined && response.status === 404)
    throw new Unreadable(`--preset: the configuration has no preset \`${preset}\` for clients without a token`);
  // The gateway names a field of the URL so.
  if (query !== undefined && error?.data?.field?.startsWith("?")) throw new Unreadable(`--query: ${error.message}`);
  const { ignored = [], unknown = [] } = result?._meta?.[FILTER] ?? {};
  return [...ignored, ...unknown].map(({ field, value, reason }) => {
    const named = value === undefined ? "" : ` \`${value}\``;
    return `--query: ${field}${named}: ${reason}`;
  });
}
