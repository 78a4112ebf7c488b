// @ts-check
// The lists of a server, requested through a client of another library.
import { pagesOf } from "./pages.js";

/** The methods that list: the member of their results that holds the list, the name on the wire, and the capability. */
export const LISTS = {
  listTools: ["tools", "tools/list", "tools"],
  listResources: ["resources", "resources/list", "resources"],
  listResourceTemplates: ["resourceTemplates", "resources/templates/list", "resources"],
  listPrompts: ["prompts", "prompts/list", "prompts"],
};
export const FILTERING = "dev.mcpsieve/filtering";
export const CONCERNS = "dev.mcpsieve/concerns";
export const METHOD_NOT_FOUND = -32601;

/**
 * The JSON-RPC code of an error. Servers of the stateless revision answer unknown methods with HTTP 404, and the official
 * client keeps the body of such a response as text.
 */
export function codeOf(error) {
  try {
    return JSON.parse(error.data.text).error.code;
  } catch {
    return error?.code;
  }
}

/** Results as they come: both generations of the official client take this for a schema. */
export const whole = {
  "~standard": { version: 1, vendor: "mcp-sieve", validate: (value) => ({ value }) },
  parse: (value) => value,
  safeParse: (data) => ({ success: true, data }),
  parseAsync: async (value) => value,
  safeParseAsync: async (data) => ({ success: true, data }),
};

/** The server's filtering capability. Client libraries drop the proposal's own key and keep extensions. */
export function filtering(client) {
  const capabilities = client.getServerCapabilities?.();
  return capabilities?.extensions?.[FILTERING] ?? capabilities?.filtering;
}

/** The concerns that the server declares. */
export function concerns(client) {
  const capabilities = client.getServerCapabilities?.();
  const found = capabilities?.extensions?.[CONCERNS]?.concerns ?? capabilities?.concerns;
  return Array.isArray(found) ? found.filter((concern) => Object(concern) === concern) : [];
}

/** Whether the server says in its capabilities that it implements concerns. */
export function declaresConcerns(client) {
  const capabilities = client.getServerCapabilities?.();
  return Object(capabilities?.extensions)[CONCERNS] !== undefined || Array.isArray(capabilities?.concerns);
}

/** Whether the server filters by a field of a filter. */
export function filtersBy(client, field) {
  const said = filtering(client);
  if (said === undefined) return false;
  return (said.fields ?? Object.keys(said).filter((half) => half === "groups" || half === "tags")).includes(field);
}

/**
 * A list to its last page, as one result, with the groups and tags that the client's own methods drop. What those
 * learn of tools (schemas of results, headers of parameters) they are to learn all the same.
 */
export async function pages(client, method, params, options) {
  const [kind, , capability] = LISTS[method];
  if (!client.getServerCapabilities?.()?.[capability]) return { [kind]: [] };
  // Past the client's cache, which may hold the list under another filter.
  const learnt = kind === "tools" ? client.listTools(params, { cacheMode: "refresh", ...options }) : undefined;
  const [result] = await Promise.all([unlearnt(client, method, params, options), learnt]);
  return result;
}

/** A result of `pages`; for a part of a capability that the server does not have, an empty list. */
export async function orEmpty(result, method) {
  try {
    return await result;
  } catch (error) {
    if (codeOf(error) === METHOD_NOT_FOUND) return { [LISTS[method][0]]: [] };
    throw error;
  }
}

/** As `pages`, of which the client learns nothing: a list that is not all there is would make it forget the rest. */
export async function unlearnt(client, method, params, options) {
  const [kind, name] = LISTS[method];
  const ask = (cursor) =>
    client.request({ method: name, params: cursor === undefined ? params : { ...params, cursor } }, whole, options);
  const found = [];
  for await (const page of pagesOf(ask, name)) found.push(page);
  const { nextCursor: _, ...first } = found[0];
  return { ...first, [kind]: found.flatMap((page) => page[kind]) };
}
