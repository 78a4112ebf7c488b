// The sign-in to upstream servers, as callers go through it in a browser: the built Worker in front of servers of other
// projects that demand the tokens of another's authorization server.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { openBrowser } from "./support/browser.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { messages, send } from "./support/raw-client.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { startWorkers } from "./support/workerd.mjs";

const ALICE = { authorization: "Bearer token-of-alice" };
const BOB = { authorization: "Bearer token-of-bob" };
/** Lifetime of access tokens at the server whose tokens are refreshed, in seconds. A token is renewed after half of it. */
const SHORT_S = 6;

let authorization, brief, slow, tracker, mail, notes, late, strange, workers, storage;
const seen = [];
/** Every token and code that an authorization server gave out. */
const secrets = new Set();

/** Notes what an authorization server issues, and the refresh tokens that it gets. */
function watch(server) {
  const used = [];
  server.provider.on("grant.success", ({ body, oidc }) => {
    for (const name of ["access_token", "refresh_token", "id_token"]) if (body[name]) secrets.add(body[name]);
    if (oidc.params.refresh_token) used.push(oidc.params.refresh_token);
  });
  server.provider.on("registration_create.success", (_, { clientSecret }) => clientSecret && secrets.add(clientSecret));
  return Object.assign(server, { used });
}

/** Makes an authorization server one that takes no metadata documents of clients, so that they register. */
function withoutDocuments(server) {
  server.faults[".well-known/oauth-authorization-server"] = async (_, response) => {
    const whole = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json();
    delete whole.client_id_metadata_document_supported;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
  };
  return server;
}

const ask = async (url, method, params, headers) => {
  const response = await send(`${url}/mcp`, method, params, { headers });
  const texts = [];
  for await (const message of messages(response)) texts.push(message);
  seen.push(JSON.stringify(texts), [...response.headers].join("\n"));
  return texts.at(-1);
};
const call = (url, name, headers) => ask(url, "tools/call", { name, arguments: {} }, headers);
const text = (answer) => answer.result?.content?.[0]?.text ?? JSON.stringify(answer.error ?? answer.result);
const toolsOf = async (url, headers) =>
  (await ask(url, "tools/list", {}, headers)).result.tools.map(({ name }) => name);
const requestsTo = ({ log }, path) => log.filter((entry) => entry.path === path && entry.method === "POST").length;

/** Opens the page of a server as the user of a token. */
async function visit(url, server, token) {
  const browser = openBrowser(seen);
  let page = await browser.get(`${url}/connect/${server}`);
  if (token) page = await page.submit("Go on", { token });
  return { browser, page };
}

/** Goes through a whole sign-in, and returns the browser and the page at its end. */
async function connect(url, server, { token, user, at = authorization }) {
  const { browser, page } = await visit(url, server, token);
  const isConnected = page.title.startsWith("Connected");
  const begun = await (isConnected ? await page.submit("Disconnect") : page).submit("Connect");
  const callback = await at.signIn(begun.next, { user });
  return { browser, callback, page: await browser.get(callback) };
}

before(async () => {
  authorization = watch(await startAuthorizationServer());
  brief = withoutDocuments(watch(await startAuthorizationServer({ accessTtl: SHORT_S })));
  [tracker, mail, strange] = await Promise.all(
    ["tracker", "mail", "strange"].map((name) => startProtectedServer({ authorization, name })),
  );
  slow = withoutDocuments(watch(await startAuthorizationServer()));
  notes = await startProtectedServer({ authorization: brief, name: "notes" });
  late = await startProtectedServer({ authorization: slow, name: "late" });
  storage = mkdtempSync(join(tmpdir(), "sieve-sign-in-"));
  const user = ({ url }, name) => ({ name, url, prefix: `${name}_`, prefixAll: true, auth: "user" });
  const upstreams = [
    user(tracker, "tracker"),
    user(mail, "mail"),
    user(notes, "notes"),
    user(late, "late"),
    user(strange, "strange"),
  ];
  const config = { upstreams };
  const tokens = tokensVariable({ "token-of-alice": { sub: "alice" }, "token-of-bob": { sub: "bob" } });
  workers = await startWorkers(
    [
      { name: "one", config },
      { name: "many", config, env: { SIEVE_TOKENS: tokens, SIEVE_ONE_USER: undefined } },
      { name: "bare", config, connections: false },
      { name: "open", config, env: { SIEVE_ONE_USER: undefined } },
    ],
    { persist: storage },
  );
});

after(async () => {
  await workers?.stop();
  await Promise.all([authorization, brief, slow, tracker, mail, notes, late, strange].map((server) => server?.stop()));
  if (storage) rmSync(storage, { recursive: true, force: true });
});

