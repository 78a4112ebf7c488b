// Unusual paths: no client can reach the internal requests between the Worker and its Durable Objects.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { openSession, session } from "./support/raw-client.mjs";
import { digest } from "./support/tokens.mjs";
import { startWorker } from "./support/workerd.mjs";

const WAIT_MS = 10_000;

let worker;
let named;
before(async () => {
  worker = await startWorker({ assets: "none" });
  const auth = {
    issuer: "https://issuer.example",
    audience: ["sieve"],
    jwks: "https://issuer.example/jwks",
    required: false,
  };
  named = await startWorker({
    config: { auth, middleware: {} },
    env: { SIEVE_OPERATOR: digest("operator"), SIEVE_MIDDLEWARE_TOKEN: "application" },
  });
});
after(() => Promise.all([worker?.stop(), named?.stop()]));

/** Sends a request whose path is sent exactly as given, while `fetch` would normalize it. */
async function send(method, path, headers, body = "", { url } = worker) {
  const { hostname, port } = new URL(url);
  const options = { hostname, port, method, path, signal: AbortSignal.timeout(WAIT_MS) };
  const sent = httpRequest({ ...options, headers: { ...headers, "content-length": Buffer.byteLength(body) } }).end(
    body,
  );
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

test("every path checks the name that the server is called by", { timeout: 60_000 }, async () => {
  const operator = { authorization: "Bearer operator" };
  const application = { authorization: "Bearer application" };
  const places = [
    ["POST", "/mcp", {}],
    ["GET", "/mcp", {}],
    ["GET", "/catalog/tools", {}],
    ["GET", "/audit", operator],
    ["GET", "/audit/calls", operator],
    ["GET", "/", {}],
    ["GET", "/nothing", {}],
    ["GET", "/.well-known/oauth-protected-resource/mcp", {}],
    ["POST", "/middleware", application],
    ["POST", "/interceptors", application],
    ["GET", "/middleware/documents", application],
    ["GET", "/middleware/records", application],
  ];
  for (const [method, path, headers] of places) {
    const known = await send(method, path, { host: "localhost", ...headers }, "", named);
    assert.notEqual(known.status, 403, `${method} ${path}: ${known.text}`);
    const other = await send(method, path, { host: "elsewhere.example", ...headers }, "", named);
    assert.equal(other.status, 403, `${method} ${path}: ${other.text}`);
    assert.equal(JSON.parse(other.text).error.data.reason, "host");
  }
});

test("no page may frame the page", async () => {
  for (const path of ["/", "/app.js"]) {
    const { headers, status } = await fetch(`${named.url}${path}`);
    assert.equal(status, 200);
    const names = ["content-security-policy", "x-frame-options", "x-content-type-options"];
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      ["frame-ancestors 'none'", "DENY", "nosniff"],
    );
  }
});

const WAYS = [
  "/mcp/..",
  "/mcp/.",
  "/mcp/./..",
  "/mcp/x/../..",
  "/mcp/%2e%2e",
  "/mcp/.%2E",
  "/mcp/..%2f..",
  "//mcp/..",
  "/mcp\\..",
];

test("dots in a path lead to no object of the Worker's own", { timeout: 60_000 }, async () => {
  const headers = await openSession(worker.mcp);
  const alive = { ...headers };
  const state = JSON.stringify({ version: "2025-11-25", principal: "alice", capabilities: {}, created: 1 });
  for (const way of WAYS) {
    for (const place of ["session", "key", "room", "audit", "enter", "tasks", ""]) {
      for (const method of ["GET", "PUT", "POST", "DELETE"]) {
        const path = `${way}/${place}`;
        const { status, text } = await send(
          method,
          path,
          headers,
          method === "GET" || method === "DELETE" ? "" : state,
        );
        assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status} ${text}`);
        assert.doesNotMatch(text, /"capabilities"|"created"/, `${method} ${path}`);
      }
    }
  }
  const ping = await fetch(worker.mcp, {
    method: "POST",
    headers: alive,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  assert.deepEqual([ping.status, (await ping.json()).result], [200, {}], "the session is what it was");
});

test("a path leads to the same resource with and without a session", { timeout: 60_000 }, async () => {
  const headers = await openSession(worker.mcp);
  const { "mcp-session-id": _, ...stranger } = headers;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  for (const way of WAYS) {
    const [known, unknown] = [
      await send("POST", `${way}/session`, headers, body),
      await send("POST", `${way}/session`, stranger, body),
    ];
    // An escaped slash is not a separator, and yields the name of no preset.
    if (!way.includes("%2f")) assert.deepEqual(known, unknown, way);
    assert.ok(known.status >= 400, `${way}: ${known.text}`);
  }
  const ask = await session(worker.mcp);
  assert.ok((await ask("tools/list", {})).at(-1).message.result.tools.length > 0);
});
