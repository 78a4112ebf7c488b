// The gate of a local gateway, for a browser that opens a page of sign-in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gated } from "../pkg/cli/lib/gate.js";
import { digest } from "./support/tokens.mjs";

const worker = { fetch: () => new Response("the page") };
const open = (path, { alone = false, ...init } = {}) =>
  gated(worker, { digest: digest("token"), alone }).fetch(new Request(`http://127.0.0.1:8787${path}`, init), {}, {});

test("a browser without the token learns the command", async () => {
  for (const alone of [false, true]) {
    const response = await open("/connect/home?ticket=abc", { alone });
    assert.equal(response.status, 401);
    assert.match(await response.text(), /npx mcp-sieve login home\n/);
  }
  const strange = await open("/connect/a%20b$(x)");
  assert.match(await strange.text(), /bearer token of this gateway/);
});

test("the token opens the page, and forms need it too", async () => {
  const headers = { authorization: "Bearer token" };
  assert.equal(await (await open("/connect/home", { headers })).text(), "the page");
  assert.equal((await open("/connect/home", { method: "POST" })).status, 401);
  const wrong = await open("/connect/home", { headers: { authorization: "Bearer wrong" } });
  assert.equal((await wrong.json()).error.data.reason, "unauthorized");
});