test("a page shows what a sign-in grants, and then what is connected", async () => {
  const { one } = workers.urls;
  const { browser, page } = await visit(one, "tracker");
  assert.equal(page.status, 200);
  assert.equal(page.title, "Connect to tracker");
  for (const shown of [tracker.url, authorization.issuer, "read", "the user of this machine"]) {
    assert.ok(page.html.includes(shown), `${shown}: ${page.html}`);
  }
  assert.match(page.headers.get("content-security-policy"), /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.ok(!page.html.includes("<script"));

  const begun = await page.submit("Connect");
  assert.equal(new URL(begun.next).origin, authorization.issuer);
  assert.equal(new URL(begun.next).searchParams.get("resource"), tracker.url);
  const callback = await authorization.signIn(begun.next, { user: "alice" });
  assert.equal(new URL(callback).pathname, "/connect/tracker/callback");
  const done = await browser.get(callback);
  assert.equal(done.title, "Connected to tracker");
  assert.equal(new URL(done.url).search, "", "the code is in no address that stays");
  assert.ok(done.html.includes(authorization.issuer));
  assert.equal(text(await call(one, "tracker_whoami")), "whoami for alice");
  assert.ok((await toolsOf(one)).includes("tracker_notes_of_alice"));
});

test("without the binding, the error says what is missing", async () => {
  const page = await openBrowser(seen).get(`${workers.urls.bare}/connect/tracker`);
  assert.match(page.html, /binding CONNECTIONS/);
});

test("there is no page for other servers, and none where nobody can be told apart", async () => {
  const { many, open } = workers.urls;
  const browser = openBrowser(seen);
  const pages = await Promise.all(
    [
      `${many}/connect/unknown`,
      `${many}/connect/`,
      `${many}/connect/%zz`,
      `${many}/connect/tracker/other`,
      `${open}/connect/tracker`,
    ].map((url) => browser.get(url)),
  );
  for (const page of pages) assert.equal(page.status, 404, page.url);
  assert.equal(new Set(pages.map(({ html }) => html)).size, 1);
});

test("a browser shows whose it is with a token of the operator", async () => {
  const { many } = workers.urls;
  const { page } = await visit(many, "tracker", "a wrong token");
  assert.equal(page.status, 401);
  const right = await visit(many, "tracker", "token-of-alice");
  assert.equal(right.page.title, "Connect to tracker");
  const [cookie] = right.browser.cookies.values();
  assert.ok(!Buffer.from(cookie, "base64url").includes("alice"), "the cookie is sealed");
});

test("forms of other pages, and of other callers, are refused", async () => {
  const { many } = workers.urls;
  const { browser, page } = await visit(many, "tracker", "token-of-alice");
  const form = page.forms.find(({ button }) => button === "Connect");
  const foreign = [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }];
  for (const headers of foreign) {
    const refused = await browser.get(form.action, { form: form.fields, headers });
    assert.equal(refused.status, 403, JSON.stringify(headers));
  }
  const bob = await visit(many, "tracker", "token-of-bob");
  const stolen = await bob.browser.get(form.action, { form: form.fields });
  assert.equal(stolen.status, 403);
  const without = await bob.browser.get(form.action, { form: { action: "connect" } });
  assert.equal(without.status, 403);
});

test("a state belongs to one caller, and a code is used once", async () => {
  const { many } = workers.urls;
  const alice = await visit(many, "tracker", "token-of-alice");
  const bob = await visit(many, "tracker", "token-of-bob");
  const begun = await alice.page.submit("Connect");
  const callback = await authorization.signIn(begun.next, { user: "alice" });
  const before = requestsTo(authorization, "/token");
  const stolen = await bob.browser.get(callback);
  assert.deepEqual([stolen.status, stolen.code], [403, "sign_in_state"]);
  const elsewhere = await alice.browser.get(callback.replace("/connect/tracker/", "/connect/mail/"));
  assert.equal(elsewhere.code, "sign_in_state");
  const fixed = await alice.browser.get(callback.replace(/state=[^&]*/, "state=chosen-by-another"));
  assert.equal(fixed.code, "sign_in_state");
  const unknown = await openBrowser(seen).get(callback);
  assert.equal(unknown.status, 403);
  assert.equal(requestsTo(authorization, "/token"), before, "no code was sent");

  assert.equal((await alice.browser.get(callback)).title, "Connected to tracker");
  const again = await alice.browser.get(callback);
  assert.equal(again.code, "sign_in_state");
  assert.equal(requestsTo(authorization, "/token"), before + 1);
  assert.equal(text(await call(many, "tracker_whoami", ALICE)), "whoami for alice");
  assert.equal((await visit(many, "tracker", "token-of-bob")).page.title, "Connect to tracker");
});

