// The sign-in to upstream servers in workerd, where the Worker runs it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair } from "jose";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { FAULTS } from "./support/authorization/faults.mjs";
import { codeOf } from "./support/authorization/refused.mjs";
import { startRoutes } from "./support/authorization/routes.mjs";
import { startOauth } from "./support/oauth.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";

const REDIRECT = "http://127.0.0.1:8799/connect/tracker/callback";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const basic = { id: "basic", secret: "a-secret-of-the-test-client" };
const keys = {};
let authorization;
let server;
let worker;
before(async () => {
  const none = { grant_types: ["client_credentials", EXCHANGE], redirect_uris: [], response_types: [] };
  const clients = [{ ...none, client_id: basic.id, client_secret: basic.secret }];
  for (const alg of ["ES256", "RS256", "Ed25519"]) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys[alg] = await exportJWK(privateKey);
    clients.push({
      ...none,
      client_id: alg,
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: alg,
      jwks: { keys: [await exportJWK(publicKey)] },
    });
  }
  authorization = await startAuthorizationServer({ clients });
  server = await startProtectedServer({ authorization });
  worker = await startOauth();
});
after(() => Promise.all([authorization.stop(), server.stop(), worker.stop()]));

describe("sign-ins in workerd", { concurrency: true }, () => {
  test("every step works", async () => {
    const { oauth } = worker;
    const found = await oauth.discover({ url: server.url });
    const client = await oauth.register({ server: found.server, redirectUri: REDIRECT, name: "Sieve" });
    const common = {
      server: found.server,
      client,
      redirectUri: REDIRECT,
      resource: found.resource,
      state: "state-of-jana",
    };
    const begun = await oauth.begin({ ...common, scopes: found.scopes, login: true });
    const callback = await authorization.signIn(begun.url, { user: "jana" });
    const tokens = await oauth.finish({ ...common, ...begun, callback });
    const subOf = async ({ access }) => (await authorization.verify(access, server.url)).sub;
    assert.deepEqual([tokens.claims.sub, await subOf(tokens)], ["jana", "jana"]);
    const second = await oauth.refresh({ ...common, refresh: tokens.refresh });
    assert.equal(await subOf(second), "jana");
    assert.deepEqual(await oauth.revoke({ ...common, token: second.refresh, hint: "refresh_token" }), {});
    const again = () => oauth.refresh({ ...common, refresh: second.refresh });
    assert.equal(await codeOf(again, [second.refresh]), "sign_in_expired");
    for (const [alg, key] of Object.entries(keys)) {
      const own = await oauth.clientCredentials({ ...common, client: { id: alg, key }, scopes: ["read"] });
      assert.equal(await subOf(own), alg);
    }
    const subject = await authorization.token({ sub: "ida", audience: "https://gateway.example/mcp" });
    assert.equal(await subOf(await oauth.exchange({ ...common, client: basic, subject })), "ida");
  });

  const codes = {
    hang: "sign_in_timeout",
    stall: "sign_in_timeout",
    html: "sign_in_token",
    large: "sign_in_token",
    drop: "sign_in_server",
    redirect: "sign_in_address",
  };
  for (const [fault, code] of Object.entries(codes))
    test(`a token endpoint with the fault ${fault}: ${code}`, async () => {
      const own = await startRoutes({ "/token": FAULTS[fault] });
      const as = { issuer: authorization.issuer, token_endpoint: `${own.origin}/token` };
      const work = () => worker.oauth.clientCredentials({ server: as, client: basic });
      assert.equal(await codeOf(work, [basic.secret]).finally(own.stop), code);
    });
});
