// Callers of several issuers, in workerd: signed and opaque tokens, assertions of Cloudflare Access, proofs of keys, and the
// scope that a call lacks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeKey, makeProof, makeToken, startAuthorization, thumbprintOf } from "./support/authorization.mjs";
import { request } from "./support/raw-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const AUDIENCE = "https://mcp.example/mcp";
const TEAM = "https://team.cloudflareaccess.com";
const SECRET = "s3cr3t: %+";
const access = makeKey("rsa");
const now = () => Math.floor(Date.now() / 1000);

let signing;
let judging;
let upstream;
let workers;
let url;
before(async () => {
  [signing, judging] = await Promise.all([startAuthorization(), startAuthorization()]);
  upstream = await startStatelessServer({
    "tools/list": { tools: [plainTool("echo"), plainTool("write")] },
    "tools/call": { content: [] },
  });
  const auth = [
    { issuer: signing.issuer, audience: [AUDIENCE], jwks: `${signing.issuer}/keys`, scopes: ["mcp"] },
    {
      issuer: judging.issuer,
      audience: [AUDIENCE],
      introspection: { url: `${judging.issuer}/introspect` },
      client: { id: "the gateway", secret: "${JUDGE_SECRET}" },
    },
    { issuer: TEAM, audience: ["app"], jwks: { keys: [access.jwk] }, header: "Cf-Access-Jwt-Assertion" },
  ];
  const upstreams = [{ name: "echo", url: upstream.url }];
  const policies = [{ name: "writers", show: "-name:write", scope: "repo:write" }];
  workers = await startWorkers([
    {
      name: "several",
      config: { auth, upstreams, policies, log: true },
      env: { JUDGE_SECRET: SECRET },
      assets: "none",
    },
    { name: "unset", config: { auth, upstreams }, assets: "none" },
  ]);
  url = `${workers.urls.several}/mcp`;
});
after(async () => {
  await workers?.stop();
  await Promise.all([signing?.stop(), judging?.stop(), upstream?.stop()]);
});

async function send(headers, { name = "several", method = "tools/list", params } = {}) {
  const { headers: own, ...sent } = request(method, params);
  const response = await fetch(`${workers.urls[name]}/mcp`, { ...sent, headers: { ...own, ...headers } });
  const { result, error } = await response.json();
  const tools = result?.tools?.map((tool) => tool.name);
  return {
    status: response.status,
    reason: error?.data?.reason,
    challenge: response.headers.get("www-authenticate"),
    tools,
  };
}

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const signed = (claims = {}, options) => signing.token({ aud: AUDIENCE, scope: "mcp", ...claims }, options);
const opaque = (token, claims = {}) => {
  judging.opaque[token] = { aud: AUDIENCE, sub: "olga", exp: now() + 300, ...claims };
  return token;
};
const assertion = (claims = {}) =>
  makeToken(access, { iss: TEAM, aud: ["app"], sub: "ada", email: "a@b.c", ...claims });

test("each issuer has its keys or its endpoint, and the metadata names those that clients can ask", async () => {
  const document = await (await fetch(`${workers.urls.several}/.well-known/oauth-protected-resource/mcp`)).json();
  assert.deepEqual(document.authorization_servers, [signing.issuer, judging.issuer]);
  assert.deepEqual(document.scopes_supported, ["mcp"]);
  assert.deepEqual(document.dpop_signing_alg_values_supported, ["ES256", "ES384", "EdDSA", "PS256", "RS256"]);
  assert.equal((await send(bearer(signed()))).status, 200);
  assert.equal((await send(bearer(opaque("good-opaque")))).status, 200);
  assert.equal((await send(bearer(signed({ iss: "https://other.example" })))).reason, "token_issuer");
  // A token of one issuer is not judged by another.
  assert.equal((await send(bearer(judging.token({ aud: AUDIENCE })))).reason, "token_inactive");
  assert.equal((await send(bearer(signed({ scope: "" })))).reason, "token_scope");
});

test("an opaque token is judged once a minute, with the credentials of the client and in the body alone", async () => {
  opaque("judged once");
  const before = judging.judged.length;
  for (let round = 0; round < 3; round += 1) assert.equal((await send(bearer("judged once"))).status, 200);
  const credentials = Buffer.from(`the%20gateway:${encodeURIComponent(SECRET)}`).toString("base64");
  assert.deepEqual(judging.judged.slice(before), [
    {
      authorization: `Basic ${credentials}`,
      type: "application/x-www-form-urlencoded",
      token: "judged once",
      hint: "access_token",
    },
  ]);
  for (const [token, claims, reason] of [
    ["other-audience", { aud: "https://other.example" }, "token_audience"],
    ["other-issuer", { iss: signing.issuer }, "token_issuer"],
    ["over", { exp: now() - 300 }, "token_expired"],
    ["bound", { cnf: { jkt: "x" } }, "token_bound"],
  ])
    assert.equal((await send(bearer(opaque(token, claims)))).reason, reason);
  const unknown = judging.judged.length;
  for (let round = 0; round < 3; round += 1)
    assert.equal((await send(bearer("unknown-opaque"))).reason, "token_inactive");
  assert.equal(judging.judged.length, unknown + 1);
});

