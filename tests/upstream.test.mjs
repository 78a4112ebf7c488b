// Faulty servers behind the Worker in workerd: each fault has its own error over real sockets, and the next request
// succeeds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { ask, leaveAfterFirstPiece } from "./support/raw-client.mjs";
import { startRogues } from "./support/rogue.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const corpus = JSON.parse(readFileSync(new URL("fixtures/upstream.json", import.meta.url), "utf8"));
// Lists are not cached, so that every request reaches the server.
const settings = {
  ...corpus.settings,
  timeoutMs: 3_000,
  callTimeoutMs: 5_000,
  ttlMs: 0,
  minTtlMs: 0,
  listWaitMs: 10_000,
};
/** Number of Workers that run at once. Each has its own WebAssembly instance. */
const BATCH = 12;
/** Maximum pause after a failed list, while no list has ever succeeded. */
const FIRST_PAUSE_MS = 2_000;
/** Time that a busy machine may add to the gateway's timeout for a server. */
const SLACK_MS = 5_000;

const questionOf = (row) => (row.ask === "lists" ? ["tools/list"] : ["tools/call", { name: "t" }]);
const hangs = ({ reply }) => reply.hang || reply.body?.some((piece) => piece.hang);

function expected({ error }) {
  const text = JSON.stringify(error).replace(/\$(\w*[tT]imeoutMs)/g, (_, name) => settings[name]);
  return JSON.parse(text);
}

/** Returns the reasons of the lists that are missing, by the status of the server. */
const missingIn = ({ _meta }) => (_meta?.["dev.mcpsieve/upstreams"]?.[0]?.missing ?? []).map(({ reason }) => reason);

for (let from = 0; from < corpus.rows.length; from += BATCH) {
  const rows = corpus.rows.slice(from, from + BATCH);
  describe(`bad answers ${from + 1} to ${from + rows.length}`, { concurrency: BATCH }, () => {
    let rogues;
    let workers;
    before(async () => {
      rogues = await startRogues(rows);
      const config = { upstream: settings };
      workers = await startWorkers(rows.map((_, at) => ({ name: `row${at}`, upstream: rogues.url(at), config })));
    });
    after(async () => {
      await workers?.stop();
      await rogues?.stop();
    });

    rows.forEach((row, at) =>
      test(row.name, async () => {
        const url = `${workers.urls[`row${at}`]}/mcp`;
        const begun = Date.now();
        const answer = (await ask(url, ...questionOf(row))).at(-1).message;
        if (row.problems === undefined) assert.deepEqual(answer.error, expected(row));
        else assert.deepEqual(missingIn(answer.result), row.ask === "lists" ? row.problems : []);
        assert.ok(Date.now() - begun < settings.callTimeoutMs + SLACK_MS, "answered in time");
        if (hangs(row)) await rogues.abandoned(at);
        rogues.heal(at);
        for (const question of [["tools/list"], ["tools/call", { name: "t" }]]) {
          let next;
          const served = async () => (([{ message: next }] = await ask(url, ...question)), next.result);
          await until(served, () => `the next ${question[0]}: ${JSON.stringify(next)}`, {
            within: FIRST_PAUSE_MS,
            every: 100,
          });
        }
      }),
    );
  });
}

describe("servers that are odd, and callers that leave", () => {
  const note = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
  const sse = (...body) => ({ status: 200, type: "text/event-stream", body });
  const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
  const listed = {
    tools: [tool("a"), tool("b", { title: "first" }), { title: "no name" }, tool("b", { title: "second" }), 7],
  };
  const rows = {
    stalls: { ask: "call", reply: sse(`data: ${JSON.stringify(note)}\n\n`, { hang: true }) },
    lists: {
      ask: "lists",
      reply: {
        status: 200,
        type: "application/json",
        body: [`{"jsonrpc":"2.0","id":$id,"result":${JSON.stringify(listed)}}`],
      },
    },
  };
  const place = Object.fromEntries(Object.keys(rows).map((name, at) => [name, at]));
  let rogues;
  let workers;
  const mcp = (name) => `${workers.urls[name]}/mcp`;
  before(async () => {
    rogues = await startRogues(Object.values(rows));
    const services = Object.keys(rows).map((name) => ({
      name,
      upstream: rogues.url(place[name]),
      config: { upstream: settings },
    }));
    workers = await startWorkers(services);
  });
  after(async () => {
    await workers?.stop();
    await rogues?.stop();
  });

  test("a repeated name is listed once, a bad item left out, and both are reported by name", async () => {
    const [{ message }] = await ask(mcp("lists"), "tools/list");
    assert.deepEqual(message.result.tools, [tool("a"), tool("b", { title: "first" })]);
    for (const report of ["tool `b`: listed twice", "tool `#2`", "tool `#4`"]) {
      assert.ok(workers.log().includes(report), `${report} in the log:\n${workers.log()}`);
    }
  });

  test("a stream that stalls after its first event says so, and holds nobody up", async () => {
    const stalled = ask(mcp("stalls"), "tools/call", { name: "t", _meta: { progressToken: 1 } });
    const begun = Date.now();
    const [{ message: list }] = await ask(mcp("stalls"), "tools/list");
    assert.ok(list.result && Date.now() - begun < settings.callTimeoutMs, "the list came while the call hung");
    const seen = (await stalled).map(({ message }) => message);
    assert.deepEqual(seen[0], note);
    assert.equal(seen.length, 2);
    assert.deepEqual(seen[1].error, {
      code: -32603,
      message: `upstream \`up\` sent no complete message for ${settings.callTimeoutMs} ms while answering \`tools/call\``,
      data: { reason: "upstream_timeout" },
    });
    await rogues.abandoned(place.stalls);
  });

  test("a caller that leaves takes its request to the server along", async () => {
    const piece = await leaveAfterFirstPiece(mcp("stalls"), "tools/call", { name: "t", _meta: { progressToken: 1 } });
    assert.ok(piece.includes(JSON.stringify(note)), piece);
    const begun = Date.now();
    await rogues.abandoned(place.stalls);
    assert.ok(Date.now() - begun < settings.callTimeoutMs - 500, `closed ${Date.now() - begun} ms later`);
  });
});
