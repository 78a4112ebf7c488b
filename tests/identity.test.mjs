// Authentication, in workerd: signed tokens, their keys, and the metadata that points clients to an authorization
// server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as v2 from "@modelcontextprotocol/client";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { makeKey, makeToken, startAuthorization } from "./support/authorization.mjs";
import { freePort } from "./support/port.mjs";
import { fixture } from "./support/protocol-worlds.mjs";
import { ask, request } from "./support/raw-client.mjs";
import { digest, tokensVariable } from "./support/tokens.mjs";
import { until } from "./support/until.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const ISSUER = "https://login.example";
const AUDIENCE = "https://mcp.example/mcp";
const rows = fixture("identity");
const TYPES = ["ec", "rsa", "ed", "p384", "pss"];
const keys = Object.fromEntries(TYPES.map((type) => [type, makeKey(type)]));
const others = Object.fromEntries(TYPES.map((type) => [type, makeKey(type)]));

/** Returns the configuration of a row: the keys that it publishes and the tokens that it requires. */
function configOf({ jwks = ["rsa", "ec", "ed"], named = true, kid: shared, use = {}, ops = {}, algs = {}, auth = {} }) {
  const published = jwks.map((name) => {
    const { kid, ...jwk } = keys[name].jwk;
    return {
      ...jwk,
      ...(named ? { kid: shared ?? kid } : {}),
      ...(use[name] ? { use: use[name] } : {}),
      ...(ops[name] ? { key_ops: ops[name] } : {}),
      ...(algs[name] ? { alg: algs[name] } : {}),
    };
  });
  return { auth: { issuer: ISSUER, audience: [AUDIENCE], jwks: { keys: published }, ...auth } };
}

function tokenOf({ token, key = "ec", header, claims, forged, tampered, pad }) {
  if (token !== undefined) return token;
  const good = { iss: ISSUER, aud: AUDIENCE, sub: "alice", ...(pad ? { pad: "x".repeat(pad) } : {}) };
  const made = makeToken((forged ? others : keys)[key], { ...good, ...claims }, header);
  if (!tampered) return made;
  const [head, , signature] = made.split(".");
  return `${head}.${makeToken(keys[key], { ...good, sub: "root" }).split(".")[1]}.${signature}`;
}

const places = new Map();
for (const row of rows) {
  const config = configOf(row);
  const key = JSON.stringify(config);
  if (!places.has(key)) places.set(key, { name: `place-${places.size}`, config });
  row.place = places.get(key).name;
}

const roles = {
  policies: [{ name: "admin", show: "-name:reset_tracker or claim.realm.roles:admin" }],
  presets: [{ name: "support", when: "claim.team:support", filter: { groups: ["notes"] } }],
};

const staff = [
  { name: "staff", require: "claim.role:staff or claim.sub:alice", message: "sign in with a staff account" },
];

/** Claims of tokens without a usable `sub`, which identify no caller. */
const nameless = { "no-subject": { role: "admin" }, "empty-subject": { sub: "" }, "number-subject": { sub: 7 } };

let login;
let workers;
let upstream;
before(async () => {
  login = await startAuthorization({ robot: { realm: { roles: ["user", "admin"] } }, helper: { team: "support" } });
  upstream = await startStatelessServer({
    "tools/list": { tools: [plainTool("echo")] },
    "tools/call": { content: [] },
  });
  const auth = { issuer: login.issuer, audience: [AUDIENCE], jwks: `${login.issuer}/keys` };
  const env = { SIEVE_TOKENS: tokensVariable({ "handed-out": { sub: "alice" } }) };
  const behind = (name, upstreams) => ({ name, config: { auth, upstreams }, assets: "none" });
  workers = await startWorkers([
    ...[...places.values()].map((place) => ({ ...place, assets: "none" })),
    { name: "desk", config: { auth: { ...auth, scopes: ["mcp"] } }, env, assets: "none" },
    { name: "told", config: { log: true }, assets: "none" },
    { name: "staff", config: { checks: staff }, env, assets: "none" },
    { name: "open", config: { auth: { ...auth, required: false }, checks: staff }, assets: "none" },
    { name: "roles", config: { auth, ...roles }, env, assets: "none" },
    { name: "brief", config: { auth: { ...auth, clockSkew: 0 } }, assets: "none" },
    ...["cached", "lost"].map((name) => ({ name, config: { auth }, assets: "none" })),
    ...["held", "empty"].map((name) => ({
      name,
      config: { auth: { issuer: ISSUER, audience: [AUDIENCE], jwks: { kv: `${name} keys` } } },
      jwks: { "held keys": { keys: [keys.ec.jwk] } },
      assets: "none",
    })),
    ...Object.entries(nameless).map(([name, claims]) => ({
      name,
      env: { SIEVE_TOKENS: tokensVariable({ a: { sub: "alice" }, b: claims }) },
      assets: "none",
    })),
    { name: "behind", config: { log: true, upstreams: [{ name: "echo", url: upstream.url }] }, env, assets: "none" },
    { name: "gone", config: { upstreams: [{ name: "dead", url: "http://127.0.0.1:9/mcp" }] }, assets: "none" },
    behind("quiet", [{ name: "echo", url: upstream.url }]),
    behind("through", [{ name: "echo", url: upstream.url, passHeaders: ["Authorization"] }]),
  ]);
});
after(async () => {
  await workers?.stop();
  await login?.stop();
  await upstream?.stop();
});

