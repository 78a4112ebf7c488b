// Context middleware in a host: the rows in the package's module, and the example of a whole conversation.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { middlewareCorpus, runMiddleware } from "./support/middleware-corpus.mjs";
import { installTarball, link } from "./support/tarball.mjs";

const run = promisify(execFile);
const consumer = await installTarball();
test.after(() => consumer.remove());
consumer.write("middleware.mjs", 'export * from "mcp-sieve/middleware";');
for (const path of ["serve.mjs", "pii-server", "host"])
  cpSync(new URL(`../examples/${path}`, import.meta.url), join(consumer.folder, path), { recursive: true });
link(consumer, ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "zod"], "../node_modules");
const load = (name) => import(pathToFileURL(join(consumer.folder, name)).href);
const { Middleware, SieveError } = await load("middleware.mjs");

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

test("M-4: a function of the host's own has a name that no other function has", async () => {
  const middleware = new Middleware();
  const own = { name: "own", apply: (content) => ({ content }) };
  middleware.add(own);
  assert.throws(() => middleware.add(own), { code: "config", message: "there is a function `own` already" });
  assert.throws(() => middleware.add({ ...own, name: "odd", inputSchema: { type: "object", if: {} } }), {
    code: "config",
  });
  assert.equal(middleware.list().filter(({ name }) => name === "own").length, 1);
});

