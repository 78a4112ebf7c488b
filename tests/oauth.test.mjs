// The sign-in to upstream servers beside an authorization server of another project, `oidc-provider`, and servers of the
// official SDK that demand its tokens.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair } from "jose";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { codeOf } from "./support/authorization/refused.mjs";
import { startRoutes } from "./support/authorization/routes.mjs";
import { loadOauth } from "./support/oauth.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";

const REDIRECT = "http://127.0.0.1:8799/connect/tracker/callback";
const DOCUMENT = "https://gateway.example/connect/client.json";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const SECRET = "a-secret-of-the-test-client";
const RESOURCE = "https://tracker.example/mcp";
/** Clients without a browser. */
const machine = (client_id, others) => ({
  client_id,
  grant_types: ["client_credentials", EXCHANGE],
  redirect_uris: [],
  response_types: [],
  ...others,
});

const oauth = await loadOauth();
const keys = {};
let authorization;
let server;
before(async () => {
  for (const alg of ["ES256", "RS256", "Ed25519"]) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys[alg] = {
      private: { ...(await exportJWK(privateKey)), kid: alg },
      public: { ...(await exportJWK(publicKey)), kid: alg },
    };
  }
  authorization = await startAuthorizationServer({
    clients: [
      machine("basic", { client_secret: SECRET, token_endpoint_auth_method: "client_secret_basic" }),
      machine("post", { client_secret: SECRET, token_endpoint_auth_method: "client_secret_post" }),
      machine("odd: id%", { client_secret: "p%20:& +secret", token_endpoint_auth_method: "client_secret_basic" }),
      ...Object.keys(keys).map((alg) =>
        machine(alg, {
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: alg,
          jwks: { keys: [keys[alg].public] },
        }),
      ),
    ],
    documents: {
      [DOCUMENT]: oauth.clientDocument({
        origin: "https://gateway.example",
        name: "Sieve",
        redirectUris: ["https://gateway.example/connect/tracker/callback"],
      }),
    },
  });
  server = await startProtectedServer({ authorization });
});
after(() => Promise.all([authorization.stop(), server.stop()]));

/** Signs a user in and returns everything on the way. */
async function signIn({ user = "alice", login, redirectUri = REDIRECT, document, scopes } = {}) {
  const found = await oauth.discover({ url: server.url });
  const client = await oauth.register({ server: found.server, redirectUri, name: "Sieve", document });
  const common = { server: found.server, client, redirectUri, resource: found.resource, state: `state-of-${user}` };
  const begun = await oauth.begin({ ...common, scopes: scopes ?? found.scopes, login });
  const callback = await authorization.signIn(begun.url, { user });
  const finishing = { ...common, ...begun, callback };
  return { found, client, begun, callback, finishing, tokens: await oauth.finish(finishing) };
}
const claimsOf = (tokens) => authorization.verify(tokens.access, server.url);

