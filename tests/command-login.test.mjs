// `login`, `logout` and `connections`, with an authorization server and servers that demand its tokens.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { openerOf } from "../pkg/cli/lib/connections/browser.js";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { until } from "./support/until.mjs";

const SECRET = "a-secret-of-the-file";
let command, authorization, tracker, wiki, state;
let folders = 0;

before(async () => {
  command = await installCommand();
  authorization = await startAuthorizationServer({
    clients: [
      {
        client_id: "of-the-file",
        client_secret: SECRET,
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
  });
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
});

const config = (name, value) => command.write(name, JSON.stringify(value));
const ONE = () => config("one.jsonc", { upstream: { name: "tracker", url: tracker.url, auth: "user" } });
const TWO = () =>
  config("two.jsonc", {
    upstreams: [
      { name: "tracker", url: tracker.url, auth: "user" },
      { name: "wiki", url: wiki.url, auth: { type: "user", scopes: ["read", "write"] } },
      { name: "open", url: "https://open.example/mcp" },
    ],
  });
const options = (env = {}) => ({
  env: { XDG_STATE_HOME: state, BROWSER: "", DISPLAY: "", WAYLAND_DISPLAY: "", ...env },
});
const run = (...args) => command.run(args, options());
const file = (name) => join(state, "mcp-sieve", name);
const listed = async () => JSON.parse((await run("connections", "--json")).stdout).connections;

/** Begins a sign-in. Resolves with the process and the address for the browser. */
async function begun(args, env) {
  const started = command.start(["login", ...args], options(env));
  const url = (await started.line(/^ {2}https?:\/\//)).trim();
  return { ...started, url };
}

/** The address that the browser of a user ends at. */
const callbackOf = (url, user) => authorization.signIn(url, user);

/** Signs in as a browser would. Resolves with the output of the command, and what the browser shows. */
async function login(args, { env, user } = {}) {
  const { url, over } = await begun(args, env);
  const shown = await fetch(await callbackOf(url, user));
  return { ...(await over), shown: await shown.text(), url };
}

/** What the files of a connection have, once they are opened with the key. */
async function records() {
  const { openConnection } = await import("../pkg/cli/lib/engine.js");
  const key = readFileSync(file("connections.key"), "utf8").trim();
  const { connections } = JSON.parse(readFileSync(file("connections.json"), "utf8"));
  return connections.map(({ server, sealed }) => JSON.parse(openConnection(key, "local", server, sealed)));
}

/** Whether the authorization server takes a token for active. */
async function isActive({ asServer, client, access }) {
  const response = await fetch(`${asServer.issuer}/token/introspection`, {
    method: "POST",
    body: new URLSearchParams({ token: access, client_id: client.id }),
  });
  return (await response.json()).active;
}

/** Sends bytes to a port of this machine. Resolves with what it answers. */
async function answerTo({ port }, bytes) {
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

describe("login", () => {
  test("signs in, keeps the tokens encrypted in private files, and prints none", async () => {
    const path = ONE();
    const { status, stdout, stderr, shown } = await login(["--config", path]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(
      stdout,
      /^Open this address in a browser to sign in to tracker:\n {2}http:\S+\ntracker: signed in with read/,
    );
    assert.match(shown, /<h1>You are signed in<\/h1>/);
    const [record] = await records();
    assert.deepEqual(
      [record.serverUrl, record.issuer, record.resource],
      [tracker.url, authorization.issuer, tracker.url],
    );
    assert.ok(record.access && record.refresh && record.expires > Date.now());
    for (const name of ["connections.json", "connections.key"])
      assert.equal(statSync(file(name)).mode & 0o777, 0o600, name);
    assert.equal(statSync(file(".")).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(file(".")).sort(), ["connections.json", "connections.key"]);
    const kept = readFileSync(file("connections.json"), "utf8");
    const printed = (await run("connections")).stdout + (await run("connections", "--json")).stdout;
    for (const secret of [record.access, record.refresh, readFileSync(file("connections.key"), "utf8").trim()])
      for (const text of [stdout, stderr, shown, kept, printed]) assert.ok(!text.includes(secret));
    // The token is one for this server.
    assert.equal((await authorization.verify(record.access, tracker.url)).sub, "alice");
  });

  test("opens the program of BROWSER with the address alone", async () => {
    const place = join(command.folder, "opened");
    const browser = command.write(
      "browser.sh",
      `#!/bin/sh\nprintf '%s %s' "$#" "$1" > ${place}.new; mv ${place}.new ${place}\n`,
    );
    chmodSync(browser, 0o755);
    const { url, over } = await begun(["--config", ONE()], { BROWSER: browser });
    await until(() => existsSync(place));
    assert.equal(readFileSync(place, "utf8"), `1 ${url}`);
    rmSync(place);
    await fetch(await callbackOf(url));
    assert.equal((await over).status, 0);
    const silent = await login(["--config", ONE(), "--no-browser"], { env: { BROWSER: browser } });
    assert.equal(silent.status, 0);
    assert.ok(!existsSync(place));
  });

  test("goes on without a browser that can be started", async () => {
    const { status } = await login(["--config", ONE()], { env: { BROWSER: "/no/such/program" } });
    assert.equal(status, 0);
  });

  test("takes the client of the file, whose secret is a variable", async () => {
    const client = { id: "of-the-file", secret: "${TRACKER_SECRET}" };
    const path = config("client.jsonc", {
      upstream: { name: "tracker", url: tracker.url, auth: { type: "user", issuer: authorization.issuer, client } },
    });
    const missing = await run("login", "--config", path);
    assert.deepEqual([missing.status, missing.stdout], [2, ""]);
    assert.match(missing.stderr, /`TRACKER_SECRET` \(`auth.client.secret` of the server `tracker`\)/);
    const { status, stdout, stderr } = await login(["--config", path], { env: { TRACKER_SECRET: SECRET } });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.ok(!stdout.includes(SECRET));
    assert.deepEqual((await records())[0].client, { id: "of-the-file", secret: SECRET });
  });

  test("names the server, of which there may be one or several", async () => {
    const path = TWO();
    const rows = [
      [["login"], "expected the name of a server, one of `tracker`, `wiki`"],
      [["login", "wikki"], "there is no server `wikki` (did you mean `wiki`?), expected one of `tracker`, `wiki`"],
      [["login", "open"], "the server `open` does not sign users in, expected one of `tracker`, `wiki`"],
    ];
    for (const [args, message] of rows)
      assert.deepEqual(await run(...args, "--config", path), {
        status: 2,
        stdout: "",
        stderr: `${path}: ${message}\n`,
      });
    const open = config("open.jsonc", { upstream: { name: "open", url: "https://open.example/mcp" } });
    assert.match(
      (await run("login", "--config", open)).stderr,
      /no server signs users in, expected one with `"auth": "user"`/,
    );
    assert.match((await run("login", "x")).stderr, /^expected a configuration with the server/);
    assert.match(
      (await run("login", "--config", path, "--timeout", "0")).stderr,
      /^--timeout: expected a number from 1 to/,
    );
    assert.ok(!existsSync(file("connections.json")));
  });

  test("is refused by the user, and keeps nothing", async () => {
    const { status, stderr, shown } = await login(["--config", ONE()], { user: { deny: true } });
    assert.equal(status, 2);
    assert.match(stderr, /^tracker: 127\.0\.0\.1:\d+ did not allow the sign-in \[sign_in_denied\]\n$/);
    assert.match(shown, /<h1>You are not signed in<\/h1>/);
    assert.deepEqual(await listed(), []);
  });

  test("ends after its time", async () => {
    const { over } = await begun(["--config", ONE(), "--timeout", "1"]);
    const { status, stderr } = await over;
    assert.deepEqual([status, stderr], [2, "no sign-in was finished within 1 s: nothing is changed\n"]);
    assert.deepEqual(await listed(), []);
  });

  test("waits for its own callback alone", async () => {
    const { url, over } = await begun(["--config", ONE()]);
    const redirect = new URL(new URL(url).searchParams.get("redirect_uri"));
    const attempt = async (path, init) => (await fetch(new URL(path, redirect), init)).status;
    assert.equal(await attempt("/callback?code=x&state=y"), 400);
    assert.equal(await attempt("/callback"), 400);
    assert.equal(await attempt("/"), 404);
    const callback = await callbackOf(url);
    assert.equal(await attempt(callback, { method: "POST" }), 404);
    // An address that cannot be parsed, and another name of this machine.
    assert.match(await answerTo(redirect, "GET // HTTP/1.1\r\nhost: x\r\n\r\n"), /^HTTP\/1\.1 404/);
    const { pathname, search } = new URL(callback);
    assert.match(
      await answerTo(redirect, `GET ${pathname}${search} HTTP/1.1\r\nhost: evil.example\r\n\r\n`),
      /^HTTP\/1\.1 404/,
    );
    const shown = await fetch(callback);
    assert.equal(shown.headers.get("referrer-policy"), "no-referrer");
    assert.equal(shown.headers.get("cache-control"), "no-store");
    const { status, stderr } = await over;
    assert.equal(status, 0);
    assert.equal(stderr, "a callback without the `state` of this sign-in was refused\n".repeat(2));
    // It listens no longer.
    await assert.rejects(fetch(callback));
  });

  test("of two servers at once keeps both connections", async () => {
    const path = TWO();
    const results = await Promise.all(["tracker", "wiki"].map((name) => login([name, "--config", path])));
    assert.deepEqual(
      results.map(({ status, stderr }) => [status, stderr]),
      [
        [0, ""],
        [0, ""],
      ],
    );
    assert.deepEqual((await listed()).map(({ server }) => server).sort(), ["tracker", "wiki"]);
    const wikis = (await listed()).find(({ server }) => server === "wiki");
    assert.deepEqual([wikis.url, wikis.state, wikis.scopes.sort()], [wiki.url, "connected", ["read", "write"]]);
  });

  test("twice at once to one server keeps one connection", async () => {
    const path = ONE();
    const results = await Promise.all(["alice", "bob"].map((user) => login(["--config", path], { user: { user } })));
    assert.deepEqual(
      results.map(({ status }) => status),
      [0, 0],
    );
    assert.equal((await listed()).length, 1);
  });

  test("keeps servers of one name at several addresses apart", async () => {
    const other = config("other.jsonc", { upstream: { name: "tracker", url: wiki.url, auth: "user" } });
    for (const path of [ONE(), other]) assert.equal((await login(["--config", path])).status, 0);
    assert.deepEqual((await listed()).map(({ url }) => url).sort(), [tracker.url, wiki.url].sort());
    const { status } = await run("logout", "tracker", "--config", other);
    assert.equal(status, 0);
    assert.deepEqual(
      (await listed()).map(({ url }) => url),
      [tracker.url],
    );
  });

  test("says which step failed", async () => {
    const none = config("none.jsonc", { upstream: { name: "gone", url: "http://127.0.0.1:9/mcp", auth: "user" } });
    const { status, stdout, stderr } = await run("login", "--config", none);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^gone: .*\[sign_in_server\]\n$/);
    authorization.faults.token = (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>");
    try {
      const html = await login(["--config", ONE()]);
      assert.equal(html.status, 2);
      assert.match(html.stderr, /\[sign_in_token\]/);
      assert.ok(!html.stderr.includes("hello"));
    } finally {
      delete authorization.faults.token;
    }
  });
});

describe("the files", () => {
  test("are no links", async () => {
    const elsewhere = command.write("elsewhere.json", "{}");
    mkdirSync(file("."), { recursive: true });
    for (const name of ["connections.json", "connections.key"]) {
      symlinkSync(elsewhere, file(name));
      const { status, stderr } = await run("connections");
      assert.equal(status, 2, name);
      assert.match(stderr, new RegExp(`${name} is a symbolic link: connections are kept in a file of its own`));
      rmSync(file(name));
    }
    symlinkSync(elsewhere, file("connections.key"));
    const { status, stdout } = await run("login", "--config", ONE());
    // Before the user signs in.
    assert.deepEqual([status, stdout], [2, ""]);
    assert.equal(readFileSync(elsewhere, "utf8"), "{}");
  });

  test("lose the rights of others", async () => {
    assert.equal((await login(["--config", ONE()])).status, 0);
    chmodSync(file("connections.json"), 0o644);
    chmodSync(file("connections.key"), 0o644);
    chmodSync(file("."), 0o755);
    assert.equal((await login(["--config", ONE()])).status, 0);
    for (const [name, mode] of [
      ["connections.json", 0o600],
      ["connections.key", 0o600],
      [".", 0o700],
    ])
      assert.equal(statSync(file(name)).mode & 0o777, mode, name);
  });

  test("are refused if they are not those of `login`", async () => {
    mkdirSync(file("."), { recursive: true });
    for (const text of [
      "",
      "[]",
      '{"version":2,"connections":[]}',
      '{"version":1,"connections":[{"secret":"s3cret"}]}',
    ]) {
      writeFileSync(file("connections.json"), text);
      const { status, stderr } = await run("connections");
      assert.equal(status, 2, text);
      assert.match(stderr, /expected the connections that this version/);
      assert.doesNotMatch(stderr, /s3cret/);
    }
  });

  test("without their key have to be signed in again", async () => {
    assert.equal((await login(["--config", ONE()])).status, 0);
    renameSync(file("connections.key"), file("old.key"));
    const [{ state: lost, since }] = await listed();
    assert.deepEqual([lost, since], ["unreadable", undefined]);
    assert.match((await run("connections")).stdout, /its key is lost: sign in again, `npx mcp-sieve login tracker`/);
    // A new key opens nothing that the old one sealed.
    assert.equal((await login(["--config", ONE()])).status, 0);
    assert.equal((await listed())[0].state, "connected");
    assert.equal((await listed()).length, 1);
  });

  test("of another place open nothing", async () => {
    assert.equal((await login(["--config", ONE()])).status, 0);
    const kept = JSON.parse(readFileSync(file("connections.json"), "utf8"));
    for (const change of [{ url: "https://evil.example/mcp" }, { server: "other" }]) {
      const connections = [{ ...kept.connections[0], ...change }];
      writeFileSync(file("connections.json"), JSON.stringify({ ...kept, connections }));
      assert.equal((await listed())[0].state, "unreadable");
    }
  });
});

describe("connections", () => {
  test("says that there are none", async () => {
    assert.deepEqual(await run("connections"), {
      status: 0,
      stdout: "You are signed in to no server: `npx mcp-sieve login NAME` signs in.\n",
      stderr: "",
    });
    assert.ok(!existsSync(file(".")));
  });

  test("lists server, time, scopes and end", async () => {
    const before = new Date().toISOString();
    assert.equal((await login(["--config", ONE()])).status, 0);
    const [{ since, expires, ...rest }] = await listed();
    const { issuer } = authorization;
    assert.deepEqual(rest, { server: "tracker", url: tracker.url, state: "connected", issuer, scopes: ["read"] });
    assert.ok(since >= before && expires > since);
    const { stdout } = await run("connections");
    assert.equal(
      stdout,
      `tracker  ${tracker.url}\n  connected\n  issuer        ${issuer}\n  since         ${since}\n  scopes        read\n  access until  ${expires}\n`,
    );
  });
});

describe("logout", () => {
  test("revokes the tokens and deletes them", async () => {
    assert.equal((await login(["--config", ONE()])).status, 0);
    const [record] = await records();
    const refreshToken = { ...record, access: record.refresh };
    assert.equal(await isActive(refreshToken), true);
    assert.deepEqual(await run("logout", "tracker"), {
      status: 0,
      stdout: "tracker: signed out, and the tokens are revoked\n",
      stderr: "",
    });
    assert.equal(await isActive(refreshToken), false);
    assert.deepEqual(await listed(), []);
    const again = await run("logout", "tracker");
    assert.equal(again.status, 2);
    assert.match(again.stderr, /^you are not signed in to `tracker`; `npx mcp-sieve connections` lists/);
  });

  test("deletes tokens that cannot be revoked, and says so", async () => {
    assert.equal((await login(["--config", ONE()])).status, 0);
    authorization.faults["token/revocation"] = (_, response) => response.writeHead(500).end();
    try {
      const { status, stdout, stderr } = await run("logout", "tracker");
      assert.deepEqual([status, stdout], [0, "tracker: signed out\n"]);
      assert.match(stderr, /^tracker: .*the tokens are deleted here, and not revoked/);
    } finally {
      delete authorization.faults["token/revocation"];
    }
    assert.deepEqual(await listed(), []);
    assert.equal((await login(["--config", ONE()])).status, 0);
    rmSync(file("connections.key"));
    assert.match(
      (await run("logout", "tracker")).stderr,
      /^tracker: the key of the connection is lost: the tokens are deleted/,
    );
    assert.deepEqual(await listed(), []);
  });

  test("needs a name, and suggests one", async () => {
    assert.equal((await run("logout")).stderr, "expected the name of a server: `npx mcp-sieve logout NAME`\n");
    assert.equal((await login(["--config", ONE()])).status, 0);
    assert.match(
      (await run("logout", "traker")).stderr,
      /^you are not signed in to `traker` \(did you mean `tracker`\?\)/,
    );
  });
});

test("the program that opens an address is one without a shell, or none", () => {
  const rows = [
    [{ BROWSER: "/usr/bin/firefox", DISPLAY: ":0" }, "linux", ["/usr/bin/firefox"]],
    [{ BROWSER: "firefox %s", DISPLAY: ":0" }, "linux", ["xdg-open"]],
    [{ BROWSER: "a:b" }, "linux", ["xdg-open"]],
    [{ DISPLAY: ":0" }, "linux", ["xdg-open"]],
    [{ WAYLAND_DISPLAY: "wayland-0" }, "linux", ["xdg-open"]],
    [{}, "linux", undefined],
    [{}, "darwin", ["open"]],
    [{}, "win32", ["rundll32", "url.dll,FileProtocolHandler"]],
  ];
  for (const [environment, platform, opener] of rows)
    assert.deepEqual(openerOf(environment, platform), opener, JSON.stringify([environment, platform]));
});
