// Clients and servers of both revisions through the gateway, in every combination: a server's questions during a call
// reach the client. The combinations are the table of docs/revisions.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startForeign } from "./conformance/foreign/server.mjs";
import { startReference } from "./conformance/reference/server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const page = readFileSync(new URL("../docs/revisions.md", import.meta.url), "utf8");
const ANSWER = { action: "accept", content: { username: "jane", email: "jane@example.com", response: "yes" } };
const SAMPLE = { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" };

/**
 * Server → its start function. Servers with sessions ask by requests, on SDK 1; stateless ones ask in results, on SDK
 * 2.
 */
const SERVERS = {
  "sessions only": () => startReference({ revisions: "session" }),
  "stateless only": () => startForeign({ revisions: "stateless" }),
  "both, asks in sessions": () => startReference(),
  "both, asks in either": () => startForeign(),
};
const CLIENTS = { session: "legacy", stateless: { pin: "2026-07-28" } };
/** A server that asks in sessions only cannot ask a stateless client. */
const UNABLE = ["stateless client, server: both, asks in sessions"];

const servers = {};
let workers;
before(async () => {
  for (const [name, start] of Object.entries(SERVERS)) servers[name] = await start();
  const services = Object.entries(servers).map(([name, { url }]) => ({
    name: name.replace(/\W+/g, "-"),
    upstream: url,
    // Otherwise stateless clients are told the revisions with sessions alone.
    config: { upstream: { sessions: name === "sessions only" ? "shared" : "own" } },
  }));
  workers = await startWorkers(services);
});
after(async () => {
  await workers?.stop();
  for (const server of Object.values(servers)) await server.stop();
});

async function connected(url, mode) {
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const client = new Client({ name: "pairing", version: "1" }, { capabilities, versionNegotiation: { mode } });
  const asked = [];
  const handle = (method, answer) =>
    client.setRequestHandler(method, () => {
      asked.push(method);
      return answer;
    });
  handle("elicitation/create", ANSWER);
  handle("sampling/createMessage", SAMPLE);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, asked };
}

for (const server of Object.keys(SERVERS)) {
  for (const [revision, mode] of Object.entries(CLIENTS)) {
    const pairing = `${revision} client, server: ${server}`;
    test(`elicitation and sampling: ${pairing}`, async (t) => {
      const { client, asked } = await connected(`${workers.urls[server.replace(/\W+/g, "-")]}/mcp`, mode);
      t.after(() => client.close());
      const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
      const said = [
        await call("test_elicitation", { message: "Who are you?" }),
        await call("test_sampling", { prompt: "A city?" }),
      ];
      if (UNABLE.includes(pairing)) {
        assert.deepEqual([asked, said], [[], ["This tool needs a session.", "This tool needs a session."]]);
        return;
      }
      assert.deepEqual(asked, ["elicitation/create", "sampling/createMessage"]);
      assert.match(said[0], /jane@example\.com/);
      assert.equal(said[1], "LLM response: Paris");
    });
  }
}

test("a tool of one revision is a tool of callers of that revision", async (t) => {
  const url = `${workers.urls["both-asks-in-sessions"]}/mcp`;
  const names = {};
  for (const [revision, mode] of Object.entries(CLIENTS)) {
    const { client } = await connected(url, mode);
    t.after(() => client.close());
    names[revision] = (await client.listTools()).tools.map(({ name }) => name);
    const alone = { session: "test_reconnection", stateless: "test_input_required_result_sampling" };
    for (const [other, name] of Object.entries(alone)) {
      assert.equal(names[revision].includes(name), other === revision, `${name} for a ${revision} client`);
      if (other === revision) continue;
      await assert.rejects(client.callTool({ name }), { code: -32602, message: new RegExp(`Unknown tool: ${name}`) });
    }
    // A client without the gateway receives the same list.
    const direct = await connected(servers["both, asks in sessions"].url, mode);
    t.after(() => direct.client.close());
    const own = (await direct.client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual([...names[revision]].sort(), own.sort());
  }
});

test("the page has a row for each pairing", () => {
  const rows = [...page.matchAll(/^\| (session|stateless) \| (\w[\w ]*) \|/gm)].map(([, client, server]) => [
    client,
    server,
  ]);
  const expected = Object.keys(CLIENTS).flatMap((client) =>
    ["sessions only", "both", "stateless only"].map((server) => [client, server]),
  );
  assert.deepEqual(rows, expected);
});
