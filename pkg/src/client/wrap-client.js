// @ts-check
// The official client with filtered lists: the server filters where it can, and this package where it cannot.
import { Changes } from "./changes.js";
import { listFacet } from "./facet-lists.js";
import { HostConcerns } from "./host-concerns.js";
import { narrowed, nothing, supports } from "./local-filter.js";
import { RenamedPrimitives } from "./renamed-primitives.js";
import { declared } from "./server-config.js";
import { SieveError, isCollection } from "../core/error.js";
import { checkedOptions } from "../core/options.js";
import { namesOwn } from "../core/own-tags.js";
import { LISTS, filtering, filtersBy, isWrapper, orEmpty, pages } from "./server-lists.js";
import { listTasks } from "./server-tasks.js";
import { Sieve } from "../core/sieve.js";

const OPTIONS = ["filter", "config", "by", "concerns", "preferences"];
/** The methods that list groups and tags. @type {Record<string, "groups" | "tags">} */
const FACETS = { listGroups: "groups", listTags: "tags" };

/** The cache of the official client ignores filters, so it may hold the list of another one. */
const fresh = (options) => ({ cacheMode: "refresh", ...options });

/** Members of `_meta` that differ from request to request and change no list. */
const PER_REQUEST = ["progressToken", "traceparent", "tracestate", "baggage"];

/** Returns the key under which a list is kept: what its content depends on. */
function keyOf(method, { _meta = {}, ...params } = /** @type {any} */ ({})) {
  return JSON.stringify([method, params, Object.entries(_meta).filter(([name]) => !PER_REQUEST.includes(name))]);
}

/** Returns a filter as an object: an object, JSON text or a `Filter`. */
function objectOf(filter) {
  let read = filter;
  if (typeof filter === "string") {
    try {
      read = JSON.parse(filter);
    } catch (cause) {
      throw new SieveError("json", `filter: not JSON: ${cause.message}`, { cause });
    }
  }
  if (read === undefined || read === null) return undefined;
  // Any of these would be a filter without members, which shows everything.
  if (typeof read !== "object" || Array.isArray(read) || isCollection(read) || typeof read.then === "function")
    throw new SieveError("filter_type", "filter: expected an object, or the JSON text of one", { path: "filter" });
  return read.toJSON?.() ?? read;
}

/** Returns whether a request has its own signal or time limit. Such a request is not shared with other callers. */
const hasOwnOptions = (options) =>
  Object.entries(options ?? {}).some(
    ([name, value]) => value !== undefined && !(name === "cacheMode" && value === "use"),
  );

/** Returns whether a filter depends on declarations: it names groups, which may have others below, or defaults. */
const readsDeclarations = (filter) => /"(groups|applyDefaults|where)":/.test(JSON.stringify(filter ?? null));

/**
 * @param {any} client
 * @param {import("../../types/index.js").WrapOptions} [options]
 */