describe("sign-in of a user", () => {
  test("a user signs in, and the token is for that server and user", async () => {
    const { found, tokens, begun, callback } = await signIn({ user: "alice" });
    assert.deepEqual([found.resource, found.issuer, found.scopes], [server.url, authorization.issuer, ["read"]]);
    const url = new URL(begun.url);
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.ok(begun.verifier.length >= 43 && !begun.url.includes(begun.verifier));
    assert.ok(callback.startsWith(`${REDIRECT}?`));
    const { sub, scope, aud } = await claimsOf(tokens);
    assert.deepEqual([sub, scope, aud], ["alice", "read", server.url]);
    assert.deepEqual([tokens.expiresIn, tokens.scope, tokens.claims], [300, "read", undefined]);
    assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(tokens))).sort(), [
      "access",
      "expiresIn",
      "refresh",
      "scope",
    ]);
  });

  test("each user gets a token of their own", async () => {
    const [alice, bob] = await Promise.all([signIn({ user: "alice" }), signIn({ user: "bob" })]);
    assert.deepEqual([(await claimsOf(alice.tokens)).sub, (await claimsOf(bob.tokens)).sub], ["alice", "bob"]);
  });

  test("a login identifies the user by a verified ID token", async () => {
    const { tokens, begun, client } = await signIn({ user: "carol", login: true });
    const { sub, iss, aud, nonce } = tokens.claims;
    assert.deepEqual([sub, iss, aud, nonce], ["carol", authorization.issuer, client.id, begun.nonce]);
    assert.match(new URL(begun.url).searchParams.get("scope"), /^openid /);
  });

  test("the client is a metadata document, if the server supports it", async () => {
    const redirectUri = "https://gateway.example/connect/tracker/callback";
    const { client, tokens } = await signIn({ document: DOCUMENT, redirectUri });
    assert.deepEqual(client, { id: DOCUMENT, method: "none", document: true });
    assert.equal((await claimsOf(tokens)).client_id, DOCUMENT);
  });

  test("a document on this machine is for servers on this machine only", async () => {
    const gateway = await startRoutes();
    try {
      const redirectUri = `${gateway.origin}/connect/tracker/callback`;
      const document = `${gateway.origin}/connect/client.json`;
      const input = { origin: gateway.origin, name: "Sieve", redirectUris: [redirectUri] };
      gateway.routes["/connect/client.json"] = oauth.clientDocument(input);
      const { client, tokens } = await signIn({ document, redirectUri });
      assert.deepEqual(client, { id: document, method: "none", document: true });
      assert.equal((await claimsOf(tokens)).client_id, document);
      const remote = { issuer: "https://as.example", client_id_metadata_document_supported: true };
      const work = () => oauth.register({ server: remote, redirectUri, document, name: "Sieve" });
      assert.equal(await codeOf(work), "sign_in_registration");
    } finally {
      await gateway.stop();
    }
  });

  test("a user who says no is reported as that", async () => {
    const { found, client } = await signIn();
    const common = { server: found.server, client, redirectUri: REDIRECT, state: "state-of-dora" };
    const begun = await oauth.begin({ ...common, scopes: ["read"] });
    const callback = await authorization.signIn(begun.url, { deny: true });
    assert.equal(await codeOf(() => oauth.finish({ ...common, ...begun, callback })), "sign_in_denied");
  });

  test("a scope that the server does not know is not granted", async () => {
    const { found, client } = await signIn();
    const common = {
      server: found.server,
      client,
      redirectUri: REDIRECT,
      resource: server.url,
      state: "state-of-emil",
    };
    const begun = await oauth.begin({ ...common, scopes: ["launch:rockets"] });
    const callback = await authorization.signIn(begun.url);
    assert.equal((await oauth.finish({ ...common, ...begun, callback })).scope ?? "", "");
  });
});

describe("the server that demands tokens", () => {
  const ask = (method, token, params) =>
    fetch(server.url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });

  test("each user sees tools of their own, and the log says who called what", async () => {
    server.log.length = 0;
    for (const user of ["kim", "lea"]) {
      const { tokens } = await signIn({ user });
      const lists = await (await ask("tools/list", tokens.access)).text();
      assert.deepEqual(lists.match(/notes_of_\w+/g), [`notes_of_${user}`]);
      const result = await (await ask("tools/call", tokens.access, { name: "whoami", arguments: {} })).text();
      assert.match(result, new RegExp(`whoami for ${user}`));
    }
    const called = (sub) => [
      { sub, method: "tools/list" },
      { sub, method: "tools/call", name: "whoami", arguments: {} },
    ];
    assert.deepEqual(server.log, [...called("kim"), ...called("lea")]);
  });

  test("a token that is missing, expired, revoked or for others gets a challenge that leads to a sign-in", async (t) => {
    const { tokens } = await signIn({ user: "max" });
    const others = [
      undefined,
      "nonsense",
      await authorization.token({ sub: "max", audience: RESOURCE }),
      await authorization.token({ sub: "max", audience: server.url, expiresIn: -10 }),
    ];
    server.state.refused = ({ sub }) => sub === "max";
    t.after(() => {
      server.state.refused = undefined;
    });
    for (const token of [...others, tokens.access]) {
      const response = await ask("tools/list", token);
      assert.equal(response.status, 401);
      const challenge = response.headers.get("www-authenticate");
      assert.equal((await oauth.discover({ url: server.url, challenge })).issuer, authorization.issuer);
    }
  });
});

