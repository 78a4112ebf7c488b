// Pseudonyms in the Worker in workerd, with two servers and two callers over real connections: the text that a client
// reads, the text that each server receives, and the operator's log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ask } from "./support/raw-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const CUSTOMER = "Jane Smith, jane@example.com, phone: +1 212 555 0187";
const sealing = [
  { use: "pii_redaction", arguments: { actions: { "*": "pseudonym" } } },
  { use: "secret_detection", arguments: { replacement: "pseudonym" } },
];
const PSEUDONYM = /\[[A-Z]+~[\w-]+\]/g;
const calls = [];
const started = [];
let workers;

/** Starts a server with a tool that finds the customer and one that sends a letter. It records what it receives. */
async function startServer(name) {
  const text = { type: "string" };
  const tools = [
    plainTool(`${name}_find`),
    { name: `${name}_send`, inputSchema: { type: "object", properties: { to: { ...text, "x-mcp-header": "To" } } } },
  ];
  const intercept = ({ method, params }, { req }) => {
    if (method === "tools/call") calls.push({ name, header: req.headers["mcp-param-to"], params });
  };
  const results = {
    "tools/list": { tools, ttlMs: 60_000 },
    "tools/call": { content: [{ type: "text", text: CUSTOMER }] },
  };
  const server = await startStatelessServer(results, { intercept });
  started.push(server);
  return { name, url: server.url };
}

before(async () => {
  const upstreams = [await startServer("crm"), await startServer("mail")];
  const config = { log: true, upstreams, middleware: { chains: [{ on: ["tools/call"], response: sealing }] } };
  const tokens = tokensVariable({ "alice-token": { sub: "alice" }, "bob-token": { sub: "bob" } });
  const env = { SIEVE_OPERATOR: digest("operator"), SIEVE_TOKENS: tokens };
  workers = await startWorkers([{ name: "gateway", config, env, assets: "none" }]);
});
after(async () => {
  await workers?.stop();
  for (const server of started) await server.stop();
});

const as = (name, more = {}) => ({ headers: { authorization: `Bearer ${name}-token`, ...more } });
const url = () => `${workers.urls.gateway}/mcp`;

async function call(name, params, caller = as("alice")) {
  const [{ message }] = await ask(url(), "tools/call", { name, ...params }, caller);
  return message;
}

/** Returns the text of a result. */
const text = ({ result }) => result.content[0].text;

test("a client uses what it cannot read", async () => {
  const found = text(await call("crm_find", { arguments: {} }));
  const [person, mail, phone] = found.match(PSEUDONYM);
  assert.equal(found, `${person}, ${mail}, phone: ${phone}`);
  assert.deepEqual(
    [person, mail, phone].map((pseudonym) => pseudonym.split("~")[0]),
    ["[PERSON", "[EMAIL", "[PHONE"],
  );

  const sent = await call(
    "crm_send",
    { arguments: { to: mail, text: `Call ${person}` } },
    as("alice", { "mcp-param-to": mail }),
  );
  assert.equal(text(sent), found, "equal values have equal pseudonyms");
  const { name, header, params } = calls.at(-1);
  assert.equal(name, "crm");
  assert.deepEqual(params.arguments, { to: "jane@example.com", text: "Call Jane Smith" });
  assert.equal(header, "jane@example.com", "the header is that of the argument as it is sent");
});

test("no other server, no other caller", async () => {
  const [, mail] = text(await call("crm_find", { arguments: {} })).match(PSEUDONYM);
  const before = calls.length;
  for (const [tool, caller] of [
    ["mail_send", "alice"],
    ["crm_send", "bob"],
  ]) {
    const { error } = await call(tool, { arguments: { to: mail } }, as(caller, { "mcp-param-to": mail }));
    assert.deepEqual([error.code, error.data.reason], [-32602, "pseudonym_invalid"]);
    assert.match(error.message, /has expired, or was made for another server or caller/);
  }
  assert.equal(calls.length, before);
  await call("mail_send", { arguments: { text: `about ${mail}` } });
  assert.deepEqual(calls.at(-1).params.arguments, { text: `about ${mail}` });
});

test("the TypeScript SDK's client uses them in a session", async () => {
  const client = new Client({ name: "pseudonyms", version: "1" });
  const requestInit = as("alice");
  await client.connect(new StreamableHTTPClientTransport(new URL(url()), { requestInit }));
  try {
    const [, mail] = text({ result: await client.callTool({ name: "crm_find", arguments: {} }) }).match(PSEUDONYM);
    const sent = await client.callTool({ name: "crm_send", arguments: { to: mail } });
    assert.ok(text({ result: sent }).includes(mail));
    assert.deepEqual(calls.at(-1).params.arguments, { to: "jane@example.com" });
  } finally {
    await client.close();
  }
});

test("the operator reads how many were opened, and no value", async () => {
  const log = async () => {
    const response = await fetch(`${workers.urls.gateway}/audit`, { headers: { authorization: "Bearer operator" } });
    return response.text();
  };
  const opened = async () => {
    const lines = JSON.parse(await log()).operations.filter(({ kind }) => kind === "pseudonyms");
    return lines.length > 0 && lines;
  };
  const lines = await until(opened, () => "a line of the log about pseudonyms");
  assert.ok(
    lines.every(({ who, method }) => who === "alice" && method === "tools/call"),
    JSON.stringify(lines),
  );
  const [told] = workers.log().match(/\{[^{}]*"function":"pseudonyms"[^{}]*\}/g);
  assert.deepEqual(JSON.parse(told).items, [2, 2], "two values in the first call");
  assert.doesNotMatch(await log(), /jane|Smith|555 0187/i);
  assert.match(workers.log(), /"method":"tools\/call"|tools\/call/);
  assert.doesNotMatch(workers.log(), /jane|Smith|555 0187/i);
});