const bearer = (token) => (token === null ? {} : { authorization: `Bearer ${token}` });

async function list(name, token, path = "/mcp") {
  const { headers, ...sent } = request("tools/list");
  const response = await fetch(`${workers.urls[name]}${path}`, { ...sent, headers: { ...headers, ...bearer(token) } });
  const { result, error } = await response.json();
  return {
    status: response.status,
    headers: response.headers,
    tools: result?.tools.map((tool) => tool.name),
    reason: error?.data?.reason,
    error,
  };
}

for (const row of rows.filter(({ wire }) => wire !== false)) {
  test(row.name, async () => {
    const { status, reason, headers } = await list(row.place, tokenOf(row));
    assert.deepEqual([status, reason], [row.expect.status, row.expect.reason]);
    const challenge = headers.get("www-authenticate");
    const error = { 401: reason === "token_missing" ? undefined : "invalid_token", 403: "insufficient_scope" }[status];
    assert.equal(challenge !== null, status !== 200);
    assert.equal(/error="(\w+)"/.exec(challenge)?.[1], error);
  });
}

for (const name of Object.keys(nameless)) {
  test(`a token that is handed out without a name is refused with its place: ${name}`, async () => {
    const { status, error } = await list(name, "a");
    assert.equal(status, 500);
    const message = `SIEVE_TOKENS: \`${digest("b")}\`: expected a member \`sub\`, a text that is not empty`;
    assert.deepEqual(error, { code: -32603, message, data: { reason: "config" } });
  });
}

test("a token of a megabyte is refused by somebody, and the next request is served", async () => {
  const response = await fetch(`${workers.urls["place-0"]}/mcp`, {
    ...request("tools/list"),
    headers: bearer("x".repeat(1 << 20)),
  }).catch(() => null);
  assert.ok(response === null || response.status >= 400, `${response?.status}`);
  assert.equal((await list("place-0", tokenOf({}))).status, 200);
});

test("a caller without a token gets the address for one, as in RFC 9728", async () => {
  const { status, headers } = await list("desk", null);
  assert.equal(status, 401);
  const metadata = `${workers.urls.desk}/.well-known/oauth-protected-resource/mcp`;
  assert.equal(headers.get("www-authenticate"), `Bearer scope="mcp", resource_metadata="${metadata}"`);
  const found = await fetch(metadata);
  assert.deepEqual([found.status, found.headers.get("access-control-allow-origin")], [200, "*"]);
  const about = (path) => ({
    resource: `${workers.urls.desk}${path}`,
    authorization_servers: [login.issuer],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: ["ES256", "ES384", "EdDSA", "PS256", "RS256"],
    resource_name: "sieve-tracker",
    scopes_supported: ["mcp"],
  });
  const document = await found.json();
  assert.deepEqual({ ...document, resource_name: "sieve-tracker" }, about("/mcp"));
  for (const [path, resource] of [
    ["", "/mcp"],
    ["/mcp/support", "/mcp/support"],
  ]) {
    const { resource: told } = await (
      await fetch(`${workers.urls.desk}/.well-known/oauth-protected-resource${path}`)
    ).json();
    assert.equal(told, about(resource).resource);
  }
  const session = await fetch(`${workers.urls.desk}/mcp`, { headers: { accept: "text/event-stream" } });
  assert.match(session.headers.get("www-authenticate"), /resource_metadata=/);
});

