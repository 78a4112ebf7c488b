// Functions that a host adds to context middleware: their names, results, refusals and errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadMiddleware } from "./support/middleware-package.mjs";

const { Middleware } = await loadMiddleware();

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
