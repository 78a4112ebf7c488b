// Beside a client that somebody else wrote: its lists filtered, by the server where it can and here where it cannot.
import { SieveError } from "./error.js";
import { Sieve } from "./sieve.js";

/** The methods that list: the member of their results that holds the list, the name on the wire, and the capability. */
const LISTS = {
  listTools: ["tools", "tools/list", "tools"],
  listResources: ["resources", "resources/list", "resources"],
  listResourceTemplates: ["resourceTemplates", "resources/templates/list", "resources"],
  listPrompts: ["prompts", "prompts/list", "prompts"],
};
const FACETS = { listGroups: ["groups", "groups/list"], listTags: ["tags", "tags/list"] };
const EXTENSION = "dev.mcpsieve/filtering";
const REPORT = "dev.mcpsieve/filter";
const PARENT = "dev.mcpsieve/parent";
/** Most pages of a list that are followed, where it is filtered here. */
const MOST_PAGES = 1_000;
const utf8 = new TextDecoder();

/** Results as they come: both generations of the official client take this for a schema. */
const whole = {
  "~standard": { version: 1, vendor: "mcp-sieve", validate: (value) => ({ value }) },
  parse: (value) => value,
  safeParse: (data) => ({ success: true, data }),
  parseAsync: async (value) => value,
  safeParseAsync: async (data) => ({ success: true, data }),
};

export function wrapClient(client, { filter: usual, config, by = "auto" } = {}) {
  if (typeof client?.listTools !== "function") throw new SieveError("client", "expected a client of the official SDK, with `listTools` and its like");
  if (!["auto", "server", "client"].includes(by)) throw new SieveError("by", "expected one of `auto`, `server`, `client`");
  let standing = usual;

  const list = (method, [kind]) => async (params, options) => {
    const { filter = standing, ...rest } = params ?? {};
    // An object of ours, too, may be handed over as it is.
    const wanted = typeof filter === "string" ? JSON.parse(filter) : (filter?.toJSON?.() ?? filter);
    const who = by === "auto" && supports(client, wanted) ? "server" : by === "auto" ? "client" : by;
    if (who === "server") return client[method](wanted === undefined ? rest : { ...rest, filter: wanted }, options);
    if (nothing(wanted) && config === undefined) return client[method](params === undefined ? undefined : rest, options);
    return narrowed(await pages(client, method, rest, options), kind, wanted, config);
  };

  const own = {
    get filter() { return standing; },
    set filter(filter) { standing = filter; },
    filteredBy: (filter = standing) => (by === "auto" ? (supports(client, filter) ? "server" : "client") : by),
    async catalog(options) {
      const results = [];
      for (const method of Object.keys(LISTS)) results.push(await pages(client, method, {}, options));
      return Sieve.compile(results, config ?? await declared(own, extension(client), options));
    },
  };
  for (const [method, names] of Object.entries(LISTS)) own[method] = list(method, names);
  for (const [method, [half, name]] of Object.entries(FACETS)) {
    own[method] = async (params = {}, options) => {
      if (!extension(client)?.[half]) throw new SieveError("capability", `the server does not list ${half}: it declares no \`filtering.${half}\``);
      return client.request({ method: name, params }, whole, options);
    };
  }

  return new Proxy(client, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value = Reflect.get(target, key, target);
      // Private members of a class are reached through the object itself alone.
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, key, value) {
      return Object.hasOwn(own, key) ? Reflect.set(own, key, value) : Reflect.set(target, key, value, target);
    },
    has: (target, key) => Object.hasOwn(own, key) || Reflect.has(target, key),
  });
}

export function pick(tools, sieve, filter) {
  const names = new Set(sieve.names(filter));
  if (Array.isArray(tools)) return tools.filter(({ name }) => names.has(name));
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.has(name)));
}

/** Groups and tags as the server declares them: with titles, in its order, and where they stand. */
async function declared(own, said, options) {
  const [{ groups }, { tags }] = await Promise.all([
    said?.groups ? own.listGroups({}, options) : { groups: [] },
    said?.tags ? own.listTags({}, options) : { tags: [] },
  ]);
  const text = (value) => (typeof value === "string" ? value : undefined);
  const known = new Set(groups.map(({ name }) => name));
  return {
    groups: groups.map(({ name, title, description, _meta }) => {
      const parent = text(_meta?.[PARENT]);
      return { name, title: text(title), description: text(description), parent: known.has(parent) ? parent : undefined };
    }),
    tags: tags.map(({ name, description }) => ({ name, description: text(description) ?? "" })),
  };
}

/** What the server says of its filtering. The libraries drop the proposal's own key, and keep extensions. */
function extension(client) {
  const capabilities = client.getServerCapabilities?.();
  return capabilities?.extensions?.[EXTENSION] ?? capabilities?.filtering;
}

/** Whether the server filters by all that is asked. */
function supports(client, filter) {
  const said = extension(client);
  if (said === undefined) return false;
  const fields = said.fields ?? Object.keys(said).filter((half) => half === "groups" || half === "tags");
  return Object.entries(filter ?? {}).every(([field, value]) => empty(value) || fields.includes(field));
}

const empty = (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const nothing = (filter) => filter === undefined || filter === null || Object.values(filter).every(empty);

/**
 * A list to its last page, as one result, with the groups and tags that the client's own methods drop. What those
 * learn of tools (schemas of results, headers of parameters) they are to learn all the same.
 */
async function pages(client, method, params, options) {
  const [kind, name, capability] = LISTS[method];
  if (!client.getServerCapabilities?.()?.[capability]) return { [kind]: [] };
  const learnt = kind === "tools" ? client.listTools(params, options) : undefined;
  const ask = (cursor) => client.request({ method: name, params: cursor === undefined ? params : { ...params, cursor } }, whole, options);
  const [{ nextCursor, ...first }] = await Promise.all([ask(), learnt]);
  const items = [...first[kind]];
  for (let cursor = nextCursor, page = 1; typeof cursor === "string"; page += 1) {
    if (page >= MOST_PAGES) throw new SieveError("pages", `${name} has more than ${MOST_PAGES} pages`);
    const next = await ask(cursor);
    items.push(...next[kind]);
    cursor = next.nextCursor;
  }
  return { ...first, [kind]: items };
}

/** The result as a server would have given it, with who did it. */
function narrowed(result, kind, wanted, config) {
  const sieve = Sieve.compile({ [kind]: result[kind] }, config);
  try {
    const filter = sieve.filter(wanted);
    const list = JSON.parse(utf8.decode(sieve.view(filter, kind)));
    const { applied, ignored } = filter;
    const report = { applied, ignored, total: sieve.size(kind), matched: list[kind].length, by: "client" };
    return { ...result, ...list, _meta: { ...result._meta, [REPORT]: report } };
  } finally {
    sieve.free();
  }
}