test("behind a proxy that terminates TLS, the metadata has the URL that clients request", async () => {
  const headers = { "x-forwarded-proto": "https" };
  const desk = workers.urls.desk.replace("http:", "https:");
  const refused = await fetch(`${workers.urls.desk}/mcp`, { method: "POST", headers });
  const metadata = `${desk}/.well-known/oauth-protected-resource/mcp`;
  assert.equal(refused.headers.get("www-authenticate"), `Bearer scope="mcp", resource_metadata="${metadata}"`);
  const document = await fetch(metadata.replace("https:", "http:"), { headers });
  assert.equal((await document.json()).resource, `${desk}/mcp`);
});

for (const [era, connect] of [
  [
    "2025-11-25",
    async (url, options) => {
      const client = new Client({ name: "v1", version: "1" });
      await client.connect(
        new StreamableHTTPClientTransport(url, { authProvider: new ClientCredentialsProvider(options) }),
      );
      return client;
    },
  ],
  [
    "2026-07-28",
    async (url, options) => {
      const client = new v2.Client({ name: "v2", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(
        new v2.StreamableHTTPClientTransport(url, { authProvider: new v2.ClientCredentialsProvider(options) }),
      );
      return client;
    },
  ],
]) {
  test(`the official client of ${era} finds the way to a token by itself`, async () => {
    // The resource is this server's own URL, whose port is known only now.
    const port = await freePort();
    const auth = {
      issuer: login.issuer,
      audience: [`http://127.0.0.1:${port}/mcp`],
      jwks: `${login.issuer}/keys`,
      scopes: ["mcp"],
    };
    const place = await startWorkers([{ name: "own", port, config: { auth, ...roles }, assets: "none" }]);
    try {
      const url = new URL(`${place.urls.own}/mcp`);
      const client = await connect(url, {
        clientId: "robot",
        clientSecret: "s",
        scope: "mcp",
        expectedIssuer: login.issuer,
      });
      const { tools } = await client.listTools();
      assert.ok(
        tools.some(({ name }) => name === "reset_tracker"),
        "a claim of the token shows it",
      );
      await client.close();
      assert.deepEqual([login.resources.at(-1), login.scopes.at(-1)], [url.href, "mcp"]);
    } finally {
      await place.stop();
    }
  });
}

test("without an authorization server, a caller that needs a token is asked for one, and finds no way to a login", async () => {
  const needed = {
    code: -32600,
    message: "sign in with a staff account; a bearer token is required",
    data: { reason: "token_missing" },
  };
  const { status, headers, error } = await list("staff", null);
  assert.deepEqual([status, headers.get("www-authenticate"), error], [401, "Bearer", needed]);
  const wrong = await list("staff", "made-up");
  assert.deepEqual([wrong.status, wrong.headers.get("www-authenticate")], [401, 'Bearer error="invalid_token"']);
  assert.equal((await list("staff", "handed-out")).status, 200);
  for (const path of ["", "/mcp"]) {
    const response = await fetch(`${workers.urls.staff}/.well-known/oauth-protected-resource${path}`);
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), await response.json()],
      [
        404,
        "application/json",
        {
          error: "not_found",
          error_description: "this server has no authorization server: its operator hands out bearer tokens",
        },
      ],
    );
  }
  // If there is an authorization server, the same check points to it. Its tokens may still be rejected.
  const sent = await list("open", null);
  assert.equal(
    sent.headers.get("www-authenticate"),
    `Bearer resource_metadata="${workers.urls.open}/.well-known/oauth-protected-resource/mcp"`,
  );
  assert.deepEqual([sent.status, sent.error], [401, needed]);
  const known = await list("open", token({ sub: "bob" }));
  assert.deepEqual([known.status, known.reason], [403, "check"]);
});

