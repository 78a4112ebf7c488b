// What the sign-in refuses: callbacks of others, faulty and hostile token endpoints, and ID tokens that belong to another
// sign-in. Each has a code of its own, and no failure shows a secret.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { makeKey, makeToken } from "./support/authorization.mjs";
import { FAULTS } from "./support/authorization/faults.mjs";
import { codeOf } from "./support/authorization/refused.mjs";
import { metadataOf, startRoutes } from "./support/authorization/routes.mjs";
import { loadOauth } from "./support/oauth.mjs";

const REDIRECT = "http://127.0.0.1:8799/connect/tracker/callback";
const RESOURCE = "https://tracker.example/mcp";
const CODE = "the-authorization-code";
const SECRETS = {
  access: "the-access-token",
  refresh: "the-refresh-token",
  subject: "the-subject-token",
  secret: "the-client-secret",
};

const oauth = await loadOauth();
const key = makeKey("ec");
let as;
let server;
before(async () => {
  as = await startRoutes({ "/keys": { keys: [key.jwk] } });
  server = metadataOf(as.origin, {
    registration_endpoint: `${as.origin}/register`,
    revocation_endpoint: `${as.origin}/revoke`,
    id_token_signing_alg_values_supported: ["ES256"],
  });
});
after(() => as.stop());

const client = { id: "the-client", secret: SECRETS.secret, method: "client_secret_post" };
/** Begins a sign-in, and returns what finishes it together with all its secrets. */
async function begun({ login, state = "the-state-of-this-browser", changes } = {}) {
  const common = { server: { ...server, ...changes }, client, redirectUri: REDIRECT, resource: RESOURCE, state };
  const { verifier, nonce } = await oauth.begin({ ...common, login });
  const callback = `${REDIRECT}?code=${CODE}&state=${state}`;
  return { ...common, verifier, nonce, callback, secrets: [verifier, CODE, ...Object.values(SECRETS)] };
}
const finishing = ({ secrets, ...input }, changes) => codeOf(() => oauth.finish({ ...input, ...changes }), secrets);
const json =
  (body, status = 200) =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const tokens = { access_token: SECRETS.access, token_type: "Bearer", refresh_token: SECRETS.refresh, expires_in: 60 };

describe("callbacks", () => {
  /** Returns the code for a callback with other parameters, and whether anything was sent. */
  async function codeFor(query, changes) {
    as.requests.length = 0;
    const input = await begun({ changes });
    const code = await finishing(input, { callback: query === undefined ? "" : `${REDIRECT}?${query}` });
    assert.deepEqual(as.requests, [], "a refused callback sends nothing");
    return code;
  }
  const state = "state=the-state-of-this-browser";

  test("with another state, or none", async () => {
    for (const query of [
      `code=${CODE}`,
      `code=${CODE}&state=`,
      `code=${CODE}&state=the-state-of-another`,
      `code=${CODE}&state=THE-STATE-OF-THIS-BROWSER`,
      `code=${CODE}&${state}x`,
      `code=${CODE}&${state}&${state}`,
      `code=${CODE}&state=x&${state}`,
      `error=access_denied&state=the-state-of-another`,
      `x=${"x".repeat(20_000)}&code=${CODE}&${state}`,
      undefined,
    ])
      assert.equal(await codeFor(query), "sign_in_state", query?.slice(0, 80));
  });

  test("an empty state matches nothing", async () => {
    const { secrets: _, ...input } = await begun({ state: "" });
    for (const callback of [input.callback, `${REDIRECT}?code=${CODE}`])
      assert.equal(await codeOf(() => oauth.finish({ ...input, callback })), "sign_in_state");
  });

  test("from another issuer", async () => {
    const iss = encodeURIComponent("https://bank.example");
    const supported = { authorization_response_iss_parameter_supported: true };
    for (const changes of [{}, supported]) {
      for (const query of [
        `code=${CODE}&${state}&iss=${iss}`,
        `code=${CODE}&${state}&iss=`,
        `code=${CODE}&${state}&iss=${encodeURIComponent(`${as.origin}/`)}`,
        `error=access_denied&${state}&iss=${iss}`,
      ])
        assert.equal(await codeFor(query, changes), "sign_in_issuer", query);
    }
    assert.equal(await codeFor(`code=${CODE}&${state}`, supported), "sign_in_issuer");
  });

  test("with an error of the server", async () => {
    const codes = {
      access_denied: "sign_in_denied",
      login_required: "sign_in_denied",
      invalid_request: "sign_in_denied",
      [`x-${CODE}`]: "sign_in_denied",
      constructor: "sign_in_denied",
      invalid_scope: "sign_in_scope",
      unauthorized_client: "sign_in_client",
      server_error: "sign_in_server",
      temporarily_unavailable: "sign_in_server",
    };
    for (const [error, code] of Object.entries(codes)) {
      assert.equal(await codeFor(`error=${error}&error_description=${CODE}&${state}`), code);
      assert.equal(await codeFor(`error=${error}&code=${CODE}&${state}`), code, "an error beside a code");
    }
  });

  test("without a code, with two, or of another flow", async () => {
    for (const query of [
      state,
      `code=&${state}`,
      `code=${CODE}&code=other&${state}`,
      `code=${CODE}&${state}&iss=a&iss=b`,
      `code=${CODE}&${state}&response=a.b.c`,
      `code=${CODE}&${state}&id_token=a.b.c`,
      `code=${CODE}&${state}&token=abc`,
    ])
      assert.equal(await codeFor(query), "sign_in_denied", query);
  });
});

