// An authorization server of another project, `oidc-provider`, on 127.0.0.1: authorization codes with PKCE, dynamic
// registration and metadata documents of clients, rotated refresh tokens, client credentials, token exchange, revocation and
// introspection. Its access tokens are for the `resource` that was asked for.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { EXCHANGE, exchangeHandler } from "./authorization/exchange.mjs";
import { FAULTS } from "./authorization/faults.mjs";
import { signInAt } from "./authorization/sign-in.mjs";
import { adapterOf, quietly } from "./authorization/storage.mjs";

const DAY_S = 86_400;
/** Header that names the user of an automatic sign-in. */
const USER = "x-test-user";

async function makeKeys() {
  const keys = [];
  for (const alg of ["RS256", "ES256"]) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const marks = { kid: alg, alg, use: "sig" };
    keys.push({ alg, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), ...marks } });
  }
  return keys;
}

/** Signs the user in and grants everything, in the place of a page with forms. */
async function interact(provider, request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const user = request.headers[USER];
  if (!user) {
    const result = { error: "access_denied", error_description: "the user said no" };
    return provider.interactionFinished(request, response, result);
  }
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: user } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  return provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}

/**
 * Starts the server. `clients` are registered in advance. `scopes` are those that every resource has. `claims(sub)` returns
 * further claims of access tokens. `format` is `jwt` or `opaque`. `accessTtl` is in seconds. `documents` maps the addresses of metadata documents of clients to
 * their contents; those on loopback are fetched. `settings` are further settings of `oidc-provider`.
 */
export async function startAuthorizationServer({
  clients = [],
  scopes = ["read", "write"],
  claims = () => ({}),
  format = "jwt",
  accessTtl = 300,
  documents = {},
  settings = {},
  port = 0,
} = {}) {
  const { default: Provider } = await import("oidc-provider");
  const keys = await makeKeys();
  const log = [];
  const faults = {};
  let handle;
  const http = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const entry = { method: request.method, path: pathname };
    log.push(entry);
    response.on("close", () => {
      entry.status = response.statusCode;
    });
    const fault = faults[pathname.slice(1)];
    if (fault) return (FAULTS[fault] ?? fault)(request, response);
    try {
      await handle(request, response);
    } catch (error) {
      entry.error = error;
      if (!response.headersSent) response.writeHead(500).end();
    }
  });
  await once(http.listen(port, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${http.address().port}`;

  const resourceServer = (resource) => ({
    scope: scopes.join(" "),
    audience: resource,
    accessTokenTTL: accessTtl,
    accessTokenFormat: format,
    jwt: { sign: { alg: "ES256" } },
  });
  const configuration = {
    adapter: adapterOf(),
    clients,
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: ["openid", "offline_access", ...scopes],
    claims: { openid: ["sub"], profile: ["name"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: id }) }),
    extraTokenClaims: (_, token) => claims(token.accountId ?? token.clientId),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    fetch: async (url, options) => (documents[url] ? Response.json(documents[url]) : fetch(url, options)),
    ttl: {
      AccessToken: accessTtl,
      AuthorizationCode: 60,
      ClientCredentials: accessTtl,
      Grant: DAY_S,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: DAY_S,
      Session: DAY_S,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => client.clientId === token.clientId },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => resourceServer(resource),
        useGrantedResource: () => true,
        defaultResource: () => undefined,
      },
    },
    ...settings,
  };
  const { privateKey, publicKey } = keys[1];
  const provider = quietly(() => new Provider(issuer, configuration));
  provider.registerGrantType(EXCHANGE, ...exchangeHandler(provider, { resourceServer, publicKey, issuer }));
  provider.on("server_error", (_, error) => console.error(error));
  const callback = quietly(() => provider.callback());
  handle = (request, response) =>
    request.url.startsWith("/interaction/") ? interact(provider, request, response) : callback(request, response);

  return {
    issuer,
    provider,
    /** The requests, as `{method, path, status}`. */
    log,
    /** Maps an endpoint, such as `token`, to the name of a fault or to a function that answers instead. */
    faults,
    /** The public keys, for servers that verify tokens. */
    keys: keys.map(({ publicKey: key, alg }) => ({ key, kid: alg })),
    /** Follows the sign-in at `url` as a browser of `user` would, and returns the address that it ends at without visiting it. */
    signIn: (url, { user = "alice", deny = false } = {}) => signInAt(url, issuer, deny ? {} : { [USER]: user }),
    /** Issues an access token directly. */
    token: ({ sub = "alice", audience, expiresIn = accessTtl, ...others }) =>
      new SignJWT({ client_id: "test", ...claims(sub), ...others })
        .setProtectedHeader({ alg: "ES256", kid: "ES256", typ: "at+jwt" })
        .setIssuer(issuer)
        .setSubject(sub)
        .setAudience(audience)
        .setIssuedAt()
        .setJti(randomBytes(8).toString("hex"))
        .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn)
        .sign(privateKey),
    /** Verifies an access token that this server issued for `audience`, and returns its claims. */
    verify: async (token, audience) => {
      if (token.includes(".")) return (await jwtVerify(token, publicKey, { issuer, audience })).payload;
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (found?.aud !== audience) throw new Error("not a token for this audience");
      const { accountId, clientId, scope, exp } = found;
      return { iss: issuer, sub: accountId ?? clientId, client_id: clientId, scope, exp, aud: audience };
    },
    stop: () =>
      new Promise((done) => {
        http.close(done);
        http.closeAllConnections();
      }),
  };
}