test("each caller has a connection of its own", async () => {
  const { many } = workers.urls;
  await connect(many, "tracker", { token: "token-of-bob", user: "bob" });
  const [alices, bobs] = await Promise.all([toolsOf(many, ALICE), toolsOf(many, BOB)]);
  assert.ok(alices.includes("tracker_notes_of_alice") && !alices.includes("tracker_notes_of_bob"), alices.join());
  assert.ok(bobs.includes("tracker_notes_of_bob") && !bobs.includes("tracker_notes_of_alice"), bobs.join());
});

test("the oldest of too many pending sign-ins ends", async () => {
  const { one } = workers.urls;
  const { browser } = await visit(one, "mail");
  const begun = [];
  for (let turn = 0; turn < 9; turn += 1) {
    begun.push(await (await browser.get(`${one}/connect/mail`)).submit("Connect"));
  }
  const [first, last] = await Promise.all([begun[0], begun[8]].map(({ next }) => authorization.signIn(next)));
  assert.equal((await browser.get(first)).code, "sign_in_state");
  assert.equal((await browser.get(last)).title, "Connected to mail");
});

test("a refusal and a mixed-up issuer end the sign-in", async () => {
  const { many } = workers.urls;
  const { browser, page } = await visit(many, "mail", "token-of-alice");
  const begun = await page.submit("Connect");
  const denied = await browser.get(await authorization.signIn(begun.next, { deny: true }));
  assert.equal(denied.code, "sign_in_denied");
  const next = await (await browser.get(`${many}/connect/mail`)).submit("Connect");
  const callback = await authorization.signIn(next.next);
  const mixed = await browser.get(callback.replace(/iss=[^&]*/, `iss=${encodeURIComponent(brief.issuer)}`));
  assert.equal(mixed.code, "sign_in_issuer");
});

test("disconnecting deletes and revokes the tokens", async () => {
  const { one } = workers.urls;
  const before = requestsTo(authorization, "/token/revocation");
  const { page } = await visit(one, "mail");
  const gone = await page.submit("Disconnect");
  assert.equal(gone.title, "Connect to mail");
  assert.ok(requestsTo(authorization, "/token/revocation") > before);
  const answer = await call(one, "mail_whoami");
  assert.ok(answer.error || answer.result.isError, JSON.stringify(answer));
});

test("a token is refreshed once, however many requests wait for it", async () => {
  const { one } = workers.urls;
  await connect(one, "notes", { user: "alice", at: brief });
  assert.equal(text(await call(one, "notes_whoami")), "whoami for alice");
  await sleep((SHORT_S / 2) * 1000 + 500);
  const before = brief.used.length;
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(one, "notes_whoami")));
  assert.deepEqual([...new Set(answers.map(text))], ["whoami for alice"]);
  assert.equal(brief.used.length - before, 1);
  await sleep((SHORT_S / 2) * 1000 + 500);
  await call(one, "notes_whoami");
  assert.equal(new Set(brief.used).size, brief.used.length, "no refresh token was sent twice");
});

test("a refresh that was cut off is never sent again", async () => {
  const { one } = workers.urls;
  await connect(one, "notes", { user: "alice", at: brief });
  await call(one, "notes_whoami");
  await sleep((SHORT_S / 2) * 1000 + 300);
  const sent = [];
  brief.faults.token = (request) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => sent.push(new URLSearchParams(body).get("refresh_token")));
  };
  const cut = call(one, "notes_whoami").catch(() => {});
  while (sent.length === 0) await sleep(20);
  await workers.crash();
  await cut;
  secrets.add(sent[0]);
  delete brief.faults.token;
  const before = brief.used.length;
  const left = await call(one, "notes_whoami");
  assert.match(text(left), /whoami for alice|sign/);
  await sleep(SHORT_S * 1000);
  const ended = await call(one, "notes_whoami");
  assert.ok(ended.error || ended.result.isError, JSON.stringify(ended));
  assert.ok(!brief.used.slice(before).includes(sent[0]), "the refresh token was sent once");
  assert.equal((await visit(one, "notes")).page.title, "Connect to notes");
  assert.equal(text(await call(one, "tracker_whoami")), "whoami for alice", "other connections stay");
});

test("a revoked refresh token ends the connection", async () => {
  const { one } = workers.urls;
  await connect(one, "notes", { user: "alice", at: brief });
  await call(one, "notes_whoami");
  brief.faults.token = "grant";
  await sleep((SHORT_S / 2) * 1000 + 300);
  const answer = await call(one, "notes_whoami");
  delete brief.faults.token;
  assert.ok(answer.error || answer.result.isError, JSON.stringify(answer));
  assert.equal((await visit(one, "notes")).page.title, "Connect to notes");
});