/** Each request for tokens, its secrets, and its code for a refused grant. */
const REQUESTS = {
  finish: { grant: "sign_in_code", begin: begun },
  refresh: { grant: "sign_in_expired", begin: () => ({ server, client, refresh: SECRETS.refresh }) },
  clientCredentials: { grant: "sign_in_client", begin: () => ({ server, client }) },
  exchange: { grant: "sign_in_denied", begin: () => ({ server, client, subject: SECRETS.subject }) },
};

describe("token endpoints", { concurrency: true }, () => {
  /** Returns the code of a request to a server of its own, whose token endpoint is `route`. */
  async function codeWith(name, route) {
    const own = await startRoutes({ "/token": route });
    try {
      const { secrets = [], ...input } = await REQUESTS[name].begin();
      const work = () => oauth[name]({ ...input, server: { ...input.server, token_endpoint: `${own.origin}/token` } });
      const code = await codeOf(work, [...secrets, ...Object.values(SECRETS)]);
      assert.equal(own.requests.length, 1, "nothing is sent twice");
      assert.equal(own.requests[0].headers["user-agent"], "mcp-sieve");
      return code;
    } finally {
      await own.stop();
    }
  }
  const echo = Object.values(SECRETS).join(" ");

  for (const [name, { grant }] of Object.entries(REQUESTS)) {
    for (const fault of ["hang", "stall"])
      test(`${name}: ${fault}: sign_in_timeout`, async () => {
        const begin = Date.now();
        assert.equal(await codeWith(name, FAULTS[fault]), "sign_in_timeout");
        assert.ok(Date.now() - begin < 12_000);
      });
    const responses = {
      html: [FAULTS.html, "sign_in_token"],
      empty: [FAULTS.empty, "sign_in_token"],
      list: [FAULTS.list, "sign_in_token"],
      "no JSON": [(_, response) => response.end(`{"access_token":"${SECRETS.access}`), "sign_in_token"],
      "another type of token": [FAULTS.type, "sign_in_token"],
      "a token for DPoP": [json({ ...tokens, token_type: "DPoP" }), "sign_in_token"],
      "no type of token": [FAULTS.untyped, "sign_in_token"],
      "a large response": [FAULTS.large, "sign_in_token"],
      "a long token": [FAULTS.long, "sign_in_token"],
      "a token with line breaks": [FAULTS.split, "sign_in_token"],
      "a token that is no text": [json({ ...tokens, access_token: { a: 1 } }), "sign_in_token"],
      "a refresh token with line breaks": [json({ ...tokens, refresh_token: "a\nb" }), "sign_in_token"],
      "no access token": [json({ token_type: "Bearer" }), "sign_in_token"],
      "an expiry that is no number": [json({ ...tokens, expires_in: "soon" }), "sign_in_token"],
      "a negative expiry": [json({ ...tokens, expires_in: -1 }), "sign_in_token"],
      "a scope that is no text": [json({ ...tokens, scope: ["a"] }), "sign_in_token"],
      "the status 201": [json(tokens, 201), "sign_in_token"],
      "the status 204": [(_, response) => response.writeHead(204).end(), "sign_in_token"],
      "the status 404": [(_, response) => response.writeHead(404).end(echo), "sign_in_token"],
      "an error with unknown code": [json({ error: echo, error_description: echo }, 400), "sign_in_token"],
      "a redirect": [FAULTS.redirect, "sign_in_address"],
      "the status 503": [FAULTS.down, "sign_in_server"],
      "the status 503 with an error": [json({ error: "invalid_grant" }, 503), "sign_in_server"],
      "the status 429": [json({ error: "slow_down" }, 429), "sign_in_server"],
      "a connection that ends": [FAULTS.drop, "sign_in_server"],
      server_error: [json({ error: "server_error" }, 400), "sign_in_server"],
      invalid_grant: [json({ error: "invalid_grant", error_description: echo }, 400), grant],
      "a refused grant with the status 200": [FAULTS.github, grant],
      invalid_scope: [FAULTS.scope, "sign_in_scope"],
      invalid_target: [FAULTS.target, "sign_in_denied"],
      access_denied: [json({ error: "access_denied" }, 400), "sign_in_denied"],
      unauthorized_client: [json({ error: "unauthorized_client" }, 400), "sign_in_client"],
      unsupported_grant_type: [json({ error: "unsupported_grant_type" }, 400), "sign_in_client"],
      invalid_client: [json({ error: "invalid_client", error_description: echo }, 401), "sign_in_client"],
      "a challenge": [
        (_, response) => response.writeHead(401, { "www-authenticate": `Basic realm="${echo}"` }).end(),
        "sign_in_client",
      ],
    };
    test(`${name}: faulty responses`, async () => {
      for (const [what, [route, code]] of Object.entries(responses))
        assert.equal(await codeWith(name, route), code, what);
    });
  }

  test("an exchanged token of another kind", async () => {
    const kind = "urn:ietf:params:oauth:token-type:refresh_token";
    assert.equal(await codeWith("exchange", json({ ...tokens, issued_token_type: kind })), "sign_in_token");
    assert.equal(await codeWith("exchange", json({ ...tokens, token_type: "N_A" })), "sign_in_token");
    assert.equal(await codeWith("exchange", json({ error: "invalid_request" }, 400)), "sign_in_denied");
  });

  test("a valid response of many forms is accepted", async () => {
    const forms = [
      [tokens, { access: SECRETS.access, refresh: SECRETS.refresh, expiresIn: 60 }],
      [{ access_token: "a", token_type: "bearer" }, { access: "a" }],
      [
        { access_token: "a", token_type: "BEARER", expires_in: "60", scope: "" },
        { access: "a", expiresIn: 60, scope: "" },
      ],
      [
        { access_token: "a", token_type: "Bearer", expires_in: 1e12 },
        { access: "a", expiresIn: 31_536_000 },
      ],
      [
        { access_token: "a", token_type: "Bearer", expires_in: 1.9, id_token: "not looked at" },
        { access: "a", expiresIn: 1 },
      ],
    ];
    const own = await startRoutes();
    try {
      for (const [response, expected] of forms) {
        own.routes["/token"] = response;
        const found = await oauth.refresh({
          server: { ...server, token_endpoint: `${own.origin}/token` },
          client,
          refresh: SECRETS.refresh,
        });
        assert.deepEqual(found, expected);
      }
    } finally {
      await own.stop();
    }
  });

  test("a client without what its method needs", async () => {
    for (const method of [
      "client_secret_basic",
      "client_secret_post",
      "private_key_jwt",
      "tls_client_auth",
      "constructor",
    ]) {
      const work = () => oauth.clientCredentials({ server, client: { id: "the-client", method } });
      assert.equal(await codeOf(work), "sign_in_client", method);
    }
  });
});

