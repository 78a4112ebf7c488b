// @ts-check
// Several clients as one: the lists of all servers, filtered together, and each call at the server of its tool.
import { Changes } from "./changes.js";
import { LISTS, orEmpty, pages } from "./server-lists.js";
import { SieveError } from "../core/error.js";
import { Sieve } from "../core/sieve.js";

const MEMBERS = ["server", "client", "prefix", "prefixAll"];
const OPTIONS = ["config", "filter"];
/** As the gateway reports the state of its servers. */
const UPSTREAMS = "dev.mcpsieve/upstreams";
const FILTER = "dev.mcpsieve/filter";
const utf8 = new TextDecoder();
const invalid = (/** @type {string} */ message) => new SieveError("invalid_option", message);

/** One server: its client, its lists as they were last, and why they could not be had since. */
class Server {
  /** @type {{ lists: any[], error?: unknown }} */
  known = { lists: [] };

  constructor({ server, client, prefix, prefixAll }) {
    this.name = server;
    this.client = client;
    this.naming = { prefix, prefixAll };
    this.changes = new Changes(client);
  }

  /** Asks for the lists, unless they are kept. Those that it had stay if the server fails. */
  async refresh(options) {
    const { client, changes } = this;
    const load = () =>
      Promise.all(Object.keys(LISTS).map((method) => orEmpty(pages(client, method, undefined, options), method)));
    const ttl = (lists) =>
      Math.min(...Object.values(LISTS).map(([, , capability], at) => changes.ttl(lists[at], capability)));
    try {
      const lists = await (options?.signal ? load() : changes.share("lists", load, ttl));
      if (lists !== this.known.lists || this.known.error) this.known = { lists };
    } catch (error) {
      if (options?.signal?.aborted) throw error;
      this.known = { lists: this.known.lists, error };
    }
  }
}

class Clients {
  #servers;
  #config;
  /** The catalog of the lists that are known. @type {{ of: any[], sieve: Sieve } | undefined} */
  #compiled;

  constructor(servers, { config, filter } = /** @type {any} */ ({})) {
    this.#servers = servers;
    this.#config = config;
    this.filter = filter;
  }

  /** The catalog as it is now. */
  async #sieve(options) {
    await Promise.all(this.#servers.map((server) => server.refresh(options)));
    const of = this.#servers.map(({ known }) => known.lists);
    if (!this.#compiled || of.some((lists, at) => lists !== this.#compiled?.of[at])) {
      const sieve = this.#compile();
      this.#compiled?.sieve.free();
      this.#compiled = { of, sieve };
    }
    return this.#compiled.sieve;
  }

  #compile() {
    const listed = this.#servers.map(({ name, naming, known }) => ({ server: name, lists: known.lists, ...naming }));
    return Sieve.compile(listed, this.#config);
  }

  async catalog(options) {
    await Promise.all(this.#servers.map((server) => server.refresh(options)));
    return this.#compile();
  }

  async list(kind, { filter = this.filter } = /** @type {any} */ ({}), options) {
    const sieve = await this.#sieve(options);
    const compiled = sieve.filter(filter);
    try {
      const list = JSON.parse(utf8.decode(sieve.view({ filter: compiled, kind })));
      const { applied, ignored } = compiled;
      const total = sieve.count({ kind });
      const report = { applied, ignored, total, matched: list[kind].length, by: "client" };
      const asked = Object.keys(applied).length > 0 || ignored.length > 0;
      return { ...list, _meta: { [UPSTREAMS]: this.servers(), ...(asked && { [FILTER]: report }) } };
    } finally {
      compiled.free();
    }
  }

  /** How each server stands, as the gateway reports it. */
  servers() {
    return this.#servers.map(({ name, known: { error } }) =>
      error === undefined
        ? { name, state: "ok" }
        : { name, state: "failed", error: String(/** @type {any} */ (error)?.message ?? error) },
    );
  }