for (const [name, expected, connect] of [
  [
    "2025-11-25",
    /sign in with a staff account; a bearer token is required/,
    (url, options) => new Client({ name: "v1", version: "1" }).connect(new StreamableHTTPClientTransport(url, options)),
  ],
  // This client reports the status only.
  [
    "2026-07-28",
    /the server requires authorization \(HTTP 401\)/,
    (url, options) =>
      new v2.Client({ name: "v2", version: "1" }, { versionNegotiation: { mode: "auto" } }).connect(
        new v2.StreamableHTTPClientTransport(url, options),
      ),
  ],
]) {
  test(`the official client of ${name} ends with the need of a token, and searches for a login only once`, async () => {
    const url = new URL(`${workers.urls.staff}/mcp`);
    let asked = 0;
    const counting = (input, init) => {
      asked += 1;
      return fetch(input, init);
    };
    await assert.rejects(connect(url, { fetch: counting }), expected);
    const authProvider = new ClientCredentialsProvider({ clientId: "robot", clientSecret: "s" });
    asked = 0;
    await assert.rejects(connect(url, { fetch: counting, authProvider }));
    assert.ok(asked < 20, `${asked} requests`);
  });
}

const token = (claims, options) => login.token({ aud: AUDIENCE, ...claims }, options);

test("policies and presets read claims, and never the request's own statements (Q-25)", async () => {
  const plain = await list("roles", token({}));
  const admin = await list("roles", token({ realm: { roles: ["user", "admin"] } }));
  assert.deepEqual(
    admin.tools.filter((name) => !plain.tools.includes(name)),
    ["reset_tracker"],
  );
  const support = await list("roles", token({ team: "support" }));
  assert.ok(support.tools.length > 0 && support.tools.length < plain.tools.length);
  const { headers, ...sent } = request("tools/list");
  const claimed = await fetch(`${workers.urls.roles}/mcp`, {
    ...sent,
    headers: { ...headers, ...bearer(token({})), "x-realm": "admin", "claim.realm.roles": "admin" },
  });
  assert.deepEqual(
    (await claimed.json()).result.tools.map(({ name }) => name),
    plain.tools,
  );
  assert.deepEqual((await list("roles", "handed-out")).tools, plain.tools);
});

test("one name of two issuers is two people: neither finds the other's session", async () => {
  const url = `${workers.urls.roles}/mcp`;
  const post = (body, headers) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const opened = await post({ method: "initialize", params }, bearer("handed-out"));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") };
  assert.equal((await post({ method: "ping" }, { ...session, ...bearer("handed-out") })).status, 200);
  assert.equal((await post({ method: "ping" }, { ...session, ...bearer(token({ sub: "alice" })) })).status, 404);
});

test("keys are asked for once, and again for a key that was made since, and not for made-up ones", async () => {
  login.kept = "max-age=600";
  const before = login.asked;
  for (let round = 0; round < 5; round++) assert.equal((await list("cached", token({}))).status, 200);
  assert.equal(login.asked - before, 1);
  const old = login.keys;
  login.keys = [makeKey("rsa", "next"), ...old];
  try {
    for (const key of [login.keys[0], old[0]]) assert.equal((await list("cached", token({}, { key }))).status, 200);
    assert.equal(login.asked - before, 2);
    // For half a minute, unknown key ids cause no further request for keys.
    const madeUp = (round) => token({}, { header: { kid: `made-up-${round}` } });
    for (let round = 0; round < 5; round++)
      assert.equal((await list("cached", madeUp(round))).reason, "token_key_unknown");
    assert.equal(login.asked - before, 2);
  } finally {
    login.keys = old;
  }
});

test("keys may be held in a namespace of the platform's", async () => {
  assert.equal((await list("held", tokenOf({}))).status, 200);
  assert.equal((await list("held", tokenOf({ key: "rsa" }))).reason, "token_key_unknown");
  assert.equal((await list("empty", tokenOf({}))).reason, "jwks");
});

