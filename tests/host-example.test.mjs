// The example of a host: a whole conversation with context middleware, and content that was refused.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";
import { consumer, loadMiddleware } from "./support/middleware-package.mjs";
import { link } from "./support/tarball.mjs";

const run = promisify(execFile);
const { Middleware } = await loadMiddleware();
for (const path of ["serve.mjs", "pii-server", "host"])
  cpSync(new URL(`../examples/${path}`, import.meta.url), join(consumer.folder, path), { recursive: true });
link(consumer, ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "zod"], "../node_modules");

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
