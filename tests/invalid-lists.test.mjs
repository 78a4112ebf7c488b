// Primitives that the protocol's schema rejects. One of them makes the official clients reject a whole list, so each is
// repaired or left out, and the clients list the others.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import * as version2 from "@modelcontextprotocol/core";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as version1 from "@modelcontextprotocol/sdk/types.js";
import { Sieve } from "../pkg/loaders/node.js";
import { ID, damaged, goodId } from "./support/damaged.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const LISTS = 10_000;
const SCHEMAS = {
  tools: "ListToolsResultSchema",
  resources: "ListResourcesResultSchema",
  resourceTemplates: "ListResourceTemplatesResultSchema",
  prompts: "ListPromptsResultSchema",
};
const KINDS = Object.keys(SCHEMAS);
const LIST = {
  tools: "listTools",
  resources: "listResources",
  resourceTemplates: "listResourceTemplates",
  prompts: "listPrompts",
};

test(`the validators of both official clients accept ${LISTS} damaged lists, which they reject without Sieve`, () => {
  const seen = { rejected: 0, repaired: 0, invalid: 0, modern: 0 };
  for (let seed = 0; seed < LISTS; seed += 1) {
    const lists = damaged(seed);
    const sieve = Sieve.compile(lists);
    for (const { code } of sieve.reports) seen[code] += 1;
    const older = new Set(sieve.reports.filter(({ code }) => code === "modern").map(({ name }) => name));
    for (const kind of KINDS) {
      const result = JSON.parse(new TextDecoder().decode(sieve.list({ kind })));
      const told = () => `seed ${seed}: ${JSON.stringify(lists[kind])}`;
      seen.rejected += Number(!version1[SCHEMAS[kind]].safeParse({ [kind]: lists[kind] }).success);
      const current = version2[SCHEMAS[kind]].safeParse(result);
      assert.ok(current.success, `${told()}\n${current.error}`);
      // An application may speak either revision. A gateway knows the client's revision, and gives these to older clients
      // without their output schemas.
      const plain = ({ outputSchema, ...tool }) => tool;
      const shown = { [kind]: result[kind].map((one) => (older.has(one.name) ? plain(one) : one)) };
      const before = version1[SCHEMAS[kind]].safeParse(shown);
      assert.ok(before.success, `${told()}\n${before.error}`);
      const ids = result[kind].map((primitive) => primitive[ID[kind]]);
      assert.ok(ids.includes(goodId(kind)), told());
      // Every primitive that the clients accept unchanged must be listed.
      for (const primitive of lists[kind]) {
        if (
          version1[SCHEMAS[kind]].safeParse({ [kind]: [primitive] }).success &&
          primitive[ID[kind]] &&
          !strict(kind, primitive)
        ) {
          assert.ok(ids.includes(primitive[ID[kind]]), `${primitive[ID[kind]]} is missing: ${told()}`);
        }
      }
    }
  }
  assert.ok(
    Object.values(seen).every((count) => count > LISTS / 100),
    JSON.stringify(seen),
  );
});

/** Returns whether a primitive violates the protocol's JSON Schemas in a way that the clients do not check. */
function strict(kind, primitive) {
  const text = (value) => value === undefined || typeof value === "string";
  const objects = (value) =>
    value === undefined ||
    value === null ||
    Object.values(value).every((schema) => schema && typeof schema === "object" && !Array.isArray(schema));
  if (kind === "tools") {
    const { inputSchema, outputSchema } = primitive;
    return ![inputSchema, outputSchema].every(
      (schema) => text(schema?.$schema ?? undefined) && objects(schema?.properties),
    );
  }
  if (kind === "resources") return primitive.size !== undefined && !Number.isInteger(primitive.size);
  if (kind === "prompts") return !(primitive.arguments ?? []).every(({ title }) => text(title));
  return false;
}

