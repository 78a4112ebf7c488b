// Servers on the low-level Python SDK of both major versions, which send everything that does not belong to a request on the stream
// of the session. 1.30 has sessions; 2.3 answers both revisions, and offers subscriptions in sessions alone.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask } from "./support/raw-client.mjs";
import { startLowlevel } from "./support/real-servers.mjs";
import { CLIENTS, connect, rootsOf } from "./support/sdk-clients.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const VERSIONS = ["1.30", "2.3"];
const ANSWERS = {
  "elicitation/create": { action: "accept", content: { name: "Ada", age: 36 } },
  "roots/list": { roots: rootsOf("/work") },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" },
};
const DECLARED = { nothing: {}, everything: ANSWERS };
/** Every kind of client: its name, the generation of its SDK, and what it declares. */
const CLIENT_KINDS = CLIENTS.flatMap((generation) =>
  Object.keys(DECLARED).map((declared) => [`a ${generation} client that declares ${declared}`, generation, declared]),
);
const QUESTIONS = { elicitation: /"name":"Ada"/, roots: /file:\/\/\/work/, sampling: /Paris/ };
/** Longest a request that cannot be asked keeps the call waiting, in milliseconds. One that is asked in vain waits for a minute. */
const REFUSED_WITHIN_MS = 15_000;
const soon = { within: 5_000, every: 50 };

const servers = {};
let workers;
before(async () => {
  await Promise.all(VERSIONS.map(async (version) => (servers[version] = await startLowlevel(version))));
  // Each kind of client has a gateway of its own: in a session that clients share, one would hear what another asks for.
  const services = VERSIONS.flatMap((version) =>
    CLIENT_KINDS.map((_, at) => ({ name: `v${version}-${at}`, config: { upstream: { url: servers[version].url } } })),
  );
  workers = await startWorkers(services);
  // That a server keeps sessions is known once it has been listed.
  await Promise.all(Object.values(workers.urls).map((url) => ask(`${url}/mcp`, "tools/list")));
});
after(async () => {
  await workers?.stop();
  for (const server of Object.values(servers)) await server.stop();
});
const PLACES = {
  direct: (version) => servers[version].url,
  "through the gateway": (version, at) => `${workers.urls[`v${version}-${at}`]}/mcp`,
};

for (const [place, url] of Object.entries(PLACES))
  for (const version of VERSIONS)
    describe(`Python mcp ${version} ${place}`, { concurrency: true }, () => {
      for (const [at, [about, generation, declared]] of CLIENT_KINDS.entries()) {
        // The server of both revisions answers a stateless client itself, without subscriptions, log lines and questions.
        const stateless = version === "2.3" && generation === "v2";
        const open = async (t) => {
          const client = await connect(generation, url(version, at), { answers: DECLARED[declared] });
          t.after(() => client.close());
          return client;
        };

        if (!stateless || place !== "direct")
          test(`L3: ${about} hears the update that it subscribed to`, async (t) => {
            const client = await open(t);
            const uri = `note://${version}-${at}`;
            await client.subscribe(uri);
            // A client with a session hears of it also where the server tells the session of the call alone.
            const touch = client.stateless ? "touch" : "touch_own";
            assert.equal(await client.text(touch, { uri }), `${touch} done`);
            // A stateless subscription is acknowledged before the gateway has made it at the server.
            const heard = async () => {
              if (client.stateless) await client.text(touch, { uri });
              return client.updates(uri) > 0;
            };
            await until(heard, "an update", soon);
          });

        if (!stateless)
          test(`L4: ${about} gets log lines that are sent on the stream of the session`, async (t) => {
            const client = await open(t);
            if (!client.stateless) await client.client.setLoggingLevel("info");
            const _meta = client.stateless ? { "io.modelcontextprotocol/logLevel": "info" } : undefined;
            const result = await client.client.callTool({ name: "log", arguments: {}, _meta });
            assert.equal(result.content[0].text, "log done");
            await until(
              () => client.logs().length >= 3,
              () => `three lines, not ${client.logs().length}`,
              soon,
            );
            const line = (z) => ({ level: "info", logger: "lines", data: { z, a: "line" } });
            assert.deepEqual(
              client.logs().map(({ level, logger, data }) => ({ level, logger, data })),
              [0, 1, 2].map(line),
            );
          });

        for (const [kind, expected] of Object.entries(QUESTIONS))
          if (declared === "nothing" || stateless)
            test(`L7: ${about} cannot be asked for ${kind}, and the call ends at once`, async (t) => {
              const client = await open(t);
              const begun = performance.now();
              const text = await client.text("ask", { kind });
              assert.match(text, /not found|no back-channel|capabilit|declare|support/i);
              assert.ok(performance.now() - begun < REFUSED_WITHIN_MS, `${performance.now() - begun} ms`);
              if (place !== "direct") assert.deepEqual(client.asked, []);
            });
          else
            test(`L7: ${about} is asked for ${kind} on the stream of the session`, async (t) => {
              const client = await open(t);
              assert.match(await client.text("ask", { kind }), expected);
            });
      }
    });

// The official clients open a session at a gateway in front of 1.30. Stateless requests are served all the same.
for (const kind of Object.keys(QUESTIONS))
  test(`L7: a stateless request to a server with sessions cannot be asked for ${kind}, and ends at once`, async () => {
    const begun = performance.now();
    const params = { name: "ask", arguments: { kind } };
    const { result, error } = (await ask(PLACES["through the gateway"]("1.30", 0), "tools/call", params)).at(
      -1,
    ).message;
    assert.match(error?.message ?? result.content[0].text, /not found|capabilit|cannot be sent/i);
    assert.ok(performance.now() - begun < REFUSED_WITHIN_MS, `${performance.now() - begun} ms`);
  });
