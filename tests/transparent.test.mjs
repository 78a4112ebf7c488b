// Data that the gateway does not know passes through it: members that no revision defines, servers' information about
// themselves, and methods of other vendors, for clients and servers of both revisions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Server, createMcpHandler } from "@modelcontextprotocol/server";
import { listen } from "./conformance/foreign/http.mjs";
import { MARK, startMarkedServer } from "./support/marked-server.mjs";
import { ask, openSession, session } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/serverInfo";
const REVISIONS = ["session", "stateless"];
const passMethods = ["com.example/tick", { method: "com.example/preview", tool: "tool" }];
/**
 * Returns a function that sends requests as a client of this revision. It returns the messages of the response, the
 * response last.
 */
const asking = async (url, revision) => {
  const through = revision === "session" ? await session(url) : (method, params) => ask(url, method, params);
  return async (method, params = {}) => (await through(method, params)).map(({ message }) => message);
};

/** Returns the paths of members that contain a mark. */
const marks = (value, path = "") =>
  value === null || typeof value !== "object"
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        key.startsWith("com.example/")
          ? (assert.deepEqual(inner, MARK), [`${path}/${key.slice("com.example/".length)}`])
          : marks(inner, `${path}/${key}`),
      );

const both = (at) => [`${at}/_meta/meta`, `${at}/member`];
/** Request → the marks of its response. */
const RESPONSES = [
  ["tools/list", {}, [...both("/result"), ...both("/result/tools/0")]],
  ["resources/list", {}, [...both("/result"), ...both("/result/resources/0")]],
  ["resources/templates/list", {}, [...both("/result"), ...both("/result/resourceTemplates/0")]],
  ["prompts/list", {}, [...both("/result"), ...both("/result/prompts/0")]],
  ["tools/call", { name: "talk" }, [...both("/result"), ...both("/result/content/0")]],
  ["tools/call", { name: "fail" }, both("/error/data")],
  [
    "prompts/get",
    { name: "greet" },
    [...both("/result"), "/result/messages/0/member", ...both("/result/messages/0/content")],
  ],
  ["resources/read", { uri: "note://one" }, [...both("/result"), ...both("/result/contents/0")]],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "" } },
    [...both("/result"), "/result/completion/member"],
  ],
  ["com.example/preview", { tool: "talk" }, both("/result")],
];
/**
 * The gateway builds lists itself, so a server cannot set Sieve's keys there. In results of calls, `_meta` is the
 * server's.
 */
const LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

describe("members that no revision defines", () => {
  const servers = {};
  let workers;
  before(async () => {
    for (const revision of REVISIONS) servers[revision] = await startMarkedServer(revision);
    const services = (name, config) =>
      REVISIONS.map((revision) => ({ name: `${name}-${revision}`, upstream: servers[revision].url, config }));
    const policies = [{ name: "none-hidden", show: "-name:nothing or claim.sub:*" }];
    workers = await startWorkers([
      ...services("open", { upstream: { passMethods } }),
      ...services("closed", { policies, upstream: { passMethods } }),
    ]);
  });
  after(async () => {
    await workers?.stop();
    for (const server of Object.values(servers)) server.stop();
  });

  for (const server of REVISIONS) {
    for (const client of REVISIONS) {
      const pairing = `${client} client, ${server} server`;
      test(`results keep them: ${pairing}`, async () => {
        const request = await asking(`${workers.urls[`open-${server}`]}/mcp`, client);
        for (const [method, params, expected] of RESPONSES) {
          const response = (await request(method, params)).at(-1);
          delete response.result?._meta?.[INFO];
          assert.deepEqual(marks(response).sort(), expected.toSorted(), `${method}: ${JSON.stringify(response)}`);
          const claimed = (response.result ?? response.error.data)._meta["dev.mcpsieve/claimed"];
          assert.equal(claimed, LISTS.includes(method) ? undefined : true, method);
        }
      });

      test(`lists have none of their own where something may be hidden: ${pairing}`, async () => {
        const request = await asking(`${workers.urls[`closed-${server}`]}/mcp`, client);
        const { result } = (await request("tools/list")).at(-1);
        delete result._meta?.[INFO];
        assert.deepEqual(marks(result).sort(), both("/tools/0").toSorted());
      });

      test(`notifications keep them: ${pairing}`, async () => {
        const request = await asking(`${workers.urls[`open-${server}`]}/mcp`, client);
        const _meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" };
        const messages = await request("tools/call", { name: "talk", _meta });
        const told = messages.slice(0, -1);
        assert.deepEqual(
          told.map(({ method }) => method),
          ["notifications/progress", "notifications/message", "notifications/resources/updated", "com.example/tick"],
        );
        for (const { method, params } of told) assert.deepEqual(marks(params).sort(), both("").toSorted(), method);
      });

      test(`questions and their answers keep them: ${pairing}`, async () => {
        const url = `${workers.urls[`open-${server}`]}/mcp`;
        const reply = {
          action: "accept",
          content: {},
          "com.example/member": MARK,
          _meta: { "com.example/meta": MARK },
        };
        const { question, result } = await (client === "session" ? asked(url, reply) : askedInResult(url, reply));
        assert.deepEqual(marks(question.params).sort(), both("").toSorted());
        assert.deepEqual(result.structuredContent.answered, reply);
      });

      test(`the server introduces itself: ${pairing}`, async () => {
        const url = `${workers.urls[`open-${server}`]}/mcp`;
        const { instructions, serverInfo } = await introduction(url, client);
        assert.equal(instructions, "Mark.");
        assert.deepEqual(serverInfo, { name: "marked", version: "1", "com.example/member": MARK });
      });
    }
  }
});

