// @ts-check
// Beside a client that somebody else wrote: its lists filtered, by the server where it can and here where it cannot.
import { declared } from "./server-config.js";
import { SieveError } from "../core/error.js";
import { LISTS, filtering, filtersBy, pages, pagesIfAny, whole } from "./server-lists.js";
import { listTasks } from "./server-tasks.js";
import { Sieve } from "../core/sieve.js";

const FACETS = { listGroups: ["groups", "groups/list"], listTags: ["tags", "tags/list"] };
const REPORT = "dev.mcpsieve/filter";
const utf8 = new TextDecoder();

/**
 * @param {any} client
 * @param {import("../../types/index.js").WrapOptions} [options]
 */
export function wrapClient(client, { filter: usual, config, by = "auto" } = {}) {
  if (typeof client?.listTools !== "function")
    throw new SieveError("client", "expected a client of the official SDK, with `listTools` and its like");
  if (!["auto", "server", "client"].includes(by))
    throw new SieveError("invalid_option", "by: expected one of `auto`, `server`, `client`");
  let standing = usual;

  const list =
    (/** @type {string} */ method, /** @type {string[]} */ [kind]) =>
    async (params, options) => {
      const { filter = standing, ...rest } = params ?? {};
      // An object of ours, too, may be handed over as it is.
      const wanted = typeof filter === "string" ? JSON.parse(filter) : (filter?.toJSON?.() ?? filter);
      const who = by === "auto" && supports(client, wanted) ? "server" : by === "auto" ? "client" : by;
      if (who === "server") return client[method](wanted === undefined ? rest : { ...rest, filter: wanted }, options);
      if (nothing(wanted) && config === undefined)
        return client[method](params === undefined ? undefined : rest, options);
      return narrowed(await pages(client, method, rest, options), kind, wanted, config);
    };

  const own = {
    get filter() {
      return standing;
    },
    set filter(filter) {
      standing = filter;
    },
    filteredBy: (filter = standing) => (by === "auto" ? (supports(client, filter) ? "server" : "client") : by),
    listTasks: (params, options) => listTasks(client, params, options),
    async catalog(options) {
      const results = await Promise.all(Object.keys(LISTS).map((method) => pagesIfAny(client, method, options)));
      return Sieve.compile(results, config ?? (await declared(client, results, options)));
    },
  };
  for (const [method, names] of Object.entries(LISTS)) own[method] = list(method, names);
  for (const [method, [half, name]] of Object.entries(FACETS)) {
    own[method] = async (params = {}, options) => {
      if (!filtering(client)?.[half])
        throw new SieveError("capability", `the server does not list ${half}: it declares no \`filtering.${half}\``);
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

export function filterTools(tools, sieve, options) {
  const names = new Set(sieve.names({ ...options, kind: "tools" }));
  if (Array.isArray(tools)) return tools.filter(({ name }) => names.has(name));
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.has(name)));
}

/** Whether the server filters by all that is asked. */
function supports(client, filter) {
  return (
    filtering(client) !== undefined &&
    Object.entries(filter ?? {}).every(([field, value]) => empty(value) || filtersBy(client, field))
  );
}

const empty = (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const nothing = (filter) => filter === undefined || filter === null || Object.values(filter).every(empty);

/** The result as a server would have given it, with who did it. */
function narrowed(result, kind, wanted, config) {
  const sieve = Sieve.compile({ [kind]: result[kind] }, config);
  try {
    const filter = sieve.filter(wanted);
    const list = JSON.parse(utf8.decode(sieve.view({ filter, kind })));
    const { applied, ignored } = filter;
    const report = { applied, ignored, total: sieve.count({ kind }), matched: list[kind].length, by: "client" };
    return { ...result, ...list, _meta: { ...result._meta, [REPORT]: report } };
  } finally {
    sieve.free();
  }
}