export function wrapClient(client, options) {
  const { filter: usual, config, by: where = "auto", concerns, preferences } = checkedOptions(options, OPTIONS);
  if (typeof client?.listTools !== "function")
    throw new SieveError("client", "expected a client of the official SDK, with `listTools` and its like");
  if (!["auto", "server", "client"].includes(where))
    throw new SieveError("invalid_option", "by: expected one of `auto`, `server`, `client`");
  // A nested wrapper would replace its own filter with ours and show what it hides.
  const by = where === "auto" && isWrapper(client) ? "client" : where;
  let standing = usual;
  const renamed = new RenamedPrimitives();
  /** The state of the server's lists at which all names of a kind were read, by kind. */
  const readAt = new Map();
  const changes = new Changes(client);
  const host = new HostConcerns(client, by, changes);
  if (concerns !== undefined) host.configure(concerns);
  /** A user's own tags are known here alone, and are sent to no server. */
  const filteredBy = (filter) => {
    if (namesOwn(filter)) return "client";
    return by === "auto" ? (supports(client, filter) ? "server" : "client") : by;
  };

  const list =
    (/** @type {string} */ method, /** @type {string[]} */ [kind]) =>
    async (params, options) => {
      changes.watch();
      let { filter = standing, ...rest } = params ?? {};
      let wanted = objectOf(filter);
      const place = await host.place(options);
      if (place === "request" && !filtersBy(client, "concerns")) rest = host.meta(rest);
      else if (place === "request" || place === "client") wanted = host.over(wanted);
      const who = filteredBy(wanted);
      if (who === "server") {
        return client[method](wanted === undefined ? rest : { ...rest, filter: wanted }, fresh(options));
      }
      if (nothing(wanted) && config === undefined)
        return client[method](
          params === undefined && Object.keys(rest).length === 0 ? undefined : rest,
          // The client's cache reads neither filters nor `_meta`.
          filtering(client) || place === "request" ? fresh(options) : options,
        );
      // The server alone knows the values of concerns, so that part of a filter stays with it.
      const { concerns, ...others } = wanted ?? {};
      const remote = by !== "client" && concerns && filtersBy(client, "concerns");
      const { state } = changes;
      const result = await listing(method, remote ? { ...rest, filter: { concerns } } : rest, options);
      // Nested groups, and concerns that only other kinds have, require the declarations of the whole catalog.
      const declares = place === "client" || (filtering(client) && readsDeclarations(wanted));
      const settings = config ?? (declares ? (await inputs(options)).config : undefined);
      return narrowed(client, result, kind, remote ? others : wanted, settings, preferences?.tags, (sieve) => {
        renamed.learn(kind, result[kind], sieve);
        if (!remote) readAt.set(kind, state);
      });
    };

  /** A whole list, shared by calls that ask for the same in the same way. */
  const listing = (method, params, options) => {
    const load = () => pages(client, method, params, options);
    if (hasOwnOptions(options)) return load();
    return changes.share(keyOf(method, params), load, (result) => changes.ttl(result, LISTS[method][2]));
  };
  /** The inputs of a catalog: every list, and the configuration. */
  const inputs = (options) => {
    const load = async () => {
      const { unset } = host;
      const params = Object.keys(unset).length > 0 ? { filter: { concerns: unset } } : {};
      const results = await Promise.all(
        Object.keys(LISTS).map((method) => orEmpty(listing(method, params, options), method)),
      );
      return { results, config: config ?? (await declared(client, results, options, unset)) };
    };
    if (hasOwnOptions(options)) return load();
    const ttl = ({ results }) =>
      Math.min(...Object.values(LISTS).map(([, , capability], at) => changes.ttl(results[at], capability)));
    return changes.share("catalog", load, ttl);
  };
  /** Returns a method that requests a primitive under the server's own name. */
  const named = (/** @type {string} */ method, /** @type {string} */ listMethod) => {
    const [kind] = LISTS[listMethod];
    return async (/** @type {any} */ params, /** @type {any[]} */ ...more) => {
      // A server that filters lists its own names.
      const { state } = changes;
      if (readAt.get(kind) !== state && filteredBy(objectOf(standing)) === "client") {
        const { signal, timeout } = Object(more.at(-1));
        const { [kind]: items } = await orEmpty(listing(listMethod, {}, { signal, timeout }), listMethod);
        const sieve = Sieve.compile({ [kind]: items }, config);
        renamed.learn(kind, items, sieve);
        sieve.free();
        readAt.set(kind, state);
      }
      const name = renamed.own(kind, params?.name);
      return client[method](name === params?.name ? params : { ...params, name }, ...more);
    };
  };
  const compile = ({ results, config }) => Sieve.compile(results, config, { tags: preferences?.tags });

  const own = {
    get filter() {
      return standing;
    },
    set filter(filter) {
      standing = filter;
    },
    filteredBy: (filter = standing) => filteredBy(filter),
    async listTasks(params, options) {
      const place = await host.place(options);
      return listTasks(client, place === "request" ? host.meta(params) : params, options);
    },
    listConcerns: (options) => host.list(() => inputs(options), compile, options),
    updateConcerns: (wanted, options) => host.update(wanted, () => inputs(options), compile, options),
    onChange: (listener) => changes.listen(listener),
    catalog: async (options) => compile(await inputs(options)),
  };
  if (typeof client.connect === "function") {
    /** @type {(transport: any, options?: any) => Promise<void>} */
    own.connect = async (transport, { concerns, ...options } = {}) => {
      if (concerns !== undefined) host.configure(concerns);
      await host.connect(transport, options);
      changes.watch();
    };
  }
  if (config !== undefined && config !== null) {
    own.callTool = named("callTool", "listTools");
    own.getPrompt = named("getPrompt", "listPrompts");
  }
  for (const [method, names] of Object.entries(LISTS)) own[method] = list(method, names);
  for (const [method, half] of Object.entries(FACETS)) {
    own[method] = (params, options) => listFacet(client, by, half, params ?? {}, () => own.catalog(options), options);
  }

  return overlaid(client, own);
}

/** Lays `own` over a client. */
function overlaid(client, own) {
  return new Proxy(client, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value = Reflect.get(target, key, target);
      // Private members of a class can be reached only through the object itself.
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, key, value) {
      return Object.hasOwn(own, key) ? Reflect.set(own, key, value) : Reflect.set(target, key, value, target);
    },
    has: (target, key) => Object.hasOwn(own, key) || Reflect.has(target, key),
  });
}

export function filterTools(tools, sieve, { originalName = (name) => name, ...options } = /** @type {any} */ ({})) {
  const names = new Set(sieve.names({ ...options, kind: "tools" }));
  const matches = (name) => names.has(originalName(name));
  if (Array.isArray(tools)) return tools.filter(({ name }) => matches(name));
  return Object.fromEntries(Object.entries(tools).filter(([name]) => matches(name)));
}
