// @ts-check
// The lists of a server, requested through a client of another library.
import { pagesOf } from "./pages.js";
import { SieveError } from "../core/error.js";

/** The methods that list: the member of their results that holds the list, the name on the wire, and the capability. */
export const LISTS = {
  listTools: ["tools", "tools/list", "tools"],
  listResources: ["resources", "resources/list", "resources"],
  listResourceTemplates: ["resourceTemplates", "resources/templates/list", "resources"],
  listPrompts: ["prompts", "prompts/list", "prompts"],
};
/** The member that identifies a primitive, by list. */
export const IDS = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name" };
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

/** Whether a client is itself wrapped by `wrapClient`. */
export const isWrapper = (client) => typeof client.filteredBy === "function";

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

/**
 * The parts of a filter without an effect, where a concern that a server declares is no unknown one: a server of #1936 may
 * apply it to its session alone, and show its values in no list.
 * @param {readonly any[]} clients
 * @param {readonly any[]} ignored
 */
export function ignoredOf(clients, ignored) {
  if (ignored.length === 0) return ignored;
  const declared = new Set(clients.flatMap((client) => concerns(client).map(({ name }) => `concerns.${name}`)));
  const reason = "the server applies it to the session only: see `updateConcerns`";
  return ignored.map((one) => (one.reason === "unknown concern" && declared.has(one.field) ? { ...one, reason } : one));
}

/**
 * Returns the member of a report with the names that match nothing, if there are any.
 * @param {readonly any[]} unknown
 */
export const unknownIn = (unknown) => (unknown.length > 0 ? { unknown } : {});

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
 * A list to its last page, as one result, with the groups and tags that the client's own methods drop. Primitives that these
 * methods leave out are left out here: tools that the protocol forbids, and what a wrapper around the client hides. The
 * client still learns the schemas of results and the headers of parameters.
 */
export async function pages(client, method, params, options) {
  const [kind, , capability] = LISTS[method];
  // A client that is not connected knows none, and its request fails.
  const capabilities = client.getServerCapabilities?.();
  if (capabilities && !capabilities[capability]) return { [kind]: [] };
  const asked = kind === "tools" || isReplaced(client, method);
  const [result, shown] = await Promise.all([
    unlearnt(client, method, params, options),
    asked ? idsShown(client, method, params, options) : undefined,
  ]);
  return shown ? { ...result, [kind]: result[kind].filter((item) => shown.has(item?.[IDS[kind]])) } : result;
}

/** Whether the method is not that of the client's class, but of a wrapper around the client. */
const isReplaced = (client, method) =>
  typeof client[method] === "function" && client[method] !== Object.getPrototypeOf(client)[method];

/** The ids of the primitives that the client's own method lists. */
async function idsShown(client, method, params, options) {
  const [kind, name] = LISTS[method];
  // Past the client's cache, which may hold the list under another filter.
  const refresh = { ...options, cacheMode: "refresh" };
  const ask = (cursor) => client[method](cursor === undefined ? params : { ...params, cursor }, refresh);
  const shown = new Set();
  for await (const page of pagesOf(ask, name)) for (const item of page?.[kind] ?? []) shown.add(item?.[IDS[kind]]);
  return shown;
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

/** Like `pages`, but does not update the client's tool schemas, because a partial list would remove those of other tools. */
export async function unlearnt(client, method, params, options) {
  const [kind, name] = LISTS[method];
  const ask = (cursor) =>
    client.request({ method: name, params: cursor === undefined ? params : { ...params, cursor } }, whole, options);
  const found = [];
  for await (const page of pagesOf(ask, name)) {
    if (!Array.isArray(page?.[kind])) throw new SieveError("catalog", `${name}: the result has no array \`${kind}\``);
    found.push(page);
  }
  const { nextCursor: _, ...first } = found[0];
  return { ...first, [kind]: found.flatMap((page) => page[kind]) };
}