describe("ID tokens", () => {
  /** Returns the code of a login with an ID token with changed claims and header, signed by `by`. */
  async function codeFor(claims, { by = key, header, changed = {} } = {}) {
    const input = await begun({ login: true });
    const token = makeToken(
      by,
      { iss: as.origin, sub: "alice", aud: client.id, nonce: input.nonce, ...claims },
      header,
    );
    as.routes["/token"] = { ...tokens, id_token: token, ...changed };
    return finishing({ ...input, secrets: [...input.secrets, token, input.nonce] });
  }
  const now = (seconds) => ({ in: seconds });

  test("one of now is accepted, and of a clock a minute off", async () => {
    for (const iat of [0, -55, 55]) {
      const input = await begun({ login: true });
      const claims = {
        iss: as.origin,
        sub: "alice",
        aud: client.id,
        nonce: input.nonce,
        iat: now(iat),
        exp: now(iat + 300),
      };
      as.routes["/token"] = { ...tokens, id_token: makeToken(key, claims) };
      assert.equal((await oauth.finish(input)).claims.sub, "alice");
    }
  });

  test("one of a clock five minutes off is refused", async () => {
    for (const off of [-300, 300, -70, 70]) {
      assert.equal(await codeFor({ iat: now(off), exp: now(off + 300) }), "sign_in_clock", `${off}`);
      assert.equal(await codeFor({ iat: now(off), exp: now(off + 3600) }), "sign_in_clock", `${off}`);
    }
    assert.equal(await codeFor({ iat: now(-300), exp: now(-70) }), "sign_in_clock");
    assert.equal(await codeFor({ nbf: now(300) }), "sign_in_clock");
  });

  test("one of another issuer or sign-in is refused", async () => {
    assert.equal(await codeFor({ iss: "https://bank.example" }), "sign_in_issuer");
    assert.equal(await codeFor({ nonce: "the-nonce-of-another" }), "sign_in_state");
    for (const claims of [
      { aud: "another-client" },
      { aud: [client.id, "another"] },
      { nonce: null },
      { sub: null },
      { exp: null },
      { iat: null },
      { iat: "now" },
    ])
      assert.equal(await codeFor(claims), "sign_in_token", JSON.stringify(claims));
  });

  test("one without a valid signature is refused", async () => {
    assert.equal(await codeFor({}, { by: makeKey("ec", key.kid) }), "sign_in_token");
    assert.equal(await codeFor({}, { by: makeKey("ec", "unknown") }), "sign_in_token");
    for (const alg of ["none", "HS256", "RS256", "ES384", 1])
      assert.equal(await codeFor({}, { header: { alg } }), "sign_in_token", `${alg}`);
    assert.equal(await codeFor({}, { header: { crit: ["x"], x: 1 } }), "sign_in_token");
    for (const id_token of ["", "a.b.c", "a.b", 1, undefined])
      assert.equal(await codeFor({}, { changed: { id_token } }), "sign_in_token", `${id_token}`);
  });

  test("keys that cannot be fetched are reported", async () => {
    const { "/keys": keys } = as.routes;
    try {
      for (const [route, code] of [
        [FAULTS.html, "sign_in_token"],
        [FAULTS.large, "sign_in_token"],
        [FAULTS.drop, "sign_in_server"],
        [FAULTS.redirect, "sign_in_token"],
        [{ keys: "none" }, "sign_in_token"],
      ]) {
        as.routes["/keys"] = route;
        assert.equal(await codeFor({}), code);
      }
    } finally {
      as.routes["/keys"] = keys;
    }
  });
});

