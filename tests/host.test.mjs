// Context middleware in a host: the rows in the package's module, and the example of a whole conversation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { middlewareCorpus, runMiddleware } from "./support/middleware-corpus.mjs";
import { installTarball } from "./support/tarball.mjs";

const consumer = await installTarball();
test.after(() => consumer.remove());
consumer.write("middleware.mjs", 'export * from "mcp-sieve/middleware";');
consumer.write("host.mjs", readFileSync(new URL("../examples/middleware-host.mjs", import.meta.url), "utf8"));
const load = (name) => import(pathToFileURL(join(consumer.folder, name)).href);
const { Middleware, SieveError } = await load("middleware.mjs");

for (const [file, rows] of Object.entries(middlewareCorpus)) {
  test(`the rows of ${file}.json`, async () => {
    for (const row of rows) await runMiddleware({ Middleware, SieveError }, row);
  });
}

test("M-5: every schema is one of JSON Schema 2020-12, and a validator of others' refuses what is refused here", async () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, useDefaults: true });
  const middleware = new Middleware();
  const known = new Map(middleware.list().map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
  assert.ok(known.size > 5);
  const values = [
    "",
    "UTC",
    "long",
    -1,
    0,
    1,
    3,
    1.5,
    1e9,
    true,
    false,
    null,
    [],
    ["a"],
    [1],
    {},
    { a: "b" },
    { a: 1 },
  ];
  let refused = 0;
  for (const { name, inputSchema } of middleware.list()) {
    const properties = [...Object.keys(inputSchema.properties ?? {}), "unheard_of"];
    for (const property of properties) {
      for (const value of values) {
        const args = Object.fromEntries(
          (inputSchema.required ?? []).map((key) => [key, inputSchema.properties[key].type === "array" ? [] : {}]),
        );
        args[property] = value;
        const ours = await middleware.invoke(name, [], args).then(
          () => true,
          ({ code, message }) => code !== "arguments_invalid" || /there is no|is not known|has a name/.test(message),
        );
        const theirs = known.get(name)(structuredClone(args));
        assert.equal(ours, theirs, `${name} ${JSON.stringify(args)}: ${ajv.errorsText(known.get(name).errors)}`);
        refused += theirs ? 0 : 1;
      }
    }
  }
  assert.ok(refused > 100, String(refused));
});

test("M-4: functions of the host's own, and what they may not do", async () => {
  const middleware = new Middleware();
  const own = { name: "own", apply: (content) => ({ content }) };
  middleware.add(own);
  assert.throws(() => middleware.add(own), { code: "config", message: "there is a function `own` already" });
  assert.throws(() => middleware.add({ ...own, name: "odd", inputSchema: { type: "object", if: {} } }), {
    code: "config",
  });
  const broken = {
    none: () => ({}),
    thrown: () => {
      throw new Error("secret");
    },
    odd: () => ({ content: [1] }),
    told: () => ({ content: [], metadata: [] }),
  };
  for (const [name, apply] of Object.entries(broken)) {
    middleware.add({ name, apply });
    await assert.rejects(
      middleware.invoke(name, []),
      (error) => error.code === "middleware_failed" && !error.message.includes("secret"),
      name,
    );
  }
});

test("M-48: values that nest too deep are refused with a code, wherever they come in", async () => {
  const middleware = new Middleware();
  const pipeline = middleware.pipeline({ outbound: ["pii_redaction"] });
  const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  let endless = [];
  for (let level = 0; level < 100_000; level += 1) endless = [endless];
  for (const deep of [nested(65), nested(5_000), endless]) {
    const refusals = [
      middleware.invoke("pii_redaction", [{ type: "text", text: deep }]),
      middleware.invoke("pii_redaction", [], { types: deep }),
      pipeline.start().outbound([{ type: "text", text: deep }]),
      pipeline.start(deep).outbound([]),
      (async () => middleware.pipeline({ inbound: [deep] }))(),
      (async () =>
        middleware.add({
          name: "deep",
          inputSchema: { type: "object", enum: deep },
          apply: (content) => ({ content }),
        }))(),
    ];
    for (const [at, refusal] of refusals.entries()) {
      await assert.rejects(
        refusal,
        (error) => error instanceof SieveError && typeof error.code === "string",
        `way ${at}`,
      );
    }
  }
  const context = [{ type: "text", text: "Mail jane@example.com" }];
  assert.equal((await middleware.invoke("pii_redaction", context)).content[0].text, "Mail [EMAIL_1]");
});

