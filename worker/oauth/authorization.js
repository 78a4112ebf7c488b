// @ts-check
// The authorization code flow with PKCE: the address to which the browser is sent, and what it brings back.
import { parse } from "./address.js";
import { CLOCK_TOLERANCE_S, authentication, clientOf } from "./client.js";
import { fail } from "./failure.js";
import * as oauth from "./library.js";
import { kept } from "./metadata.js";
import { requestTokens, tokensOf } from "./token-endpoint.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {import("./client.js").Client} Client */
/** @typedef {import("./token-endpoint.js").Tokens} Tokens */

/** Maximum length of the address to which the browser was sent, in characters. */
const MAX_CALLBACK = 16_384;
/** Codes of the errors of an authorization endpoint, by OAuth's names. Others mean that the server refused. */
const ERRORS = new Map(
  Object.entries(
    /** @type {Record<string, import("./failure.js").Code>} */ ({
      invalid_scope: "sign_in_scope",
      unauthorized_client: "sign_in_client",
      invalid_client: "sign_in_client",
      server_error: "sign_in_server",
      temporarily_unavailable: "sign_in_server",
    }),
  ),
);
const REFUSALS = /** @type {Record<string, string>} */ ({
  sign_in_scope: "knows none of the scopes that were asked for",
  sign_in_client: "does not accept this client",
  sign_in_server: "failed. Try again later",
});

/** @type {(scopes: string[] | undefined, server: Server, login: boolean | undefined) => string[]} */
function askedScopes(scopes = [], server, login) {
  if (login) return [...new Set(["openid", ...scopes])];
  // Without scopes the server grants its default ones, which a single one would replace.
  const stays = scopes.length > 0 && server.scopes_supported?.includes("offline_access");
  return [...new Set([...scopes, ...(stays ? ["offline_access"] : [])])];
}

/**
 * Begins a sign-in. `state` is random and belongs to one browser. With `login`, the browser's user is identified by an ID token.
 * The `verifier` and `nonce` of the result are for `finish`, and secret until then.
 * @type {(input: { server: Server, client: Client, redirectUri: string, resource?: string, scopes?: string[], state: string,
 *   login?: boolean }) => Promise<{ url: string, verifier: string, nonce?: string }>}
 */
export async function begin({ server: given, client, redirectUri, resource, scopes, state, login }) {
  const server = kept(given);
  const { host } = new URL(server.issuer);
  if (server.code_challenge_methods_supported && !server.code_challenge_methods_supported.includes("S256")) {
    fail("sign_in_pkce", `${host} does not support PKCE with S256, without which a sign-in is not safe.`);
  }
  if (!server.authorization_endpoint) fail("sign_in_metadata", `${host} names no \`authorization_endpoint\`.`);
  const verifier = oauth.generateRandomCodeVerifier();
  const nonce = login ? oauth.generateRandomNonce() : undefined;
  const asked = askedScopes(scopes, server, login);
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: asked.join(" "),
    resource,
    nonce,
    // OpenID Connect grants `offline_access` only with consent.
    prompt: asked.includes("offline_access") ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
  return { url: url.href, verifier, ...(nonce ? { nonce } : {}) };
}

/**
 * Returns the parameters of a callback, after the checks that tell whose it is: `state` first, and then the issuer (RFC 9207).
 * @type {(server: Server, client: Client, callback: string, state: string) => URLSearchParams}
 */
function checkedParameters(server, client, callback, state) {
  const { host } = new URL(server.issuer);
  const parameters = parse(callback, MAX_CALLBACK)?.searchParams ?? new URLSearchParams();
  const all = ["state", "iss", "error", "code"].map((name) => parameters.getAll(name));
  const [[sent], [iss], [error], [code]] = all;
  if (!state || sent !== state || all[0].length > 1) {
    fail("sign_in_state", "This sign-in was not begun here, or has ended. Begin it again.");
  }
  if (all.some((values) => values.length > 1))
    fail("sign_in_denied", `${host} repeated a parameter. Begin the sign-in again.`);
  if (iss === undefined ? server.authorization_response_iss_parameter_supported : iss !== server.issuer) {
    fail("sign_in_issuer", `The sign-in was begun at ${host}, and another issuer answered. Begin it again.`);
  }
  if (error !== undefined) {
    const reason = ERRORS.get(error) ?? "sign_in_denied";
    fail(reason, `${host} ${REFUSALS[reason] ?? "did not allow the sign-in"}.`);
  }
  if (!code) fail("sign_in_denied", `${host} sent no code. Begin the sign-in again.`);
  try {
    return oauth.validateAuthResponse(server, clientOf(client), parameters, state);
  } catch {
    fail("sign_in_denied", `${host} answered in a way that a sign-in does not use. Begin it again.`);
  }
}

/**
 * Checks that an ID token was issued now. The library checks when it ends only.
 * @type {(claims: import("oauth4webapi").IDToken, host: string) => void}
 */
function checkTime({ iat }, host) {
  if (Math.abs(Date.now() / 1000 - iat) > CLOCK_TOLERANCE_S) {
    fail(
      "sign_in_clock",
      `The clock of ${host} differs from the clock here by more than ${CLOCK_TOLERANCE_S} seconds.`,
    );
  }
}

/**
 * Finishes a sign-in. `callback` is the whole address to which the browser was sent. With `nonce`, the result has the claims of
 * the verified ID token.
 * @type {(input: { server: Server, client: Client, redirectUri: string, resource?: string, verifier: string, state: string,
 *   nonce?: string, callback: string }) => Promise<Tokens>}
 */
export async function finish({ server: given, client, redirectUri, resource, verifier, state, nonce, callback }) {
  const server = kept(given);
  const parameters = checkedParameters(server, client, callback, state);
  const authenticated = await authentication(client, server);
  return requestTokens({
    server,
    purpose: "code",
    withIdentity: nonce !== undefined,
    send: (options) =>
      oauth.authorizationCodeGrantRequest(server, clientOf(client), authenticated, parameters, redirectUri, verifier, {
        ...options,
        additionalParameters: resource ? { resource } : {},
      }),
    read: async (response, options) => {
      const answer = await oauth.processAuthorizationCodeResponse(server, clientOf(client), response, {
        expectedNonce: nonce,
      });
      if (nonce === undefined) return tokensOf(answer);
      const claims = oauth.getValidatedIdTokenClaims(answer);
      if (!claims) fail("sign_in_token", "There is no ID token.");
      await oauth.validateApplicationLevelSignature(server, response, options);
      checkTime(claims, new URL(server.issuer).host);
      return { ...tokensOf(answer), claims };
    },
  });
}
