// The pages of a sign-in where the gateway has an authorization server of its own: a browser proves there whose it is, and an
// address that was made for one caller is of no use to another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { openBrowser } from "./support/browser.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { messages, send } from "./support/raw-client.mjs";
import { startWorker } from "./support/workerd.mjs";

const AUDIENCE = "the gateway";
const TICKET = /http:\/\/127\.0\.0\.1:\d+\/connect\/home\?ticket=[\w.~-]+/;

let authorization, other, home, gateway;
before(async () => {
  authorization = await startAuthorizationServer();
  other = await startAuthorizationServer();
  home = await startProtectedServer({ authorization: other, name: "home" });
  const { issuer } = authorization;
  gateway = await startWorker({
    env: { SIEVE_ONE_USER: undefined },
    config: {
      auth: { issuer, audience: [AUDIENCE], jwks: `${issuer}/jwks` },
      upstreams: [{ name: "home", url: home.url, auth: "user" }],
    },
  });
});
after(async () => {
  await gateway?.stop();
  await Promise.all([authorization, other, home].map((server) => server?.stop()));
});

async function call(user, name) {
  const token = await authorization.token({ sub: user, audience: AUDIENCE });
  const headers = { authorization: `Bearer ${token}` };
  const response = await send(gateway.mcp, "tools/call", { name, arguments: {} }, { headers });
  const all = [];
  for await (const message of messages(response)) all.push(message);
  return JSON.stringify(all.at(-1));
}

/** Opens an address in a browser that its user proves to be theirs. */
async function open(address, user) {
  const browser = openBrowser();
  const first = await browser.get(address);
  assert.equal(new URL(first.next).origin, authorization.issuer);
  return { browser, page: await browser.get(await authorization.signIn(first.next, { user })) };
}

test("an address leads its own caller to a connection, and no other", async () => {
  const [address] = TICKET.exec(await call("alice", "connect_home")) ?? [];
  assert.ok(address);
  const bob = await open(address, "bob");
  assert.equal(bob.page.status, 403);
  assert.equal(bob.page.title, "Another caller");
  assert.ok(!bob.page.html.includes("alice"));

  const alice = await open(address, "alice");
  assert.equal(alice.page.title, "Connect to home");
  assert.ok(alice.page.html.includes(`${authorization.issuer}#alice`));
  const begun = await alice.page.submit("Connect");
  const done = await alice.browser.get(await other.signIn(begun.next, { user: "alice-at-home" }));
  assert.equal(done.title, "Connected to home");
  assert.match(await call("alice", "whoami"), /whoami for alice-at-home/);
  assert.doesNotMatch(await call("bob", "whoami"), /whoami for/);
});

test("the identification of a browser is its own, and ends with the first use", async () => {
  const browser = openBrowser();
  const first = await browser.get(`${gateway.url}/connect/home`);
  const callback = await authorization.signIn(first.next, { user: "carol" });
  const foreign = await openBrowser().get(callback);
  assert.deepEqual([foreign.status, foreign.code], [403, "sign_in_state"]);
  const changed = await browser.get(callback.replace(/state=[^&]*/, "state=another"));
  assert.equal(changed.code, "sign_in_state");
  assert.equal((await browser.get(callback)).title, "Connect to home");
  assert.equal((await browser.get(callback)).code, "sign_in_state");
  const denied = openBrowser();
  const next = await denied.get(`${gateway.url}/connect/home`);
  const refused = await denied.get(await authorization.signIn(next.next, { deny: true }));
  assert.equal(refused.code, "sign_in_denied");
});

test("the client metadata document names every address of the pages", async () => {
  const response = await fetch(`${gateway.url}/connect/client.json`);
  assert.equal(response.status, 200);
  const document = await response.json();
  assert.equal(document.client_id, `${gateway.url}/connect/client.json`);
  const wanted = ["/connect/home/callback", "/connect/signed-in"].map((path) => gateway.url + path);
  assert.deepEqual(document.redirect_uris, wanted);
});

test("an authorization server that is down is reported, and other requests go on", async () => {
  authorization.faults.token = "html";
  const browser = openBrowser();
  const first = await browser.get(`${gateway.url}/connect/home`);
  const page = await browser.get(await authorization.signIn(first.next, { user: "dora" }));
  delete authorization.faults.token;
  assert.deepEqual([page.status, page.code], [502, "sign_in_token"]);
  assert.match(await call("alice", "whoami"), /whoami for alice-at-home/);
});