describe("refresh and revocation", () => {
  test("a refresh rotates the refresh token, and a used one ends the sign-in", async () => {
    const { found, client, tokens } = await signIn({ user: "frida" });
    const common = { server: found.server, client, resource: found.resource };
    const second = await oauth.refresh({ ...common, refresh: tokens.refresh });
    assert.equal((await claimsOf(second)).sub, "frida");
    assert.notEqual(second.refresh, tokens.refresh);
    const secrets = [tokens.refresh, second.refresh, tokens.access];
    const again = () => oauth.refresh({ ...common, refresh: tokens.refresh });
    assert.equal(await codeOf(again, secrets), "sign_in_expired");
    // The server ends all tokens of a grant whose refresh token was used twice.
    assert.equal(await codeOf(() => oauth.refresh({ ...common, refresh: second.refresh }), secrets), "sign_in_expired");
  });

  test("a revoked refresh token ends the sign-in", async () => {
    const { found, client, tokens } = await signIn();
    const common = { server: found.server, client };
    assert.deepEqual(await oauth.revoke({ ...common, token: tokens.refresh, hint: "refresh_token" }), {});
    const work = () => oauth.refresh({ ...common, refresh: tokens.refresh });
    assert.equal(await codeOf(work, [tokens.refresh]), "sign_in_expired");
    // An unknown token is no failure (RFC 7009).
    assert.deepEqual(await oauth.revoke({ ...common, token: "unknown-token" }), {});
  });

  test("a server that revokes nothing is not asked", async () => {
    const { found, client, tokens } = await signIn();
    const { revocation_endpoint: _, ...rest } = found.server;
    const before = authorization.log.length;
    assert.deepEqual(await oauth.revoke({ server: rest, client, token: tokens.refresh, hint: "refresh_token" }), {});
    assert.equal(authorization.log.length, before);
  });

  test("a code works once", async () => {
    const { finishing, tokens } = await signIn({ user: "gerd" });
    const code = new URL(finishing.callback).searchParams.get("code");
    const secrets = [code, finishing.verifier, tokens.access, tokens.refresh];
    assert.equal(await codeOf(() => oauth.finish(finishing), secrets), "sign_in_code");
  });

  test("a code needs its verifier", async () => {
    const { found, client } = await signIn();
    const common = {
      server: found.server,
      client,
      redirectUri: REDIRECT,
      resource: server.url,
      state: "state-of-hans",
    };
    const begun = await oauth.begin({ ...common, scopes: ["read"] });
    const other = await oauth.begin({ ...common, scopes: ["read"] });
    const callback = await authorization.signIn(begun.url);
    const secrets = [begun.verifier, other.verifier, new URL(callback).searchParams.get("code")];
    const work = () => oauth.finish({ ...common, ...begun, verifier: other.verifier, callback });
    assert.equal(await codeOf(work, secrets), "sign_in_code");
  });
});

