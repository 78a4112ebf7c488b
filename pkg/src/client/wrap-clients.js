// @ts-check
// Several clients as one: the lists of all servers, filtered together, and each call at the server of its tool.
import { ListedServer } from "./listed-server.js";
import { mergedConfig } from "./merged-config.js";
import { ignoredOf, unknownIn } from "./server-lists.js";
import { SieveError } from "../core/error.js";
import { checkedOptions } from "../core/options.js";
import { withParts } from "../core/parts.js";
import { Sieve } from "../core/sieve.js";

const MEMBERS = ["server", "client", "prefix", "prefixAll", "groups", "tags", "concerns"];
const OPTIONS = ["config", "filter", "listWaitMs"];
/** Maximum number of milliseconds for which a list waits for a server by default. */
const LIST_WAIT_MS = 10_000;
/** As the gateway reports the state of its servers. */
const UPSTREAMS = "dev.mcpsieve/upstreams";
const FILTER = "dev.mcpsieve/filter";
const utf8 = new TextDecoder();
const invalid = (/** @type {string} */ message) => new SieveError("invalid_option", message);

class Clients {
  #servers;
  #config;
  #waitMs;
  /** The catalog of what the servers listed last. @type {{ of: any[], sieve: Sieve } | undefined} */
  #compiled;

  /**
   * @param {readonly ListedServer[]} servers
   * @param {import("../../types/index.js").WrapClientsOptions} options
   */
  constructor(servers, { config, filter, listWaitMs = LIST_WAIT_MS }) {
    this.#servers = servers;
    this.#config = config;
    this.#waitMs = listWaitMs;
    this.filter = filter;
  }

  /** The catalog as it is now. */
  async #sieve(options) {
    await this.#refresh(options);
    const of = this.#servers.map(({ listing }) => listing);
    if (!this.#compiled || of.some((listing, at) => listing !== this.#compiled?.of[at])) {
      const sieve = this.#compile();
      this.#compiled?.sieve.free();
      this.#compiled = { of, sieve };
    }
    return this.#compiled.sieve;
  }

  async #refresh(options) {
    await Promise.all(this.#servers.map((server) => server.refresh(options, this.#waitMs)));
  }

  #compile() {
    const listed = this.#servers.map(({ name, naming, listing: { lists } }) => ({ server: name, lists, ...naming }));
    return Sieve.compile(listed, this.#config ?? mergedConfig(this.#servers));
  }

  async catalog(options) {
    await this.#refresh(options);
    return this.#compile();
  }

  async list(kind, { filter = this.filter } = /** @type {any} */ ({}), options) {
    return withParts(async () => {
      const sieve = await this.#sieve(options);
      const compiled = sieve.filter(filter);
      try {
        const list = JSON.parse(utf8.decode(sieve.view({ filter: compiled, kind })));
        const { applied } = compiled;
        const clients = this.#servers.map(({ client }) => client);
        const ignored = ignoredOf(clients, compiled.ignored);
        const total = sieve.count({ kind });
        const report = {
          applied,
          ignored,
          ...unknownIn(compiled.unknown),
          total,
          matched: list[kind].length,
          by: "client",
        };
        const asked = Object.keys(applied).length > 0 || ignored.length > 0;
        return { ...list, _meta: { [UPSTREAMS]: this.servers(), ...(asked && { [FILTER]: report }) } };
      } finally {
        compiled.free();
      }
    });
  }

  servers() {
    return this.#servers.map(({ state }) => state);
  }

  async search(words, { filter = this.filter, ...rest } = /** @type {any} */ ({}), options) {
    return withParts(async () => (await this.#sieve(options)).search(words, { filter, ...rest }));
  }

  async origin(name, kind, options) {
    const found = (this.#compiled?.sieve ?? (await this.#sieve(options))).origin(name, { kind });
    return found ?? (await this.#sieve(options)).origin(name, { kind });
  }

  /** Returns the client of the server that has a primitive, and the primitive's name on that server. */
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

/** What of the options of a call, its last argument, applies to the lists that it may have to wait for. */
function optionsOf(more) {
  const { signal } = Object(more.at(-1));
  return signal && { signal };
}

/** @type {typeof import("../../types/index.js").wrapClients} */
export function wrapClients(entries, options = {}) {
  if (!Array.isArray(entries) || entries.length === 0) throw invalid("expected `[{ server, client }, …]`");
  for (const [at, entry] of entries.entries()) {
    checkedOptions(entry, MEMBERS, { place: `[${at}]` });
    if (typeof entry?.server !== "string" || entry.server === "")
      throw invalid(`[${at}].server: expected the name of a server`);
    if (typeof entry.client?.listTools !== "function")
      throw new SieveError(
        "client",
        `[${at}].client: expected a client of the official SDK, with \`listTools\` and its like`,
      );
  }
  const { listWaitMs } = checkedOptions(options, OPTIONS);
  if (listWaitMs !== undefined && !(typeof listWaitMs === "number" && listWaitMs >= 0))
    throw invalid("listWaitMs: expected a number of milliseconds from 0, or `Infinity`");
  // Names, prefixes and the configuration are judged now, not when something is listed.
  Sieve.compile(
    entries.map(({ client: _, ...entry }) => ({ ...entry, lists: { tools: [] } })),
    options.config,
  ).free();
  const clients = new Clients(
    entries.map((entry) => new ListedServer(entry)),
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
      const { client, name } = await clients.at(params.name, "tools", optionsOf(more));
      return client.callTool({ ...params, name }, ...more);
    },
    async getPrompt(params, ...more) {
      const { client, name } = await clients.at(params.name, "prompts", optionsOf(more));
      return client.getPrompt({ ...params, name }, ...more);
    },
    async readResource(params, ...more) {
      const { client, name } = await clients.at(params.uri, "resources", optionsOf(more));
      return client.readResource({ ...params, uri: name }, ...more);
    },
    async complete(params, ...more) {
      const { ref } = params;
      const named = ref.type === "ref/prompt";
      const kind = named ? "prompts" : "resourceTemplates";
      const { client, name } = await clients.at(named ? ref.name : ref.uri, kind, optionsOf(more));
      return client.complete({ ...params, ref: { ...ref, [named ? "name" : "uri"]: name } }, ...more);
    },
  };
  return /** @type {any} */ (own);
}