test("each request is a line of attributes, where the operator wants it", async () => {
  const secret = { name: "create_note", arguments: { title: "between us", body: "a secret" } };
  await ask(`${workers.urls.told}/mcp`, "tools/call", secret);
  await ask(`${workers.urls.told}/mcp`, "tools/list", { filter: { groups: ["notes"] } });
  await ask(`${workers.urls.told}/mcp`, "tools/call", { name: "no_such_tool" });
  const lines = workers
    .log()
    .split("\n")
    .filter((line) => line.includes('"mcp.method.name"'))
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  const [called, listed, failed] = lines;
  const { "dev.mcpsieve.duration": duration, "jsonrpc.request.id": id, time, ...rest } = called;
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
  assert.ok(duration >= 0 && duration < 10 && Number.isInteger(Number(id)));
  assert.deepEqual(rest, {
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2026-07-28",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "create_note",
    // The Worker's own tools answer with values.
    "dev.mcpsieve.read_by": "reply",
  });
  assert.ok(listed["dev.mcpsieve.tools.in"] > listed["dev.mcpsieve.tools.out"] && listed["dev.mcpsieve.tools.out"] > 0);
  assert.ok(
    listed["dev.mcpsieve.tokens.in"] > listed["dev.mcpsieve.tokens.out"] && listed["dev.mcpsieve.tokens.out"] > 0,
  );
  assert.match(listed["dev.mcpsieve.filter.hash"], /^[0-9a-f]{32}$/);
  assert.deepEqual([failed["error.type"], failed["rpc.response.status_code"]], ["-32602", "-32602"]);
  assert.ok(!workers.log().includes("secret"));
});

test("a line names the caller and the upstream server, and a note of a failure the server and the time", async () => {
  const { headers, ...sent } = request("tools/call", { name: "echo" });
  await (
    await fetch(`${workers.urls.behind}/mcp`, { ...sent, headers: { ...headers, ...bearer("handed-out") } })
  ).text();
  await (await fetch(`${workers.urls.behind}/mcp`, { ...request("resources/read", { uri: "note://1" }) })).text();
  const lines = workers
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const called = lines.find((line) => line["gen_ai.tool.name"] === "echo");
  assert.deepEqual([called["enduser.id"], called["dev.mcpsieve.upstream"]], ["alice", "echo"]);
  const read = lines.find((line) => line["mcp.resource.uri"] === "note://1");
  assert.deepEqual([read["enduser.id"], "error.type" in read], [undefined, true]);
  await (await fetch(`${workers.urls.gone}/mcp`, request("tools/list"))).text();
  // The process writes its log after its responses.
  const noted = () =>
    workers
      .log()
      .split("\n")
      .find((line) => line.includes("upstream 127.0.0.1:9:"));
  const note = await until(noted, "the note of the server that is gone");
  assert.match(note, /^\S*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z upstream 127\.0\.0\.1:9: /);
});

test("without keys every caller is refused, and asked to retry", async () => {
  login.broken = true;
  try {
    const { status, headers, reason, error } = await list("lost", token({}));
    assert.deepEqual([status, reason, headers.get("retry-after"), error.code], [503, "jwks", "30", -32603]);
    assert.equal((await list("lost", null)).status, 401);
    const asked = login.asked;
    assert.equal((await list("lost", token({}))).status, 503);
    assert.equal(login.asked, asked);
  } finally {
    login.broken = false;
  }
});

test("a subscription ends when its token expires", async () => {
  const { headers, ...sent } = request("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const short = token({ exp: { in: 2 } });
  const begun = Date.now();
  const stream = await fetch(`${workers.urls.brief}/mcp`, { ...sent, headers: { ...headers, ...bearer(short) } });
  assert.equal(stream.status, 200);
  assert.match(await stream.text(), /acknowledged/);
  assert.ok(Date.now() - begun < 10_000);
  assert.equal((await list("brief", short)).reason, "token_expired");
});

test("a client's token is shown to no upstream server unless the operator says so", async () => {
  for (const [name, expected] of [
    ["quiet", undefined],
    ["through", `Bearer ${token({ sub: "fixed", exp: 4_000_000_000, iat: 1 })}`],
  ]) {
    upstream.seen.length = 0;
    const shown = expected ?? `Bearer ${token({})}`;
    const [{ message }] = await ask(
      `${workers.urls[name]}/mcp`,
      "tools/call",
      { name: "echo" },
      { headers: { authorization: shown } },
    );
    assert.deepEqual(message.result?.content, [], JSON.stringify(message));
    const tokens = (called) =>
      upstream.seen
        .filter(({ method }) => (method === "tools/call") === called)
        .map(({ headers }) => headers.authorization);
    assert.deepEqual(tokens(true), [expected], name);
    assert.deepEqual(new Set(tokens(false)), new Set([undefined]), name);
  }
});