/** Returns the gateway's information about itself, in either revision. */
async function introduction(url, client) {
  if (client === "stateless") {
    const { result } = (await ask(url, "server/discover", {})).at(-1).message;
    return { ...result, serverInfo: result._meta[INFO] };
  }
  const headers = { "content-type": "application/json", accept: "application/json" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  return (await (await fetch(url, { method: "POST", headers, body })).json()).result;
}

/** Makes a call as a stateless client, which is asked in a result. */
async function askedInResult(url, reply) {
  const _meta = { [CAPABILITIES]: { elicitation: { form: {} } } };
  const first = (await ask(url, "tools/call", { name: "ask", _meta })).at(-1).message.result;
  const [[key, question]] = Object.entries(first.inputRequests);
  const params = { name: "ask", _meta, inputResponses: { [key]: reply }, requestState: first.requestState };
  return { question, result: (await ask(url, "tools/call", params)).at(-1).message.result };
}

/** Makes a call in a session, whose client is asked on its stream. */
async function asked(url, reply) {
  const headers = await openSession(url, { elicitation: { form: {} } });
  const post = (message) =>
    fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const response = await post({ id: 99, method: "tools/call", params: { name: "ask" } });
  let [question, pending] = [undefined, ""];
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    pending += chunk;
    const messages = [...pending.matchAll(/^data: ?(\{.*\})\n/gm)].map(([, data]) => JSON.parse(data));
    pending = pending.slice(pending.lastIndexOf("\n") + 1);
    for (const message of messages) {
      if (message.id === 99) return { question, result: message.result };
      if (message.method !== "elicitation/create") continue;
      question = message;
      assert.equal((await post({ id: message.id, result: reply })).status, 202);
    }
  }
  throw new Error("the stream ended without a response");
}

describe("a stateless server on the official SDK", () => {
  let server;
  let workers;
  before(async () => {
    const create = () => {
      const info = { name: "sdk", version: "2", title: "On the SDK", websiteUrl: "https://example.com" };
      const extensions = { "com.example/preview": { formats: ["png"] }, "org.example/other": {} };
      const options = { capabilities: { tools: {}, extensions }, instructions: "Call `draw` first." };
      const made = new Server(info, options);
      const tools = ["draw", "secret"].map((name) => ({ name, inputSchema: { type: "object" } }));
      made.setRequestHandler("tools/list", () => ({ tools }));
      made.fallbackRequestHandler = async ({ method, params: { _meta, ...params } }) => ({ method, params });
      return made;
    };
    const handler = createMcpHandler(create, { legacy: "reject" });
    const { url, stop } = await listen((request) => handler.fetch(request));
    server = { url, stop };
    const policies = [{ name: "secret", show: "-name:secret or claim.sub:*" }];
    const pass = [{ method: "com.example/*", tool: "target" }];
    const upstreams = [
      { name: "one", url, prefix: "one_", prefixAll: true, passMethods: pass },
      { name: "two", url, prefix: "two_", prefixAll: true, passMethods: pass, instructions: "hide" },
    ];
    workers = await startWorkers([
      { name: "sole", upstream: url, config: { policies, upstream: { passMethods: pass } } },
      { name: "several", config: { policies: [{ name: "secret", show: "-name:*secret or claim.sub:*" }], upstreams } },
    ]);
  });
  after(async () => {
    await workers?.stop();
    await server?.stop();
  });

  for (const client of REVISIONS) {
    test(`its words and its methods reach a ${client} client`, async () => {
      const url = `${workers.urls.sole}/mcp`;
      const { instructions, serverInfo, capabilities } = await introduction(url, client);
      assert.equal(instructions, "Call `draw` first.");
      assert.deepEqual(
        [serverInfo.name, serverInfo.title, serverInfo.websiteUrl],
        ["sdk", "On the SDK", "https://example.com"],
      );
      assert.deepEqual(capabilities.extensions["com.example/preview"], { formats: ["png"] });
      assert.equal(capabilities.extensions["org.example/other"], undefined);
      const request = await asking(url, client);
      const { result } = (await request("com.example/preview/run", { target: "draw", x: [1] })).at(-1);
      assert.deepEqual([result.method, result.params], ["com.example/preview/run", { target: "draw", x: [1] }]);
      for (const target of ["secret", "absent"]) {
        const { error } = (await request("com.example/preview/run", { target })).at(-1);
        assert.deepEqual(error, { code: -32602, message: `Unknown tool: ${target}` });
      }
      assert.equal((await request("org.example/run", {})).at(-1).error.code, -32601);
    });

    test(`of several servers the one of the tool answers a ${client} client`, async () => {
      const url = `${workers.urls.several}/mcp`;
      const { instructions, serverInfo } = await introduction(url, client);
      assert.deepEqual([instructions, serverInfo.name], ["Call `draw` first.", "mcp-sieve"]);
      const request = await asking(url, client);
      const { result } = (await request("com.example/preview", { target: "two_draw" })).at(-1);
      assert.deepEqual(result.params, { target: "draw" });
      for (const target of ["two_secret", "draw"])
        assert.equal(
          (await request("com.example/preview", { target })).at(-1).error.message,
          `Unknown tool: ${target}`,
        );
    });
  }
});