test("a token that the server refuses is replaced", async () => {
  const { many } = workers.urls;
  const { authorization: first } = tracker.requests.findLast(({ headers }) => headers.authorization).headers;
  await sleep(10_500);
  tracker.state.refused = (_, token) => `Bearer ${token}` === first || token.length === 0;
  const before = authorization.used.length;
  const answer = await call(many, "tracker_whoami", BOB);
  tracker.state.refused = undefined;
  assert.equal(text(answer), "whoami for bob");
  assert.ok(authorization.used.length >= before);
});

test("a sign-in survives a crash while the browser is away, and a used code does not come back", async () => {
  const { one } = workers.urls;
  const { browser, page } = await visit(one, "mail");
  const begun = await page.submit("Connect");
  await workers.crash();
  const callback = await authorization.signIn(begun.next);
  authorization.faults.token = "hang";
  const cut = browser.get(callback).catch(() => {});
  const before = requestsTo(authorization, "/token");
  while (requestsTo(authorization, "/token") === before) await sleep(20);
  await workers.crash();
  await cut;
  delete authorization.faults.token;
  assert.equal((await browser.get(callback)).code, "sign_in_state");
  const { page: again } = await connect(one, "mail", { user: "alice" });
  assert.equal(again.title, "Connected to mail");
});

test("a sign-in that is cut off at any step can be begun again", async () => {
  const { one } = workers.urls;
  const browser = openBrowser(seen);
  const cutOff = async (endpoint, step) => {
    const whole = slow.faults[endpoint];
    slow.faults[endpoint] = "hang";
    const cut = step().catch(() => {});
    while (!slow.log.some(({ path }) => path === `/${endpoint}`)) await sleep(20);
    await workers.crash();
    await cut;
    if (whole) slow.faults[endpoint] = whole;
    else delete slow.faults[endpoint];
    slow.log.length = 0;
  };
  await cutOff(".well-known/oauth-authorization-server", () => browser.get(`${one}/connect/late`));
  await cutOff("reg", async () => (await browser.get(`${one}/connect/late`)).submit("Connect"));
  const begun = await (await browser.get(`${one}/connect/late`)).submit("Connect");
  await workers.crash();
  const callback = await slow.signIn(begun.next);
  assert.equal((await browser.get(callback)).title, "Connected to late");
  await workers.crash();
  assert.equal((await browser.get(`${one}/connect/late`)).title, "Connected to late");
  assert.equal(text(await call(one, "late_whoami")), "whoami for alice");
  assert.equal(requestsTo(slow, "/reg"), 1);
  await browser.get(`${one}/connect/late`).then((page) => page.submit("Disconnect"));
  await workers.crash();
  assert.equal((await browser.get(`${one}/connect/late`)).title, "Connect to late");
});

test("a client that its server no longer knows is registered anew", async () => {
  const { one } = workers.urls;
  assert.equal(requestsTo(brief, "/reg"), 1, "all sign-ins had one client");
  const port = Number(new URL(brief.issuer).port);
  await brief.stop();
  brief = withoutDocuments(watch(await startAuthorizationServer({ accessTtl: SHORT_S, port })));
  notes.state.authorization = brief;
  const { browser, page } = await visit(one, "notes");
  if (page.title.startsWith("Connected")) await page.submit("Disconnect");
  const begun = await (await browser.get(`${one}/connect/notes`)).submit("Connect");
  await assert.rejects(brief.signIn(begun.next, { user: "alice" }), /stopped/);
  const again = await (await browser.get(`${one}/connect/notes`)).submit("Connect");
  assert.equal(requestsTo(brief, "/reg"), 1);
  const done = await browser.get(await brief.signIn(again.next, { user: "alice" }));
  assert.equal(done.title, "Connected to notes");
});

test("metadata at a private address is refused with its reason", async () => {
  const { one } = workers.urls;
  strange.state.metadata = { authorization_servers: ["https://169.254.169.254"] };
  const { page } = await visit(one, "strange");
  assert.deepEqual([page.status, page.code], [502, "sign_in_address"]);
  assert.equal(text(await call(one, "tracker_whoami")), "whoami for alice", "other servers go on");
});

test("no token is in clear in storage, logs and responses", () => {
  assert.ok(secrets.size > 10);
  for (const { headers } of [...tracker.requests, ...mail.requests, ...notes.requests]) {
    if (headers.authorization) secrets.add(headers.authorization.replace(/^Bearer /, ""));
  }
  const files = readdirSync(storage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")]);
  assert.ok(stored.length > 4);
  const places = [["log", workers.log()], ["responses", seen.join("\n")], ...stored];
  for (const secret of secrets) {
    for (const [name, content] of places) assert.ok(!content.includes(secret), `${secret.slice(0, 12)}… is in ${name}`);
  }
  const names = files.map(({ parentPath, name }) => join(parentPath, name)).join("\n");
  assert.ok(!/alice|principal/.test(names), "the names of objects show no caller");
});