  async search(words, { filter = this.filter, ...rest } = /** @type {any} */ ({}), options) {
    const sieve = await this.#sieve(options);
    return sieve.search(words, { filter, ...rest });
  }

  async origin(name, kind, options) {
    const found = (this.#compiled?.sieve ?? (await this.#sieve(options))).origin(name, { kind });
    return found ?? (await this.#sieve(options)).origin(name, { kind });
  }

  /** The client of the server that has a primitive, and the name that it goes by there. */
  async at(name, kind, options) {
    const found = await this.origin(name, kind, options);
    const server = this.#servers.find((one) => one.name === found?.server);
    // The words of the protocol for what does not exist.
    if (!server) throw Object.assign(new Error(`Unknown ${kind.slice(0, -1)}: ${name}`), { code: -32602 });
    return { client: server.client, name: found.name };
  }

  onChange(listener) {
    const ends = this.#servers.map(({ name, changes }) =>
      changes.listen(({ list }) => listener({ server: name, list })),
    );
    return () => ends.forEach((end) => end());
  }

  async close() {
    this.#compiled?.sieve.free();
    this.#compiled = undefined;
    await Promise.allSettled(this.#servers.map(({ client }) => client.close?.()));
  }
}

/** @type {typeof import("../../types/index.js").wrapClients} */
export function wrapClients(entries, options = {}) {
  if (!Array.isArray(entries) || entries.length === 0) throw invalid("expected `[{ server, client }, …]`");
  for (const [at, entry] of entries.entries()) {
    const unknown = Object.keys(Object(entry)).find((name) => !MEMBERS.includes(name));
    if (unknown)
      throw invalid(`[${at}].${unknown}: expected one of ${MEMBERS.map((name) => `\`${name}\``).join(", ")}`);
    if (typeof entry?.server !== "string" || entry.server === "")
      throw invalid(`[${at}].server: expected the name of a server`);
    if (typeof entry.client?.listTools !== "function")
      throw new SieveError(
        "client",
        `[${at}].client: expected a client of the official SDK, with \`listTools\` and its like`,
      );
  }
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown)
    throw invalid(`unknown option \`${unknown}\`, expected ${OPTIONS.map((name) => `\`${name}\``).join(", ")}`);
  // Names, prefixes and the configuration are judged now, not when something is listed.
  Sieve.compile(
    entries.map(({ client: _, ...entry }) => ({ ...entry, lists: { tools: [] } })),
    options.config,
  ).free();
  const clients = new Clients(
    entries.map((entry) => new Server(entry)),
    options,
  );
  const list = (/** @type {string} */ kind) => (params, more) => clients.list(kind, params ?? {}, more);
  const own = {
    get filter() {
      return clients.filter;
    },
    set filter(filter) {
      clients.filter = filter;
    },
    listTools: list("tools"),
    listResources: list("resources"),
    listResourceTemplates: list("resourceTemplates"),
    listPrompts: list("prompts"),
    search: (words, query, more) => clients.search(words, query, more),
    catalog: (more) => clients.catalog(more),
    servers: () => clients.servers(),
    onChange: (listener) => clients.onChange(listener),
    close: () => clients.close(),
    async callTool(params, ...more) {
      const { client, name } = await clients.at(params.name, "tools");
      return client.callTool({ ...params, name }, ...more);
    },
    async getPrompt(params, ...more) {
      const { client, name } = await clients.at(params.name, "prompts");
      return client.getPrompt({ ...params, name }, ...more);
    },
    async readResource(params, ...more) {
      const { client, name } = await clients.at(params.uri, "resources");
      return client.readResource({ ...params, uri: name }, ...more);
    },
    async complete(params, ...more) {
      const { ref } = params;
      const named = ref.type === "ref/prompt";
      const { client, name } = await clients.at(named ? ref.name : ref.uri, named ? "prompts" : "resourceTemplates");
      return client.complete({ ...params, ref: { ...ref, [named ? "name" : "uri"]: name } }, ...more);
    },
  };
  return /** @type {any} */ (own);
}