test("an endpoint that fails admits no one, and touches no other issuer", async () => {
  const failing = async (token) => {
    const { status, reason } = await send(bearer(opaque(token)));
    assert.deepEqual([status, reason], [503, "introspection"]);
    assert.equal((await send(bearer(signed()))).status, 200);
  };
  judging.broken = true;
  await failing("while-broken").finally(() => (judging.broken = false));
  judging.page = "<html>no</html>";
  await failing("while-html").finally(() => (judging.page = undefined));
  assert.equal((await send(bearer("while-html"))).status, 200);
  assert.deepEqual((await send(bearer(opaque("no-secret")), { name: "unset" })).reason, "introspection");
  const noted = /`\$\{JUDGE_SECRET\}` is no variable or secret here/;
  await until(() => noted.test(workers.log()), workers.log);
});

test("an assertion of Cloudflare Access decides, and leaves `Authorization` free", async () => {
  const shown = (token) => ({ "cf-access-jwt-assertion": token });
  assert.equal((await send(shown(assertion()))).status, 200);
  assert.equal((await send({ ...shown(assertion()), ...bearer("for a server") })).status, 200);
  for (const [token, reason] of [
    [assertion({ aud: ["other"] }), "token_audience"],
    [assertion({ sub: "" }), "token_subject"],
    [signed(), "token_issuer"],
    ["x", "token_malformed"],
  ]) {
    const { status, reason: found, challenge } = await send({ ...shown(token), ...bearer(signed()) });
    assert.deepEqual([status, found, challenge], [403, reason, null]);
  }
  assert.equal((await send(bearer(assertion()))).reason, "token_issuer");
});

for (const type of ["ec", "p384", "ed", "rsa", "pss"])
  test(`a token that is bound to a key needs a proof of it: ${type}`, async () => {
    const key = makeKey(type);
    const token = signed({ cnf: { jkt: thumbprintOf(key) } });
    const shown = (proof) => send({ authorization: `DPoP ${token}`, dpop: proof });
    const proof = makeProof(key, { url, token });
    assert.equal((await shown(proof)).status, 200);
    const again = await shown(proof);
    assert.deepEqual([again.status, again.reason], [401, "token_proof"]);
    assert.match(again.challenge, /, DPoP error="invalid_dpop_proof", algs="ES256 ES384 EdDSA PS256 RS256"$/);
    assert.equal((await shown(makeProof(key, { url, token }))).status, 200);
    for (const wrong of [
      makeProof(makeKey(type), { url, token }),
      makeProof(key, { url, token: "other" }),
      makeProof(key, { url: `${url}/support`, token }),
      makeProof(key, { url, token, method: "GET" }),
      makeProof(key, { url, token }, { iat: { in: -300 } }),
      makeProof(key, { url, token }, {}, { jwk: makeKey(type).jwk }),
      makeProof(key, { url, token }, {}, { typ: "JWT" }),
      makeProof(key, { url, token }, {}, { jwk: { ...key.jwk, ...key.privateKey.export({ format: "jwk" }) } }),
      "x",
    ])
      assert.equal((await shown(wrong)).reason, "token_proof");
    assert.equal((await send(bearer(token))).reason, "token_bound");
    assert.equal((await send({ ...bearer(token), dpop: makeProof(key, { url, token }) })).reason, "token_bound");
  });

test("a call that lacks a scope is refused with it", async () => {
  const call = (token) => send(bearer(token), { method: "tools/call", params: { name: "write", arguments: {} } });
  assert.deepEqual((await send(bearer(signed()))).tools, ["echo"]);
  const { status, reason, challenge } = await call(signed());
  assert.deepEqual([status, reason], [403, "token_scope"]);
  const metadata = `${workers.urls.several}/.well-known/oauth-protected-resource/mcp`;
  const expected = `Bearer error="insufficient_scope", scope="mcp repo:write", resource_metadata="${metadata}"`;
  assert.equal(challenge, expected);
  assert.equal((await call(signed({ scope: "mcp repo:write" }))).status, 200);
  assert.deepEqual((await send(bearer(signed({ scope: "mcp repo:write" })))).tools, ["echo", "write"]);
  // The issuer of an opaque token demands no scope of its own.
  assert.match((await call(opaque("reads"))).challenge, /error="insufficient_scope", scope="repo:write", /);
});

test("no log has a token, a proof or a secret", () => {
  const log = workers.log();
  assert.ok(log.includes('"enduser.id"'), "requests are logged");
  for (const secret of ["opaque", "judged once", "while-", SECRET, "eyJ", Buffer.from(SECRET).toString("base64")])
    assert.ok(!log.includes(secret), secret);
});
