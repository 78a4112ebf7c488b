// The connections of `login` at work: `run` and `stdio` serve the lists and calls of the user who signed in, renew tokens, and send
// each token to its own server alone.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { until } from "./support/until.mjs";

/** Life of an access token, in seconds. It is renewed after half of it. */
const ACCESS_S = 8;
let command, authorization, tracker, wiki, state, env;
let folders = 0;
const ending = [];

before(async () => {
  command = await installCommand();
  command.install("workerd");
  authorization = await startAuthorizationServer({ accessTtl: ACCESS_S });
  tracker = await startProtectedServer({ authorization, name: "tracker" });
  wiki = await startProtectedServer({ authorization, name: "wiki", path: "/wiki/mcp" });
});
after(async () => {
  await tracker?.stop();
  await wiki?.stop();
  await authorization?.stop();
  command?.remove();
});
beforeEach(() => {
  state = join(command.folder, `state-${(folders += 1)}`);
  env = { XDG_STATE_HOME: state, BROWSER: "", DISPLAY: "", WAYLAND_DISPLAY: "" };
  tracker.log.length = 0;
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

const configuration = (settings = {}) =>
  command.write(
    "sieve.jsonc",
    JSON.stringify({
      upstreams: [
        { name: "tracker", url: tracker.url, auth: "user", prefix: "tracker_", prefixAll: true, ...settings },
        { name: "wiki", url: wiki.url, auth: "user", prefix: "wiki_", prefixAll: true },
      ],
    }),
  );

/** Signs in to a server as a user. */
async function login(name, user = "alice") {
  const started = command.start(["login", name, "--config", configuration(), "--no-browser"], { env });
  const url = (await started.line(/^ {2}https?:\/\//)).trim();
  await fetch(await authorization.signIn(url, { user }));
  const { status, stderr } = await started.over;
  assert.deepEqual([status, stderr], [0, ""]);
}

/** Runs a gateway, and returns a client of it. */
async function served(settings) {
  const running = command.start(["run", configuration(settings), "--port", "0", "--json"], { env });
  ending.push(running.stop);
  const { mcp } = JSON.parse(await running.line(/^\{"event":"ready"/));
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  ending.push(() => client.close());
  return { client, running };
}

/** Starts `stdio` as a host does, and returns its client. */
async function hosted() {
  const main = join(command.package, "cli/main.js");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "stdio", configuration(), "--yes"],
    env: { ...process.env, HOME: command.folder, ...env },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  ending.push(() => client.close());
  return client;
}

const names = async (client) => (await client.listTools()).tools.map(({ name }) => name).sort();
const called = async (client, name) => (await client.callTool({ name, arguments: {} })).content[0].text;
const refreshes = () => authorization.log.filter(({ method, path }) => method === "POST" && path === "/token").length;

test("a gateway lists and calls as the user who signed in, also while it runs", async () => {
  await login("tracker");
  const { client, running } = await served();
  await running.line(/"name":"wiki"/);
  assert.deepEqual(await names(client), ["tracker_notes_of_alice", "tracker_whoami", "wiki_connect_wiki"]);
  const events = running.printed.stdout.split("\n").filter((line) => line.startsWith('{"event":"server"'));
  assert.deepEqual(
    events.map((line) => JSON.parse(line)).map(({ name, status, message }) => [name, status, message]),
    [
      ["tracker", "connected", "you are signed in"],
      ["wiki", "waiting", "sign in with `npx mcp-sieve login wiki`"],
    ],
  );
  assert.equal(await called(client, "tracker_whoami"), "whoami for alice");
  // Without a restart.
  await login("wiki", "bob");
  assert.deepEqual(await names(client), [
    "tracker_notes_of_alice",
    "tracker_whoami",
    "wiki_notes_of_bob",
    "wiki_whoami",
  ]);
  assert.equal((await command.run(["logout", "tracker", "--config", configuration()], { env })).status, 0);
  // The next request to the server finds out, and the lists change with it.
  await assert.rejects(called(client, "tracker_whoami"), /the server `tracker` needs you to sign in to it/);
  assert.deepEqual(await names(client), ["tracker_connect_tracker", "wiki_notes_of_bob", "wiki_whoami"]);
  // Each token went to its own server alone, and to no output.
  const sent = (server) => new Set(server.requests.map(({ headers }) => headers.authorization).filter(Boolean));
  for (const token of sent(tracker)) assert.ok(!sent(wiki).has(token));
  const printed = running.printed.stdout + running.printed.stderr;
  for (const token of [...sent(tracker), ...sent(wiki)]) assert.ok(!printed.includes(token.slice("Bearer ".length)));
});

test("`stdio`, which serves no browser, signs in by an address of the command", async () => {
  const client = await hosted();
  const words = await called(client, "tracker_connect_tracker");
  const [address] = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{64}\/tracker/.exec(words);
  // Without the secret in its path there is nothing.
  const { origin } = new URL(address);
  for (const path of ["/", "/tracker", `/${"0".repeat(64)}/tracker`])
    assert.equal((await fetch(origin + path, { redirect: "manual" })).status, 404);
  assert.equal((await fetch(`${address}s`, { redirect: "manual" })).status, 404);
  const begun = await fetch(address, { redirect: "manual" });
  assert.deepEqual([begun.status, begun.headers.get("referrer-policy")], [302, "no-referrer"]);
  const shown = await fetch(await authorization.signIn(begun.headers.get("location")));
  assert.match(await shown.text(), /You are signed in to tracker/);
  assert.deepEqual(await names(client), ["tracker_notes_of_alice", "tracker_whoami", "wiki_connect_wiki"]);
  // A sign-in that has begun does not keep the command from ending.
  const [other] = /http:\S+/.exec(await called(client, "wiki_connect_wiki"));
  assert.equal((await fetch(other, { redirect: "manual" })).status, 302);
});

test("commands that list live servers do so as the user", async () => {
  const check = () => command.run(["check", configuration(), "--live", "--json"], { env });
  const before = JSON.parse((await check()).stdout);
  assert.match(JSON.stringify(before), /needs you to sign in: `npx mcp-sieve login wiki`/);
  await login("tracker");
  await login("wiki", "bob");
  const explain = (name) => command.run(["explain", name, "--config", configuration(), "--live", "--json"], { env });
  assert.equal(JSON.parse((await explain("wiki_notes_of_bob")).stdout).shown, true);
  // The tokens are renewed.
  await sleep(1000 * (ACCESS_S + 1));
  const { status, stdout } = await explain("tracker_notes_of_alice");
  assert.deepEqual([status, JSON.parse(stdout).shown], [0, true]);
  const { connections } = JSON.parse((await command.run(["connections", "--json"], { env })).stdout);
  assert.ok(connections.every(({ state }) => state === "connected"));
});

test("another account gets no list of the one before", async () => {
  await login("tracker");
  const { client } = await served({ ttlMs: 1000, minTtlMs: 0 });
  assert.deepEqual(await names(client), ["tracker_notes_of_alice", "tracker_whoami", "wiki_connect_wiki"]);
  await login("tracker", "bob");
  assert.equal(await called(client, "tracker_whoami"), "whoami for bob");
  const isOfBob = async () => (await names(client)).includes("tracker_notes_of_bob");
  await until(isOfBob, "the lists of the other account");
  assert.deepEqual(await names(client), ["tracker_notes_of_bob", "tracker_whoami", "wiki_connect_wiki"]);
});

test("several gateways of one user renew a token once", async () => {
  await login("tracker");
  const clients = [...(await Promise.all([hosted(), hosted()])), (await served()).client];
  for (const client of clients) assert.equal(await called(client, "tracker_whoami"), "whoami for alice");
  for (let round = 0; round < 2; round += 1) {
    // The token has ended: none of them can use it.
    await sleep(1000 * (ACCESS_S + 1));
    const before = refreshes();
    const answers = await Promise.all(
      clients.flatMap((client) => [called(client, "tracker_whoami"), called(client, "tracker_whoami")]),
    );
    assert.deepEqual(new Set(answers), new Set(["whoami for alice"]));
    assert.equal(refreshes() - before, 1);
  }
});

test("a server of another URL under the same name gets no token", async () => {
  await login("tracker");
  const foreign = await startProtectedServer({ authorization, name: "foreign" });
  ending.push(() => foreign.stop());
  const upstream = { name: "tracker", url: foreign.url, auth: "user" };
  const path = command.write("foreign.jsonc", JSON.stringify({ upstream }));
  const running = command.start(["run", path, "--port", "0", "--json"], { env });
  ending.push(running.stop);
  const { mcp } = JSON.parse(await running.line(/^\{"event":"ready"/));
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  ending.push(() => client.close());
  assert.deepEqual(await names(client), ["connect_tracker"]);
  assert.ok(foreign.requests.every(({ headers }) => headers.authorization === undefined));
});

test("a connection whose key is lost is none, and the user signs in again", async () => {
  await login("tracker");
  const key = join(state, "mcp-sieve/connections.key");
  writeFileSync(key, readFileSync(key, "utf8").split("").reverse().join("").trim());
  const { client } = await served();
  assert.deepEqual(await names(client), ["tracker_connect_tracker", "wiki_connect_wiki"]);
  await login("tracker");
  assert.deepEqual(await names(client), ["tracker_notes_of_alice", "tracker_whoami", "wiki_connect_wiki"]);
});
