// The walk of fixtures/walk.json in workerd: two Workers, one in front of a server with hidden primitives and one in
// front of a server without them. All responses of the two are equal byte for byte.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture, serviceOf } from "./support/protocol-worlds.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const { visible, hidden, config, ways, asked, filters } = fixture("walk");
const ERAS = ["2026-07-28", "2025-11-25"];
/** Natively, each of these methods is also called by Sieve's prefixed name. */
const ALIASED = new Set(["explain", "groups/list", "tasks/query"]);
const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];

/** Hidden primitives are before, between and after visible ones. */
const mixed = Object.fromEntries(
  Object.entries(visible).map(([kind, [first, ...rest]]) => {
    const [one, ...others] = hidden[kind];
    return [kind, [one, first, ...others, ...rest]];
  }),
);
const worlds = { with: { lists: mixed }, without: { lists: visible } };
const name = (way, world) => `${ways.indexOf(way)}-${world}`;
let upstream;
let workers;

before(async () => {
  upstream = await startUpstream(worlds);
  const services = ways.flatMap((way) =>
    Object.keys(worlds).map((world) => ({
      ...serviceOf(name(way, world), { config: { ...config, ...way.config } }, upstream.url(world)),
      key: "one key for both",
    })),
  );
  workers = await startWorkers(services);
});
after(async () => {
  await workers?.stop();
  await upstream?.stop();
});

const requests = Object.entries(asked).flatMap(([method, list]) =>
  list.flatMap((params) =>
    params === "filters" ? filters.map((filter) => [method, filter && { filter }]) : [[method, params]],
  ),
);

class Walker {
  #base;
  #query;
  #era;
  #session;

  constructor(way, world, era) {
    this.#base = `${workers.urls[name(way, world)]}/mcp${way.path ? `/${way.path}` : ""}`;
    this.#query = `?${way.query ?? ""}`;
    this.#era = era;
  }

  /** Returns the status, the relevant headers, and the body, or the first event of a stream. */
  async ask(method, params) {
    const modern = this.#era === ERAS[0];
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": this.#era,
      "mcp-method": method,
    };
    const named = params?.name ?? params?.uri;
    if (named !== undefined) headers["mcp-name"] = named;
    let sent = params ?? undefined;
    if (modern)
      sent = {
        ...sent,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": this.#era,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      };
    else if (method === "initialize")
      sent = { protocolVersion: this.#era, capabilities: {}, clientInfo: { name: "walker", version: "1" } };
    if (this.#session !== undefined && method !== "initialize") headers["mcp-session-id"] = this.#session;
    const response = await fetch(this.#base + this.#query, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: sent }),
    });
    this.#session = response.headers.get("mcp-session-id") ?? this.#session;
    return {
      told: [
        response.status,
        response.headers.get("content-type"),
        response.headers.get("cache-control"),
        await textOf(response),
      ],
    };
  }

  async pages(method, params) {
    const pages = [];
    for (let page = 0; page < 20; page++) {
      const { told } = await this.ask(method, params);
      pages.push(told);
      let cursor;
      try {
        cursor = JSON.parse(told[3]).result?.nextCursor;
      } catch {
        /* an event stream */
      }
      if (cursor === undefined) return pages;
      params = { ...params, cursor };
    }
    throw new Error(`${method} has no last page`);
  }
}

async function textOf(response) {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body.getReader();
  let text = "";
  while (!text.includes("\n\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString("utf8");
  }
  await reader.cancel();
  return text;
}

/** Returns text without handles and their expiry, which differ between the two Workers. */
const plain = (told) => JSON.stringify(told).replace(/(concernsRef|expiresAt)\\":\\"[^"\\]*/g, '$1\\":\\"');

for (const way of ways) {
  for (const era of ERAS) {
    test(`Q-36: what is hidden ${way.name} is answered as what never was, in ${era}`, async () => {
      const pair = Object.keys(worlds).map((world) => new Walker(way, world, era));
      if (era !== ERAS[0]) for (const walker of pair) await walker.ask("initialize");
      for (const [method, params] of requests) {
        for (const full of ALIASED.has(method) ? [method, `dev.mcpsieve/${method}`] : [method]) {
          const [one, other] = await Promise.all(pair.map((walker) => walker.pages(full, params)));
          assert.equal(plain(one), plain(other), `${full} ${JSON.stringify(params)}`);
        }
      }
      for (const kind of KINDS) {
        const [one, other] = await Promise.all(
          Object.keys(worlds).map(async (world) => {
            const path = `${workers.urls[name(way, world)]}/catalog${way.path ? `/${way.path}` : ""}/${kind}?${way.query ?? ""}`;
            const response = await fetch(path);
            return [response.status, response.headers.get("etag"), await response.text()];
          }),
        );
        assert.deepEqual(one, other, kind);
      }
    });
  }
}