describe("other endpoints", () => {
  test("PKCE by other methods only is refused", async () => {
    for (const methods of [["plain"], [], ["s256"]]) {
      const changes = { code_challenge_methods_supported: methods };
      assert.equal(await codeOf(() => begun({ changes })), "sign_in_pkce", `${methods}`);
    }
    const { url } = await oauth.begin({
      server: { ...server, code_challenge_methods_supported: undefined },
      client,
      redirectUri: REDIRECT,
      state: "state-of-test",
    });
    assert.equal(new URL(url).searchParams.get("code_challenge_method"), "S256");
  });

  test("parameters of the authorization endpoint stay, and ours replace those of the same name", async () => {
    const changes = {
      authorization_endpoint: `${as.origin}/authorize?tenant=1&state=fixed&redirect_uri=https://bank.example`,
    };
    const { url } = await oauth.begin({ ...(await begun({ changes })), server: { ...server, ...changes } });
    const { searchParams } = new URL(url);
    assert.deepEqual(searchParams.getAll("state"), ["the-state-of-this-browser"]);
    assert.deepEqual(searchParams.getAll("redirect_uri"), [REDIRECT]);
    assert.equal(searchParams.get("tenant"), "1");
  });

  test("registrations that fail", async () => {
    const input = { server, redirectUri: REDIRECT, name: "Sieve" };
    const cases = [
      [undefined, "sign_in_registration"],
      [FAULTS.html, "sign_in_registration"],
      [FAULTS.large, "sign_in_token"],
      [FAULTS.redirect, "sign_in_registration"],
      [FAULTS.drop, "sign_in_server"],
      [FAULTS.down, "sign_in_server"],
      [json({ error: "invalid_redirect_uri", error_description: SECRETS.secret }, 400), "sign_in_registration"],
      [json({ client_id: 1 }, 201), "sign_in_registration"],
      [json({ client_id: "" }, 201), "sign_in_registration"],
      [json(null, 201), "sign_in_registration"],
      [json({ client_id: "x".repeat(3000) }, 201), "sign_in_registration"],
      [json({ client_id: "a", token_endpoint_auth_method: "tls_client_auth" }, 201), "sign_in_registration"],
      [json({ client_id: "a", token_endpoint_auth_method: "client_secret_basic" }, 201), "sign_in_registration"],
    ];
    for (const [at, [route, code]] of cases.entries()) {
      as.routes["/register"] = route;
      assert.equal(await codeOf(() => oauth.register(input), Object.values(SECRETS)), code, `case ${at}`);
    }
    const { registration_endpoint: _, ...rest } = server;
    assert.equal(await codeOf(() => oauth.register({ ...input, server: rest })), "sign_in_registration");
  });

  test("registrations of many forms are accepted", async () => {
    const supported = (...methods) => ({ ...server, token_endpoint_auth_methods_supported: methods });
    const forms = [
      [supported("none"), { client_id: "a" }, { id: "a", method: "none" }],
      [
        supported("none"),
        { client_id: "a", client_secret: "s", client_secret_expires_at: 0 },
        { id: "a", secret: "s", method: "client_secret_basic" },
      ],
      [server, { client_id: "a", client_secret: "s" }, { id: "a", secret: "s", method: "client_secret_basic" }],
      [
        supported("client_secret_post"),
        { client_id: "a", client_secret: "s" },
        { id: "a", secret: "s", method: "client_secret_post" },
      ],
      [server, { client_id: "a", client_secret: "s", token_endpoint_auth_method: "none" }, { id: "a", method: "none" }],
    ];
    for (const [given, answer, expected] of forms) {
      for (const status of [200, 201]) {
        as.routes["/register"] = json(answer, status);
        assert.deepEqual(await oauth.register({ server: given, redirectUri: REDIRECT, name: "Sieve" }), expected);
      }
    }
    const sent = JSON.parse(as.requests.at(-1).body);
    assert.deepEqual([sent.redirect_uris, sent.application_type, sent.client_name], [[REDIRECT], "native", "Sieve"]);
  });

  test("revocations that fail", async () => {
    const input = { server, client, token: SECRETS.refresh, hint: "refresh_token" };
    for (const [route, code] of [
      [FAULTS.down, "sign_in_server"],
      [FAULTS.drop, "sign_in_server"],
      [FAULTS.redirect, "sign_in_address"],
      [json({ error: "invalid_client" }, 401), "sign_in_client"],
      [json({ error: "unsupported_token_type", error_description: SECRETS.refresh }, 400), "sign_in_token"],
    ]) {
      as.routes["/revoke"] = route;
      assert.equal(await codeOf(() => oauth.revoke(input), Object.values(SECRETS)), code);
    }
    for (const route of [FAULTS.empty, FAULTS.html, {}]) {
      as.routes["/revoke"] = route;
      assert.deepEqual(await oauth.revoke(input), {});
    }
  });
});

test("the page of errors lists every code", () => {
  const source = readFileSync(new URL("../worker/oauth/failure.js", import.meta.url), "utf8");
  const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
  const codes = [...new Set(source.match(/"sign_in_\w+"/g))].map((text) => text.slice(1, -1)).sort();
  const listed = [...page.matchAll(/^\| `(sign_in_\w+)` \|/gm)].map(([, code]) => code);
  assert.equal(codes.length, 15);
  assert.deepEqual(listed, codes);
});
