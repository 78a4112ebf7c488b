// Two callers and three servers behind one gateway, with a token of the gateway, an exchanged one and one of a sign-in: however
// their requests mix, each server is called in the name of the caller alone. The servers' own logs are the judge. CALLS sets the
// number of requests; `make crossings` sends ten thousand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { openBrowser } from "./support/browser.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { messages, send } from "./support/raw-client.mjs";
import { startWorker } from "./support/workerd.mjs";

const CALLS = Number(process.env.CALLS ?? 500);
/** Number of requests under way at once. */
const AT_ONCE = 16;
const USERS = ["alice", "bob"];
const AUDIENCE = "the gateway";
const CLIENT = { id: "gateway", secret: "secret-of-the-gateway" };
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

let authorization, servers, gateway;
const headers = {};

before(async () => {
  authorization = await startAuthorizationServer({
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ["client_credentials", EXCHANGE],
        redirect_uris: [],
        response_types: [],
      },
    ],
  });
  const names = ["team", "work", "home"];
  const started = await Promise.all(names.map((name) => startProtectedServer({ authorization, name })));
  servers = Object.fromEntries(names.map((name, at) => [name, started[at]]));
  const { issuer } = authorization;
  const upstream = (name, auth) => ({ name, url: servers[name].url, prefix: `${name}_`, prefixAll: true, auth });
  gateway = await startWorker({
    env: { SIEVE_ONE_USER: undefined },
    config: {
      auth: { issuer, audience: [AUDIENCE], jwks: `${issuer}/jwks` },
      upstreams: [
        upstream("team", { type: "client_credentials", issuer, client: CLIENT, scopes: ["read"] }),
        upstream("work", { type: "exchange", issuer, client: CLIENT }),
        upstream("home", "user"),
      ],
    },
  });
  for (const sub of USERS) {
    headers[sub] = { authorization: `Bearer ${await authorization.token({ sub, audience: AUDIENCE })}` };
  }
});
after(async () => {
  await gateway?.stop();
  await Promise.all([authorization, ...Object.values(servers ?? {})].map((server) => server?.stop()));
});

/** Sends a request in the name of a user, and returns its last message. */
async function ask(user, method, params) {
  const response = await send(`${gateway.url}/mcp`, method, params, { headers: headers[user] });
  const all = [];
  for await (const message of messages(response)) all.push(message);
  return all.at(-1);
}
const toolsOf = async (user) => (await ask(user, "tools/list", {})).result.tools.map(({ name }) => name).sort();

/** Signs a user in to the server `home`, in a browser that proves to be this user's at the gateway's issuer. */
async function signIn(user) {
  const browser = openBrowser();
  const first = await browser.get(`${gateway.url}/connect/home`);
  const page = await browser.get(await authorization.signIn(first.next, { user }));
  assert.equal(page.title, "Connect to home", page.html);
  const begun = await page.submit("Connect");
  const done = await browser.get(await authorization.signIn(begun.next, { user }));
  assert.equal(done.title, "Connected to home", done.html);
}

const own = (user) => [`home_notes_of_${user}`, "home_whoami"];
const shared = (user) => [`team_notes_of_${CLIENT.id}`, "team_whoami", `work_notes_of_${user}`, "work_whoami"];

test("callers see their own tools before and after they sign in", async () => {
  for (const user of USERS) {
    assert.deepEqual(await toolsOf(user), ["home_connect_home", ...shared(user)].sort());
    await signIn(user);
    assert.deepEqual(await toolsOf(user), [...own(user), ...shared(user)].sort());
  }
});

test("nothing of one caller reaches another", async () => {
  const before = Object.fromEntries(Object.entries(servers).map(([name, { log }]) => [name, log.length]));
  let sent = 0;
  const expected = { team: {}, work: {}, home: {} };
  const work = async () => {
    while (sent < CALLS) {
      const at = sent++;
      const user = USERS[at % 2];
      if (at % 5 === 4) {
        assert.deepEqual(await toolsOf(user), [...own(user), ...shared(user)].sort(), `request ${at}`);
        continue;
      }
      const server = ["team", "work", "home"][at % 3];
      const called = server === "team" ? CLIENT.id : user;
      // Every seventh call asks for a tool of the other user, which this one does not have.
      const other = USERS[(at + 1) % 2];
      if (at % 7 === 6 && server !== "team") {
        const { error } = await ask(user, "tools/call", { name: `${server}_notes_of_${other}`, arguments: { at } });
        assert.equal(error?.code, -32602, `request ${at}`);
        continue;
      }
      const { result } = await ask(user, "tools/call", { name: `${server}_notes_of_${called}`, arguments: { at } });
      assert.equal(result?.content[0].text, `notes_of_${called} for ${called}`, `request ${at}`);
      expected[server][at] = called;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const [name, { log }] of Object.entries(servers)) {
    const calls = log.slice(before[name]).filter(({ method }) => method === "tools/call");
    const seen = Object.fromEntries(calls.map(({ sub, arguments: { at } }) => [at, sub]));
    assert.deepEqual(seen, expected[name], name);
    assert.equal(calls.length, Object.keys(expected[name]).length, "each call was sent once");
  }
});

test("no token is in the log of the gateway", async () => {
  const tokens = Object.values(servers).flatMap(({ requests }) =>
    requests.flatMap(({ headers: { authorization: value } }) => value?.replace("Bearer ", "") ?? []),
  );
  assert.ok(tokens.length > 0);
  for (const token of new Set(tokens)) assert.ok(!gateway.log().includes(token));
});