describe("through the gateway", () => {
  // The upstream server itself cannot handle damaged resources, so they are left out.
  const served = ({ resources, resourceTemplates, ...others }) => ({
    ...others,
    resources: resources.filter(Boolean),
    resourceTemplates: resourceTemplates.filter((template) => typeof template?.uriTemplate === "string"),
  });
  const worlds = Object.fromEntries(
    Array.from({ length: 8 }, (_, seed) => [`s${seed}`, { lists: served(damaged(seed, 40)), pages: 16 }]),
  );
  const odd = {
    lists: {
      tools: [
        {
          name: "nulls",
          title: null,
          description: null,
          icons: null,
          annotations: null,
          outputSchema: null,
          _meta: null,
          inputSchema: { type: "object" },
        },
        { name: "hint", inputSchema: { type: "object" }, annotations: { readOnlyHint: null } },
        { name: "untyped", inputSchema: {} },
        { name: "text", inputSchema: { type: "object" }, annotations: { readOnlyHint: "true" } },
        { name: "rows", inputSchema: { type: "object" }, outputSchema: { type: "array" } },
        null,
      ],
      resources: [
        { uri: "r://good", name: "good" },
        { uri: "r://sized", name: "sized", size: "12" },
      ],
      prompts: [{ name: "good", arguments: null }],
    },
  };
  let behind;
  let workers;
  before(async () => {
    behind = await startUpstream({ ...worlds, odd });
    const upstreams = Object.keys(worlds).map((name) => ({
      name,
      url: behind.url(name),
      prefix: `${name}_`,
      prefixAll: true,
    }));
    workers = await startWorkers([
      { name: "damaged", config: { upstreams } },
      {
        name: "odd",
        upstream: behind.url("odd"),
        config: { upstream: { unlisted: true, ttlMs: 0, sessions: "shared" } },
      },
    ]);
  });
  after(async () => {
    await workers?.stop();
    await behind?.stop();
  });

  const clients = {
    "TypeScript v1": () => [new ClientV1({ name: "peer", version: "1" }), TransportV1],
    "TypeScript v2, handshake": () => [
      new ClientV2({ name: "peer", version: "1" }, { versionNegotiation: { mode: "legacy" } }),
      TransportV2,
    ],
    "TypeScript v2, stateless": () => [
      new ClientV2({ name: "peer", version: "1" }, { versionNegotiation: { mode: "auto" } }),
      TransportV2,
    ],
  };
  const connected = async (name, service, use) => {
    const [client, Transport] = clients[name]();
    await client.connect(new Transport(new URL(`${workers.urls[service]}/mcp`)));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  };
  const listed = async (client, kind) => {
    const all = [];
    let cursor;
    do {
      const result = await client[LIST[kind]](cursor === undefined ? {} : { cursor });
      all.push(...result[kind]);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return all.map((primitive) => primitive[ID[kind]]);
  };

  for (const name of Object.keys(clients)) {
    test(`${name} lists every good primitive of eight damaged servers`, () =>
      connected(name, "damaged", async (client) => {
        for (const kind of KINDS) {
          const ids = await listed(client, kind);
          const names = kind === "tools" || kind === "prompts";
          const expected = names ? Object.keys(worlds).map((server) => `${server}_good`) : [goodId(kind)];
          assert.deepEqual(
            expected.filter((id) => !ids.includes(id)),
            [],
            kind,
          );
          assert.ok(ids.length > 20, `${ids.length} ${kind}`);
        }
      }));

    test(`${name} lists repaired members, and of the others only those that its revision allows`, () =>
      connected(name, "odd", async (client) => {
        const modern = name.endsWith("stateless");
        assert.deepEqual(await listed(client, "tools"), ["nulls", "hint", "untyped", "rows"]);
        assert.deepEqual(await listed(client, "prompts"), ["good"]);
        assert.deepEqual(await listed(client, "resources"), ["r://good"]);
        // A primitive that is left out is hidden, although the operator allows unlisted resources.
        await assert.rejects(client.readResource({ uri: "r://sized" }), /Resource not found: r:\/\/sized/);
        const call = client.callTool({ name: "rows", arguments: {} });
        // The server's result does not match its schema, as a client reports that gets the schema.
        if (modern) await assert.rejects(call, /did not return structured content/);
        else assert.equal((await call).content[0].type, "text");
      }));
  }

  test("the operator's log reports repaired and omitted members once", () => {
    const lines = workers
      .log()
      .split("\n")
      .filter((line) => line.includes("catalog: "));
    for (const expected of [
      "catalog: tool `nulls`: `title` is `null`: repaired, the first of 4",
      'catalog: tool `text`: `annotations.readOnlyHint` is `"true"`, expected `true` or `false`: left out',
      "catalog: tool `#5`: is `null`, expected an object: left out",
      'catalog: tool `rows`: `outputSchema.type` is `"array"`, expected `object`: callers of revisions before 2026-07-28 get the tool without it',
      'catalog: resource `sized`: `size` is `"12"`, expected an integer: left out',
    ])
      assert.equal(lines.filter((line) => line.endsWith(expected)).length, 1, `${expected}\n${lines.join("\n")}`);
  });
});