test("M-35 M-36 M-52: the eight steps, the map kept by the host", async () => {
  const { application, pipeline, standIn, turn } = await load("host.mjs");
  const middleware = application();
  const conversation = middleware.pipeline(pipeline).start();
  let seen = "";
  const model = (shown) => {
    seen += JSON.stringify(shown);
    return standIn(shown);
  };
  const { answer } = await turn(
    middleware,
    conversation,
    "How many days of leave does Jane Smith (jane@example.com) have?",
    model,
  );
  assert.deepEqual(answer, [
    { type: "text", text: "Hello." },
    { type: "text", text: "Jane Smith has 25 days of leave: https://handbook.example.com/leave" },
  ]);
  assert.match(seen, /\[Retrieved Documents\].*\[PERSON_1\] \(\[EMAIL_1\]\)/s);
  assert.doesNotMatch(seen, /Jane|jane@/);
  assert.doesNotMatch(seen, /severity|relevance|redactions/, "metadata stays with the host");
  assert.deepEqual(Object.values(conversation.handles).sort(), ["Jane Smith", "jane@example.com"]);

  // A later turn, after the host has been restarted: the same person has the same handle.
  const later = middleware.pipeline(pipeline).start(JSON.parse(JSON.stringify(conversation.handles)));
  seen = "";
  await turn(middleware, later, "And how many days of leave are left for Jane Smith?", model);
  assert.match(seen, /\[PERSON_1\]/);
  assert.doesNotMatch(seen, /PERSON_2|Jane/);

  // What the model makes up does not reach the person.
  const invented = await turn(
    middleware,
    later,
    "Where is the leave form?",
    async () => "See https://forms.example.org/x",
  );
  assert.deepEqual(
    invented.rerun.map(({ kind, text }) => [kind, text]),
    [["link", "https://forms.example.org/x"]],
  );
});

test("M-45 M-46: the last items only, and no values in metadata", async () => {
  const middleware = new Middleware();
  const { outbound } = { outbound: { steps: ["pii_redaction"], last: 1 } };
  const conversation = middleware.pipeline({ outbound }).start();
  const text = (text) => ({ type: "text", text });
  const ran = await conversation.outbound([text("a@example.com"), text("b@example.com")]);
  assert.deepEqual(ran.content, [text("a@example.com"), text("[EMAIL_1]")]);
  assert.equal(JSON.stringify([ran.metadata, ran.reports]).includes("b@example.com"), false);
  assert.deepEqual(Object.values(conversation.handles), ["b@example.com"]);
  assert.throws(() => middleware.pipeline({ outbound: ["nobody"] }), { code: "config" });
});

test("a host's middleware is freed, and what goes through it goes on", async () => {
  const middleware = new Middleware({ documents: [{ id: "1", title: "Leave", text: "25 days a year." }] });
  let finish;
  middleware.add({
    name: "slow",
    apply: async (content) => (
      await new Promise((done) => {
        finish = done;
      }),
      { content }
    ),
  });
  const [text] = [{ type: "text", text: "a@example.com" }];
  const going = middleware.invoke("slow", [text]);
  const conversation = middleware.pipeline({ outbound: ["pii_redaction"] }).start();
  assert.equal((await conversation.outbound([text])).content[0].text, "[EMAIL_1]");
  middleware.free();
  middleware[Symbol.dispose]();
  finish();
  assert.deepEqual((await going).content, [text]);
  const freed = { name: "SieveError", code: "freed", message: "this middleware was freed" };
  for (const call of [
    () => middleware.list(),
    () => middleware.put({ id: "2", title: "", text: "" }),
    () => middleware.pipeline({ inbound: ["pii_redaction"] }),
  ])
    assert.throws(call, freed);
  for (const call of [middleware.invoke("pii_redaction", [text]), conversation.outbound([text])])
    await assert.rejects(call, freed);
  const idle = new Middleware();
  idle.free();
  assert.throws(() => idle.list(), freed);
});
