// The lists that all callers share: no caller influences them for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { requestOf, tinyHandler, told } from "./support/tiny-handler.mjs";

/** Headers that a handler may use to distinguish callers, or that may change its lists. */
const CALLER = {
  authorization: "Bearer admin",
  cookie: "session=admin",
  host: "evil.example",
  origin: "https://evil.example",
  "x-forwarded-host": "evil.example",
  "x-forwarded-for": "1.2.3.4",
  forwarded: "host=evil.example",
  "cf-connecting-ip": "1.2.3.4",
  "cf-access-jwt-assertion": "admin",
  "accept-language": "de",
  "user-agent": "evil",
  "x-flags": "evil",
  "x-http-method-override": "PUT",
  "mcp-param-team": "evil",
  referer: "https://evil.example",
};
/** Returns the headers of a request that the core sends itself. */
const own = (method, session) => ({
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  host: "localhost",
  ...session,
  ...(session ? {} : { "mcp-method": method, "mcp-protocol-version": "2026-07-28" }),
});
const CTX = { waitUntil() {}, props: { user: "admin" }, auth: { token: "admin" } };

/** Lists a tool for every trace of a caller in a request. */
const flags = (request, ctx) =>
  [...request.headers]
    .filter(([name]) => name in CALLER && name !== "host")
    .map(([name]) => `from-${name}`)
    .concat(
      new URL(request.url).hostname === "localhost" ? [] : "from-url",
      ctx?.props ? "from-props" : [],
      ctx?.auth ? "from-auth" : [],
    );
const names = async (fetch, headers, ctx) =>
  (await told(await fetch(requestOf("tools/list", {}, { headers }), {}, ctx))).result.tools.map(({ name }) => name);

for (const legacy of [false, true]) {
  test(`the first caller shapes no list${legacy ? ", nor the session for lists" : ""}`, async () => {
    const { handler, received } = tinyHandler({ flags, legacy });
    const { fetch } = gateway(handler, { policies: [{ name: "all", show: "name:*" }] }, { note() {} });
    assert.deepEqual(await names(fetch, CALLER, CTX), ["open", "secret"]);
    assert.deepEqual(await names(fetch, {}), ["open", "secret"]);
    assert.ok(received.length >= 2);
    for (const { method, headers, url, props } of received) {
      const session =
        method === "server/discover" || (!legacy && method !== "initialize")
          ? undefined
          : headers["mcp-protocol-version"]
            ? { "mcp-protocol-version": "2025-11-25" }
            : {};
      assert.deepEqual([headers, url, props], [own(method, session), "http://localhost/mcp", undefined], method);
    }
  });
}

test("a call has the caller's own headers, address and context", async () => {
  const { handler, received } = tinyHandler();
  const { fetch } = gateway(handler, {}, { note() {} });
  await fetch(requestOf("tools/call", { name: "open", arguments: {} }, { headers: CALLER }), {}, CTX);
  const { headers, url, props } = received.find(({ method }) => method === "tools/call");
  // In a call, the handler receives the caller's own headers. Headers of arguments are written by the gateway.
  for (const [name, value] of Object.entries(CALLER))
    assert.equal(headers[name], name.startsWith("mcp-") ? undefined : value, name);
  assert.deepEqual([url, props], ["https://shop.example/mcp", CTX.props]);
});

test("`listHeaders` are what the handler gets for its lists", async () => {
  const given = { authorization: "Bearer service", host: "shop.example", "mcp-method": "evil", "content-length": "7" };
  for (const listHeaders of [
    given,
    new Headers(given),
    Object.entries(given),
    () => given,
    async (env) => ({ ...given, "x-env": env.NAME }),
  ]) {
    const { handler, received } = tinyHandler({ flags });
    const { fetch } = gateway(handler, {}, { listHeaders, note() {} });
    const response = await fetch(requestOf("tools/list", {}, { headers: CALLER }), { NAME: "shop" });
    assert.deepEqual(
      (await told(response)).result.tools.map(({ name }) => name),
      ["open", "secret", "from-authorization", "from-url"],
    );
    for (const { method, headers, url } of received) {
      const extra = listHeaders.constructor.name === "AsyncFunction" ? { "x-env": "shop" } : {};
      assert.deepEqual(
        [headers, url],
        [
          {
            ...own(method, method === "initialize" ? {} : undefined),
            authorization: "Bearer service",
            host: "shop.example",
            ...extra,
          },
          "http://shop.example/mcp",
        ],
      );
    }
  }
});