test("M-47: the result of a custom function of the host is validated", async () => {
  const middleware = new Middleware();
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

test("values that nest too deep are refused with a code, wherever they come in", async () => {
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

/** Wraps `answers` as a model that records its contexts. `text()` returns them, joined. */
function watched(answers) {
  const shown = [];
  const model = (context) => {
    shown.push(JSON.stringify(context));
    return answers(context);
  };
  return { model, text: () => shown.join("\n") };
}

/** Wraps the chains of a conversation, and adds the name of each function that runs to `steps`. */
const recorded = (conversation, steps) =>
  Object.fromEntries(
    Object.entries(conversation).map(([name, chains]) => {
      const run = (direction) => async (context) => {
        const result = await chains[direction](context);
        steps.push(...result.reports.map((report) => report.function));
        return result;
      };
      return [
        name,
        {
          get handles() {
            return chains.handles;
          },
          outbound: run("outbound"),
          inbound: run("inbound"),
        },
      ];
    }),
  );

test("M-35 M-36 M-46 M-52: a host runs the proposal's steps with a server of its own", async (t) => {
  const example = (path) => import(pathToFileURL(join(consumer.folder, path)).href);
  const { startPiiServer } = await example("pii-server/server.mjs");
  const { startTools } = await example("host/tools.mjs");
  const host = await example("host/host.mjs");
  const token = "of-the-application";
  const pii = await startPiiServer({ token });
  const tools = await startTools();
  t.after(() => pii.stop());
  t.after(() => tools.stop());
  const client = await host.connectTools(tools.url);
  t.after(() => client.close());
  const application = await host.createApplication({ pii: { url: pii.url, token } });

  const steps = [];
  const { model, text } = watched((context) => {
    steps.push("model");
    return host.standInModel(context);
  });
  const conversation = recorded(host.startConversation(application), steps);
  const question = "How many days of leave does Jane Smith (jane@example.com) have left?";
  const invoke = (name, ...rest) => {
    steps.push(name);
    return application.middleware.invoke(name, ...rest);
  };
  const followed = { ...application, middleware: { invoke } };
  const { context, content } = await host.answer(followed, conversation, { question, model, tools: client });
  // The model calls a tool once: what it says is restored for the tool, and the result is redacted.
  assert.deepEqual(steps, [
    "pii/pii_redaction",
    "content_moderation",
    "document_retrieval",
    "model",
    "pii/pii_restoration",
    "pii/pii_redaction",
    "model",
    "hallucination_check",
    "greeting",
    "pii/pii_restoration",
  ]);
  assert.deepEqual(content, [
    { type: "text", text: "Hello." },
    { type: "text", text: "Jane Smith has 12 days of leave left: https://handbook.example.com/leave" },
  ]);
  assert.match(text(), /\[Retrieved Documents\].*\[PERSON_1\] \(\[EMAIL_1\]\)/s);
  assert.doesNotMatch(
    text(),
    /Jane|jane@|severity|relevance|redactions/,
    "no personal data and no metadata reach the model",
  );
  assert.deepEqual(Object.values(conversation.privacy.handles).sort(), ["Jane Smith", "jane@example.com"]);

  // The README shows the program's real output.
  const { stdout, stderr } = await run(process.execPath, [join(consumer.folder, "host/host.mjs")], {
    env: { ...process.env, PII_URL: pii.url, PII_TOKEN: token, TOOLS_URL: tools.url },
    timeout: 60_000,
  });
  const readme = readFileSync(new URL("../examples/host/README.md", import.meta.url), "utf8");
  assert.equal(stdout, /```text\n(.*?)```/s.exec(readme)[1], stderr);
  assert.equal(context.length, 3);

  // A later turn, after a restart of the host: the same person has the same handle.
  const handles = JSON.parse(JSON.stringify(conversation.privacy.handles));
  const later = host.startConversation(application, handles);
  const second = watched(host.standInModel);
  await host.answer(application, later, { question: "And for Jane Smith alone?", model: second.model, tools: client });
  assert.match(second.text(), /\[PERSON_1\]/);
  assert.doesNotMatch(second.text(), /PERSON_2|Jane/);

  // An invented link does not reach the user.
  const invented = async () => [{ type: "text", text: "See https://forms.example.org/x" }];
  const { rerun } = await host.answer(application, later, {
    question: "Where is the form?",
    model: invented,
    tools: client,
  });
  assert.deepEqual(
    rerun.map(({ kind, text }) => [kind, text]),
    [["link", "https://forms.example.org/x"]],
  );

  // Without the token, the server answers nothing, and the host does not start.
  await assert.rejects(host.createApplication({ pii: { url: pii.url, token: "another" } }), {
    code: "middleware_failed",
  });
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

test("a function may be an instance of a class, with members of its own", async () => {
  class Counter {
    name = "counter";
    calls = 0;
    apply = async (content) => {
      this.calls += 1;
      return { content };
    };
  }
  const middleware = new Middleware();
  const counter = new Counter();
  await middleware.add(counter).invoke("counter", [{ type: "text", text: "a" }]);
  assert.equal(counter.calls, 1);
});

test("an error of the host's own function is the cause of the call's", async () => {
  const middleware = new Middleware();
  const thrown = new RangeError("no such person");
  middleware.add({ name: "own", apply: async () => Promise.reject(thrown) });
  const context = [{ type: "text", text: "a" }];
  const conversation = middleware.pipeline({ outbound: ["own"] }).start();
  for (const call of [middleware.invoke("own", context), conversation.outbound(context)])
    await assert.rejects(call, { code: "middleware_failed", cause: thrown });
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

test("a function of the host's own refuses with a refusal or with `allow`, and a malformed refusal fails", async () => {
  const middleware = new Middleware();
  const context = [{ type: "text", text: "a" }];
  const message = "the function `own` does not allow the context";
  const cases = [
    [{ refusal: { reason: "policy", message: "no" } }, { reason: "policy", message: "no" }],
    [{ refusal: { message: "no" } }, { reason: "host", message: "no" }],
    [{ metadata: { allow: false } }, { reason: "host", message }],
    [
      { metadata: { allow: false }, refusal: { reason: "policy", message: "no" } },
      { reason: "policy", message: "no" },
    ],
    [{ metadata: { allow: true } }, undefined],
    [{ refusal: null }, undefined],
    ...["no", true, false, 0, [], {}, { reason: "x" }, { reason: 1, message: "no" }, { message: null }].map(
      (refusal) => [{ refusal }],
    ),
  ];
  let outcome;
  middleware.add({ name: "own", apply: (content) => ({ content, ...outcome }) });
  for (const [returned, expected] of cases.map((row) => [row[0], row.length > 1 ? { refusal: row[1] } : undefined])) {
    outcome = returned;
    const conversation = middleware.pipeline({ outbound: [{ use: "own" }] }).start();
    const calls = [middleware.invoke("own", context), conversation.outbound(context)];
    for (const call of calls) {
      const shown = JSON.stringify(returned);
      if (expected) assert.deepEqual((await call).refusal, expected.refusal, shown);
      else
        await assert.rejects(
          call,
          {
            code: "middleware_failed",
            message: "the function `own` returned a refusal without a `reason` and a `message`",
          },
          shown,
        );
    }
  }
  outcome = { refusal: { reason: "policy", message: "no" } };
  const { content, reports } = await middleware
    .pipeline({ outbound: ["own"] })
    .start()
    .outbound(context);
  assert.deepEqual([content, reports[0].ended], [context, "policy"]);
});

test("a function that returns no content, and what services throw, are named", async () => {
  const thrown = new RangeError("no room");
  const warnings = [];
  const middleware = new Middleware({
    record: () => {
      throw thrown;
    },
    reaches: () => {
      throw thrown;
    },
    warn: (...said) => warnings.push(said),
  });
  for (const nothing of [undefined, null, 1, {}]) {
    const name = `own ${nothing}`;
    middleware.add({ name, apply: async () => nothing });
    await assert.rejects(middleware.invoke(name, []), {
      code: "middleware_failed",
      message: `the function \`${name}\` returned no content`,
    });
  }
  await assert.rejects(middleware.invoke("context_logger", [{ type: "text", text: "a" }]), {
    code: "middleware_failed",
    message: "the context cannot be kept",
    cause: thrown,
  });
  const link = "https://a.example/b";
  const checked = await middleware.invoke("hallucination_check", [{ type: "text", text: link }], {
    given: [link],
    reach: true,
  });
  assert.deepEqual(checked.metadata.findings, []);
  assert.deepEqual(warnings, [["`reaches` has thrown, and the address is not checked", thrown]]);
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

test("a function cannot change the value of a known handle", async () => {
  const middleware = new Middleware();
  middleware.add({
    name: "own",
    apply: (content) => ({ content, metadata: { redactions: { EMAIL_1: "attacker@example.com" } } }),
  });
  const conversation = middleware.pipeline({ outbound: ["pii_redaction", "own"] }).start({ EMAIL_2: "b@example.com" });
  const context = [{ type: "text", text: "Mail jane@example.com" }];
  await assert.rejects(
    middleware
      .pipeline({ outbound: ["own"] })
      .start({ EMAIL_1: "a" })
      .outbound(context),
    {
      code: "middleware_failed",
      message: "own: the function returned another value for a known handle",
    },
  );
  await conversation.outbound(context);
  assert.equal(conversation.handles.EMAIL_3, "jane@example.com");
});

test("the example host uses the content of no refused result", async () => {
  const { answer } = await import(pathToFileURL(join(consumer.folder, "host/host.mjs")).href);
  const texts = { question: "question", said: "said", result: "result", greeted: "Hello." };
  for (const [place, text] of Object.entries(texts)) {
    const middleware = new Middleware();
    middleware.add({
      name: "own",
      apply: (content) => ({ content, metadata: { allow: !JSON.stringify(content).includes(text) } }),
    });
    middleware.add({
      name: "greet",
      apply: (content) => ({ content: [{ type: "text", text: "Hello." }, ...content] }),
    });
    const own = middleware.pipeline({ outbound: ["own"], inbound: ["own"] });
    const conversation = { privacy: own.start(), guard: middleware.pipeline({ inbound: ["greet"] }).start() };
    const read = [];
    const model = async (context) => {
      read.push(JSON.stringify(context));
      if (read.length > 1) return [{ type: "text", text: "answer" }];
      return [{ type: "tool_use", id: "1", name: "n", input: { q: "said" } }];
    };
    const tools = { callTool: async () => ({ content: [{ type: "text", text: "result" }] }) };
    const given = await answer({ middleware }, conversation, { question: "question", model, tools });
    assert.deepEqual(given, { refused: "host" }, place);
    if (place === "question" || place === "result") assert.ok(!read.join().includes(text), place);
  }
});

test("types accept items of an application and of an SDK, and readonly arrays", async () => {
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