describe("tokens without a browser", () => {
  const found = () => oauth.discover({ url: server.url });

  for (const id of ["basic", "post"])
    test(`client credentials with a secret: ${id}`, async () => {
      const client = { id, secret: SECRET, method: `client_secret_${id}` };
      const tokens = await oauth.clientCredentials({ ...(await found()), client, scopes: ["write"] });
      const { sub, scope, aud } = await claimsOf(tokens);
      assert.deepEqual([sub, scope, aud, tokens.refresh], [id, "write", server.url, undefined]);
      const wrong = { ...client, secret: `${SECRET}-wrong` };
      const work = async () => oauth.clientCredentials({ ...(await found()), client: wrong });
      assert.equal(await codeOf(work, [SECRET]), "sign_in_client");
    });

  test("a secret with characters that forms encode", async () => {
    const client = { id: "odd: id%", secret: "p%20:& +secret" };
    const tokens = await oauth.clientCredentials({ ...(await found()), client, scopes: ["read"] });
    assert.equal((await claimsOf(tokens)).sub, client.id);
  });

  for (const alg of ["ES256", "RS256", "Ed25519"])
    test(`client credentials with a signed assertion: ${alg}`, async () => {
      const client = { id: alg, key: keys[alg].private };
      const tokens = await oauth.clientCredentials({ ...(await found()), client, scopes: ["read"] });
      assert.equal((await claimsOf(tokens)).sub, alg);
      const other = alg === "ES256" ? "RS256" : "ES256";
      const work = async () =>
        oauth.clientCredentials({ ...(await found()), client: { id: alg, key: keys[other].private } });
      const secrets = [keys[other].private.d, keys[alg].private.d];
      assert.equal(await codeOf(work, secrets), "sign_in_client");
    });

  test("a key that cannot sign is reported without it", async () => {
    const bad = [
      keys.ES256.public,
      { ...keys.ES256.private, d: "AAAA" },
      { kty: "oct", k: "c2VjcmV0LWtleQ" },
      { kty: "EC" },
      {},
      { kty: "toString" },
    ];
    for (const key of bad) {
      const work = async () => oauth.clientCredentials({ ...(await found()), client: { id: "ES256", key } });
      assert.equal(await codeOf(work, ["c2VjcmV0LWtleQ"]), "sign_in_client", JSON.stringify(key));
    }
  });

  test("a caller's token is exchanged for one of the server", async () => {
    const client = { id: "basic", secret: SECRET };
    const subject = await authorization.token({ sub: "ida", audience: "https://gateway.example/mcp" });
    const tokens = await oauth.exchange({ ...(await found()), client, subject, scopes: ["read"] });
    const { sub, aud, scope } = await claimsOf(tokens);
    assert.deepEqual([sub, aud, scope], ["ida", server.url, "read"]);
    const other = await oauth.exchange({ server: (await found()).server, client, subject, audience: RESOURCE });
    assert.equal((await authorization.verify(other.access, RESOURCE)).sub, "ida");
  });

  test("an expired or changed token is not exchanged", async () => {
    const client = { id: "basic", secret: SECRET };
    const good = await authorization.token({ sub: "ida", audience: "https://gateway.example/mcp" });
    const expired = await authorization.token({ sub: "ida", audience: "https://gateway.example/mcp", expiresIn: -60 });
    for (const subject of [expired, `${good.slice(0, -4)}AAAA`, "nonsense-token"]) {
      const work = async () => oauth.exchange({ ...(await found()), client, subject });
      assert.equal(await codeOf(work, [subject, SECRET]), "sign_in_denied");
    }
  });
});

test("opaque tokens are for one server too", async () => {
  const clients = [machine("basic", { client_secret: SECRET, token_endpoint_auth_method: "client_secret_basic" })];
  const opaque = await startAuthorizationServer({ clients, format: "opaque" });
  const own = await startProtectedServer({ authorization: opaque });
  try {
    const found = await oauth.discover({ url: own.url });
    const tokens = await oauth.clientCredentials({
      ...found,
      client: { id: "basic", secret: SECRET },
      scopes: ["read"],
    });
    assert.equal((await opaque.verify(tokens.access, own.url)).sub, "basic");
    await assert.rejects(opaque.verify(tokens.access, RESOURCE));
    const headers = { authorization: `Basic ${Buffer.from(`basic:${SECRET}`).toString("base64")}` };
    const body = new URLSearchParams({ token: tokens.access });
    const response = await fetch(`${opaque.issuer}/token/introspection`, { method: "POST", headers, body });
    const { active, aud, client_id } = await response.json();
    assert.deepEqual([active, aud, client_id], [true, own.url, "basic"]);
  } finally {
    await Promise.all([opaque.stop(), own.stop()]);
  }
});

test("the client metadata document says who the gateway is", () => {
  const input = {
    origin: "https://gateway.example",
    name: "Sieve",
    redirectUris: ["https://gateway.example/connect/a/callback"],
  };
  assert.deepEqual(oauth.clientDocument(input), {
    client_id: DOCUMENT,
    client_uri: "https://gateway.example",
    client_name: "Sieve",
    redirect_uris: ["https://gateway.example/connect/a/callback"],
    response_types: ["code"],
    application_type: "web",
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
});

test("the bundle keeps the license of the library", () => {
  const root = new URL("../", import.meta.url);
  const license = readFileSync(new URL("scripts/node_modules/oauth4webapi/LICENSE.md", root), "utf8").trim();
  const { version } = JSON.parse(readFileSync(new URL("scripts/node_modules/oauth4webapi/package.json", root), "utf8"));
  for (const file of ["worker/oauth/library.js", "pkg/dist/oauth.js"]) {
    const text = readFileSync(new URL(file, root), "utf8");
    assert.ok(text.includes(license) && text.includes(`oauth4webapi ${version}`), file);
  }
});
