// @ts-check
// The requests for tokens without a browser, and their revocation (RFC 7009).
import { authentication, clientOf } from "./client.js";
import { fail } from "./failure.js";
import * as oauth from "./library.js";
import { kept } from "./metadata.js";
import { requestTokens, tokensOf } from "./token-endpoint.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {import("./client.js").Client} Client */
/** @typedef {import("./token-endpoint.js").Tokens} Tokens */

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
/** Types of a token that can be sent as a bearer token. */
const ISSUED = [ACCESS_TOKEN, "urn:ietf:params:oauth:token-type:jwt"];

/**
 * Returns the parameters that have a value.
 * @type {(resource: string | undefined, scopes: string[] | undefined, others?: Record<string, string | undefined>) => Record<string, string>}
 */
function parametersOf(resource, scopes, others = {}) {
  const all = { resource, scope: scopes?.join(" "), ...others };
  return /** @type {Record<string, string>} */ (Object.fromEntries(Object.entries(all).filter(([, value]) => value)));
}

/**
 * Requests new tokens with a refresh token. If the server rotates refresh tokens, the old one is used up.
 * @type {(input: { server: Server, client: Client, resource?: string, refresh: string, scopes?: string[] }) => Promise<Tokens>}
 */
export async function refresh({ server: given, client, resource, refresh: token, scopes }) {
  const server = kept(given);
  const authenticated = await authentication(client, server);
  const additionalParameters = parametersOf(resource, scopes);
  return requestTokens({
    server,
    purpose: "refresh",
    send: (options) =>
      oauth.refreshTokenGrantRequest(server, clientOf(client), authenticated, token, {
        ...options,
        additionalParameters,
      }),
    read: async (response) => tokensOf(await oauth.processRefreshTokenResponse(server, clientOf(client), response)),
  });
}

/**
 * Requests a token for the client itself.
 * @type {(input: { server: Server, client: Client, resource?: string, scopes?: string[] }) => Promise<Tokens>}
 */
export async function clientCredentials({ server: given, client, resource, scopes }) {
  const server = kept(given);
  const authenticated = await authentication(client, server);
  return requestTokens({
    server,
    purpose: "credentials",
    send: (options) =>
      oauth.clientCredentialsGrantRequest(
        server,
        clientOf(client),
        authenticated,
        parametersOf(resource, scopes),
        options,
      ),
    read: async (response) =>
      tokensOf(await oauth.processClientCredentialsResponse(server, clientOf(client), response)),
  });
}

/**
 * Exchanges the access token `subject` of a caller for one of the server (RFC 8693).
 * @type {(input: { server: Server, client: Client, resource?: string, audience?: string, subject: string, scopes?: string[] }) =>
 *   Promise<Tokens>}
 */
export async function exchange({ server: given, client, resource, audience, subject, scopes }) {
  const server = kept(given);
  const authenticated = await authentication(client, server);
  const parameters = parametersOf(resource, scopes, {
    audience,
    subject_token: subject,
    subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN,
  });
  return requestTokens({
    server,
    purpose: "exchange",
    send: (options) =>
      oauth.genericTokenEndpointRequest(server, clientOf(client), authenticated, EXCHANGE, parameters, options),
    read: async (response) => {
      const answer = await oauth.processGenericTokenEndpointResponse(server, clientOf(client), response);
      const { issued_token_type: issued } = answer;
      if (issued !== undefined && !ISSUED.includes(String(issued)))
        fail("sign_in_token", "The token is not an access token.");
      return tokensOf(answer);
    },
  });
}

/**
 * Revokes a token. A server that revokes none is not asked.
 * @type {(input: { server: Server, client: Client, token: string, hint?: "access_token" | "refresh_token" }) => Promise<{}>}
 */
export async function revoke({ server: given, client, token, hint }) {
  const server = kept(given);
  if (!server.revocation_endpoint) return {};
  const authenticated = await authentication(client, server);
  await requestTokens({
    server,
    purpose: "revocation",
    send: (options) =>
      oauth.revocationRequest(server, clientOf(client), authenticated, token, {
        ...options,
        additionalParameters: hint ? { token_type_hint: hint } : {},
      }),
    read: (response) => oauth.processRevocationResponse(response),
  });
  return {};
}
