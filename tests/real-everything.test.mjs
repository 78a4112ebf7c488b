// `server-everything` sends updates and log lines outside its answers, and makes resources for one session. Each client gets its
// own through the gateway, as without it, whichever capabilities it declares.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startEverything } from "./support/everything.mjs";
import { ask } from "./support/raw-client.mjs";
import { CLIENTS, connect, rootsOf } from "./support/sdk-clients.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

/** "hello" in gzip, as the server returns it. */
const HELLO = "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==";
/** The server sends updates and log lines at once, and every five seconds. */
const PACE = { within: 12_000, every: 50 };
const ANSWERS = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "roots/list": { roots: rootsOf("/work") },
};
const DECLARED = { nothing: {}, "elicitation and roots": ANSWERS };
/** Every kind of client: its name, the generation of its SDK, what it answers, and a resource that it subscribes to. */
const KINDS = CLIENTS.flatMap((generation) =>
  Object.entries(DECLARED).map(([declared, answers]) => [
    `a ${generation} client that declares ${declared}`,
    generation,
    answers,
  ]),
).map((kind, at) => [...kind, `demo://resource/dynamic/text/${at + 1}`]);

let server;
let workers;
before(async () => {
  server = await startEverything();
  // Each kind of client has a gateway of its own: in a session that clients share, one would hear what another asks for.
  workers = await startWorkers(
    KINDS.map((_, at) => ({ name: `kind${at}`, config: { upstream: { url: server.url } } })),
  );
  // That a server keeps sessions is known once it has been listed.
  await Promise.all(Object.values(workers.urls).map((url) => ask(`${url}/mcp`, "tools/list")));
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

const PLACES = {
  direct: () => server.url,
  "through the gateway": (at) => `${workers.urls[`kind${at}`]}/mcp`,
};

/**
 * Waits for the server's question at the start of a session. The server loses what it asks before the stream of the session is
 * open, and a call that needs the answer then takes a minute.
 */
const askedAtStart = ({ asked }) => until(() => asked.length > 0, "the server asks for roots");

for (const [place, url] of Object.entries(PLACES))
  describe(`server-everything ${place}`, { concurrency: true }, () => {
    for (const [at, [about, generation, answers, uri]] of KINDS.entries()) {
      const open = async (t) => {
        const client = await connect(generation, url(at), { answers });
        t.after(() => client.close());
        return client;
      };

      test(`L3: ${about} hears the updates that it subscribed to`, async (t) => {
        const client = await open(t);
        await client.subscribe(uri);
        assert.match(await client.text("toggle-subscriber-updates"), /^Started/);
        await until(
          () => client.updates(uri) >= 2,
          () => `two updates, not ${client.updates(uri)}`,
          PACE,
        );
        assert.deepEqual(
          client.notes.filter(({ params }) => params?.uri && params.uri !== uri),
          [],
        );
      });

      test(`L4: ${about} gets the log lines of its session`, async (t) => {
        const client = await open(t);
        // A stateless client gets log lines with the answer to its own request alone.
        if (client.stateless) return t.skip("the stateless revision has no log lines outside a call");
        await client.client.setLoggingLevel("debug");
        assert.match(await client.text("toggle-simulated-logging"), /^Started/);
        const lines = () => client.logs().filter(({ data }) => /level.message/i.test(data));
        await until(
          () => lines().length >= 2,
          () => `two lines, not ${JSON.stringify(client.logs())}`,
          PACE,
        );
      });

      test(`L6: ${about} alone lists and reads the resource of its session`, async (t) => {
        const [client, other] = [await open(t), await open(t)];
        // The server has one table of such names for all sessions.
        const name = `${place} ${about}.gz`.replaceAll(/[ ,]+/g, "-");
        const made = `demo://resource/session/${name}`;
        const args = { name, data: "data:text/plain,hello", outputType: "resource" };
        const { content } = await client.client.callTool({ name: "gzip-file-as-resource", arguments: args });
        assert.equal(content[0].resource?.blob, HELLO, JSON.stringify(content));
        const lists = async ({ client }) =>
          (await client.listResources({}, { cacheMode: "refresh" })).resources.some(({ uri }) => uri === made);
        await assert.rejects(other.client.readResource({ uri: made }), /not found/i);
        assert.equal(await lists(other), false, "the list of another client has it");
        // A call of a client without a session has a session that ends with it.
        if (client.stateless) return;
        assert.equal((await client.client.readResource({ uri: made })).contents[0].blob, HELLO);
        await until(() => lists(client), "its own list has the resource", { within: 3_000, every: 200 });
        assert.ok(client.notes.some(({ method }) => method === "notifications/resources/list_changed"));
        assert.equal(await lists(other), false, "the list of another client has it");
      });

      // The server itself asks once, although the stream may not be open yet.
      if (answers["roots/list"] && place !== "direct")
        test(`L1: ${about} is asked for its roots`, async (t) => {
          const client = await open(t);
          assert.match(await client.text("get-roots-list"), /file:\/\/\/work/);
        });
    }

    test("L1: changed roots reach the server", async (t) => {
      let roots = rootsOf("/before");
      const client = await connect("v1", url(0), { answers: { ...ANSWERS, "roots/list": () => ({ roots }) } });
      t.after(() => client.close());
      if (place === "direct") await askedAtStart(client);
      assert.match(await client.text("get-roots-list"), /file:\/\/\/before/);
      roots = rootsOf("/after");
      await client.client.sendRootsListChanged();
      await client.textOf("get-roots-list", {}, /file:\/\/\/after/);
    });
  });
