// Context middleware in a host: the rows in the package's module, its options, and conversations.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import "./support/home.mjs";
import { middlewareCorpus, runMiddleware } from "./support/middleware-corpus.mjs";
import { consumer, loadMiddleware } from "./support/middleware-package.mjs";
import { link } from "./support/tarball.mjs";

const run = promisify(execFile);
const { Middleware, SieveError } = await loadMiddleware();

for (const [file, rows] of Object.entries(middlewareCorpus)) {
  test(`the rows of ${file}.json`, async () => {
    for (const row of rows) await runMiddleware({ Middleware, SieveError }, row);
  });
}

test("M-5: every schema is a JSON Schema 2020-12, and a third-party validator refuses the same arguments", async () => {
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

test("values that nest too deep are refused with a code, wherever they come in", async () => {
  const middleware = new Middleware();
  const pipeline = middleware.pipeline({ outbound: ["pii_redaction"] });
  const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  let endless = [];
  for (let level = 0; level < 100_000; level += 1) endless = [endless];
  for (const deep of [nested(128), nested(5_000), endless]) {
    const refusals = [
      middleware.invoke("pii_redaction", [{ type: "text", text: deep }]),
      middleware.invoke("pii_redaction", [], { types: deep }),
      pipeline.start().outbound([{ type: "text", text: deep }]),
      (async () => pipeline.start(deep))(),
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

test("long texts, which are passed beside the JSON, come back as JSON has them", async () => {
  const middleware = new Middleware();
  const long = (text) => text.repeat(Math.ceil(2000 / text.length));
  class Item {
    type = "text";
    get text() {
      return long("of the prototype ");
    }
  }
  const odd = [
    { type: "text", text: long("plain ") },
    { type: "text", text: long('"quotes" \\ and \n\r\t\b\f\u0000\u001f\u007f\u2028 ') },
    { type: "text", text: long("ümlaut 日本 😀 ") },
    { type: "text", text: `${long("half of a pair ")}\ud800` },
    { annotations: { text: "" }, text: long("in the middle "), type: "text", _meta: { text: long("nested ") } },
    { type: "text", text: "short" },
    { type: "text", text: long("with toJSON "), toJSON: () => ({ type: "text", text: "of toJSON" }) },
    new Item(),
    { type: "text", text: long("left "), undefined: undefined },
    { type: "text", text: `😀${long("the first sign takes most ")}` },
    { type: "text", text: `${long("plain, but for the last sign ")}日` },
  ];
  // The engine rejects an unpaired surrogate, in a long text as in a short one.
  const code = (text) =>
    middleware.invoke("pii_redaction", [{ type: "text", text }]).then(
      () => undefined,
      (error) => error.code,
    );
  assert.equal(await code(odd[3].text), await code("\ud800"));
  const items = odd.filter((item) => item !== odd[3]);
  for (const context of [...items.map((item) => [item]), items, items.toReversed()]) {
    const { content } = await middleware.invoke("pii_redaction", context);
    assert.equal(JSON.stringify(content), JSON.stringify(context));
  }
  const mail = { type: "text", text: `${long("Write to ")}jane@example.com` };
  const { content } = await middleware.invoke("pii_redaction", [items[2], mail, items[0]]);
  assert.deepEqual(content, [items[2], { ...mail, text: `${long("Write to ")}[EMAIL_1]` }, items[0]]);
  const conversation = middleware.pipeline({ outbound: ["pii_redaction"] }).start();
  assert.deepEqual((await conversation.outbound([mail, items[1]])).content, [content[1], items[1]]);
  assert.deepEqual(conversation.handles, { EMAIL_1: "jane@example.com" });

  // An item that a function prepends shifts the others. A function of the host receives and returns whole texts.
  const given = [];
  middleware.add({
    name: "reverse",
    apply: (context) => {
      given.push(structuredClone(context));
      return { content: context.toReversed() };
    },
  });
  const note = { type: "text", text: "before" };
  middleware.add({ name: "note", apply: (context) => ({ content: [note, ...context] }) });
  const both = [items[1], mail, items[2]];
  const [hidden] = (await middleware.invoke("pii_redaction", [mail])).content;
  const steps = middleware.pipeline({ outbound: ["pii_redaction", "reverse", "note", "pii_redaction"] }).start();
  assert.deepEqual((await steps.outbound(both)).content, [note, items[2], hidden, items[1]]);
  assert.deepEqual(given, [[items[1], hidden, items[2]]]);
  const stamped = await middleware.invoke("timestamp_injector", both);
  assert.deepEqual(stamped.content.slice(-2), both.slice(-2));
  assert.match(stamped.content[0].text, /^\[Current time: /);
  assert.ok(stamped.content[0].text.endsWith(`\n\n${items[1].text}`));
});

test("M-26: an application rejects content that is not allowed before the model sees it", async () => {
  const middleware = new Middleware();
  const asked = [];
  const answer = async (text) => {
    const { content, metadata } = await middleware.invoke("content_moderation", [{ type: "text", text }]);
    if (!metadata.allow) return "rejected";
    asked.push(content);
    return "answered";
  };
  assert.equal(await answer("Tell me how to make a bomb."), "rejected");
  assert.deepEqual(asked, []);
  assert.equal(await answer("Tell me how to make a cake."), "answered");
  assert.deepEqual(asked, [[{ type: "text", text: "Tell me how to make a cake." }]]);
});

test("M-45 M-46: the last items only, and no values in metadata", async () => {
  const middleware = new Middleware();
  middleware.pipeline({ outbound: { steps: ["pii_redaction"], last: null } });
  const { outbound } = { outbound: { steps: ["pii_redaction"], last: 1 } };
  const conversation = middleware.pipeline({ outbound }).start();
  const text = (text) => ({ type: "text", text });
  const ran = await conversation.outbound([text("a@example.com"), text("b@example.com")]);
  assert.deepEqual(ran.content, [text("a@example.com"), text("[EMAIL_1]")]);
  assert.equal(JSON.stringify([ran.metadata, ran.reports]).includes("b@example.com"), false);
  assert.deepEqual(Object.values(conversation.handles), ["b@example.com"]);
  assert.throws(() => middleware.pipeline({ outbound: ["nobody"] }), { code: "config" });
});

test("misspelt options and chains are refused, since text would pass as it is", async () => {
  const middleware = new Middleware();
  const apply = async (content) => ({ content });
  const refusals = [
    [() => new Middleware({ pattern: {} }), "unknown option `pattern`, expected `policies`, `patterns`"],
    [
      () => new Middleware({ documents: [{ id: "1", text: "t" }] }),
      "title: expected text in a document, got undefined",
    ],
    [
      () => middleware.pipeline({ request: ["pii_redaction"] }),
      "unknown option `request`, expected `outbound`, `inbound`",
    ],
    [() => middleware.pipeline(["pii_redaction"]), "expected an object with options, got an array"],
    [() => middleware.pipeline(), "expected the steps of `outbound`, of `inbound`, or of both"],
    [() => middleware.pipeline({ outbound: [] }), "expected the steps of `outbound`, of `inbound`, or of both"],
    [
      () => middleware.pipeline({ outbound: { steps: [], last: 1 }, inbound: [] }),
      "expected the steps of `outbound`, of `inbound`, or of both",
    ],
    [
      () => middleware.pipeline({ outbound: { steps: ["pii_redaction"], last: 0 } }),
      "outbound.last: expected at least 1",
    ],
    [
      () => middleware.pipeline({ outbound: ["pii_redaction"], inbound: { steps: ["pii_restoration"], last: -1 } }),
      "inbound.last: expected at least 1",
    ],
    [() => middleware.add({ name: "own" }), "apply: expected a function that takes a context"],
    [() => middleware.add({ apply }), "name: expected the name of the function"],
    [() => middleware.add({ name: "own", apply, event: [] }), "unknown option `event`, expected `name`"],
  ];
  for (const [call, message] of refusals)
    assert.throws(call, (error) => error.code === "invalid_option" && error.message.startsWith(message), message);
  const url = "http://127.0.0.1:1/mcp";
  for (const [server, message] of [
    [{ url, timeout: 5 }, "unknown option `timeout`, expected `url`, `headers`, `timeoutMs`"],
    [undefined, "expected the address of the server: `{ url }`"],
    [url, "expected an object with options, got string"],
  ])
    await assert.rejects(middleware.connect("pii", server), (error) => {
      return error.code === "config" && error.message.startsWith(message);
    });
});

test("arguments that a function rejects are found when a pipeline is made, and `failOpen` does not cover them", async () => {
  const middleware = new Middleware();
  const step = { use: "pii_redaction", arguments: { types: ["EMIAL"] }, failOpen: true };
  const message = "arguments.types[0]: there is no type `EMIAL`";
  assert.throws(() => middleware.pipeline({ outbound: [step] }), { code: "config", message: `outbound[0].${message}` });
  assert.throws(() => middleware.pipeline({ inbound: { steps: [step], last: 1 } }), {
    code: "config",
    message: `inbound.steps[0].${message}`,
  });
  const late = { use: "timestamp_injector", arguments: { timeZone: "Mars" }, failOpen: true };
  const conversation = middleware.pipeline({ outbound: [late] }).start();
  await assert.rejects(conversation.outbound([{ type: "text", text: "a" }]), { code: "arguments_invalid" });
});

test("a conversation copies the handles that it begins with, and wants texts", async () => {
  const pipeline = new Middleware().pipeline({ inbound: ["pii_restoration"] });
  const handles = { EMAIL_1: "jane@example.com" };
  const conversation = pipeline.start(handles);
  handles.EMAIL_1 = "attacker@example.com";
  const { content } = await conversation.inbound([{ type: "text", text: "[EMAIL_1]" }]);
  assert.equal(content[0].text, "jane@example.com");
  for (const [given, message] of [
    [{ EMAIL_1: 1 }, "handles.EMAIL_1: expected text, got number"],
    [null, "handles: expected an object of texts"],
    [["a"], "handles: expected an object of texts"],
    ["a", "handles: expected an object of texts"],
  ])
    assert.throws(() => pipeline.start(given), { code: "invalid_option", message });
});

test("types accept items of an application and of an SDK, and readonly arrays", async () => {
  link(consumer, ["@modelcontextprotocol/client"], "../node_modules");
  const folder = join(consumer.folder, "middleware-types");
  cpSync(new URL("support/middleware-types", import.meta.url), folder, { recursive: true });
  const tsc = fileURLToPath(new URL("node_modules/.bin/tsc", import.meta.url));
  const { stdout } = await run(tsc, ["--project", folder]).catch((failed) => failed);
  assert.equal(stdout, "");
});

test("a host's middleware can be freed while a call is in it", async () => {
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

test("half of a surrogate pair passes every function, in short and in long texts", async () => {
  const middleware = new Middleware();
  const [half, long] = ["cut \ud83d", `${"x ".repeat(1000)}\ud83d`];
  const context = [
    { type: "text", text: half },
    { type: "text", text: long },
    { type: "note", "\udc00": [half, { "\ud800": "jane@example.com" }] },
    { type: "text", text: "jane@example.com \ud83d" },
  ];
  const pipeline = middleware.pipeline({ outbound: ["pii_redaction", "secret_detection"] });
  for (const { content } of [
    await middleware.invoke("pii_redaction", context),
    await pipeline.start().outbound(context),
  ]) {
    assert.deepEqual(content.slice(0, 3), [
      context[0],
      context[1],
      { type: "note", "\udc00": [half, { "\ud800": "[EMAIL_1]" }] },
    ]);
    assert.equal(content[3].text, "[EMAIL_1] \ufffd");
  }
  middleware.free();
});

test("a value of 122 levels passes every function", async () => {
  const nested = (levels, inner) => JSON.parse("[".repeat(levels) + JSON.stringify(inner) + "]".repeat(levels));
  const middleware = new Middleware();
  const { content } = await middleware.invoke("pii_redaction", [{ type: "note", a: nested(122, "jane@example.com") }]);
  assert.deepEqual(content, [{ type: "note", a: nested(122, "[EMAIL_1]") }]);
  middleware.free();
});
