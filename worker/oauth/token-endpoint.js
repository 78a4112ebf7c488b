// @ts-check
// Requests to a token endpoint, and what is accepted as its response.
import { SignInFailure, fail } from "./failure.js";
import * as oauth from "./library.js";
import { request } from "./network.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {import("./failure.js").Code} Code */

/**
 * The tokens that a server issued. `expiresIn` is in seconds. Without `refresh`, an earlier refresh token stays valid.
 * @typedef {{ access: string, refresh?: string, expiresIn?: number, scope?: string, claims?: Record<string, any> }} Tokens
 */
/** @typedef {"code" | "refresh" | "credentials" | "exchange" | "revocation"} Purpose */
/** @typedef {{ [oauth.customFetch]: typeof request, [oauth.allowInsecureRequests]: true }} RequestOptions */

/** Maximum length of a token, in characters. Longer ones do not fit into the headers that servers accept. */
const MAX_TOKEN = 16_384;
/** Longest time for which a token is said to be valid, in seconds: a year. */
const MAX_EXPIRY_S = 31_536_000;

/** What a server's refusal of the grant means, by purpose. */
const GRANT_REFUSED = /** @type {Record<Purpose, [Code, string]>} */ ({
  code: ["sign_in_code", "refused the code, which is used up or too old. Begin the sign-in again"],
  refresh: ["sign_in_expired", "has ended this sign-in. Sign in again"],
  credentials: ["sign_in_client", "gives this client no tokens of its own"],
  exchange: ["sign_in_denied", "does not exchange the caller's token"],
  revocation: ["sign_in_token", "does not revoke the token"],
});
/** @type {[Code, string]} */
const CLIENT_REFUSED = [
  "sign_in_client",
  "does not accept this client. Correct `client` in the configuration, or sign in again",
];
/** @type {[Code, string]} */
const FAILED = ["sign_in_server", "failed. Try again later"];
/** The errors of OAuth, and those of GitHub, which come with the status 200. */
const ERRORS = new Map(
  Object.entries(
    /** @type {Record<string, [Code, string] | "grant">} */ ({
      invalid_grant: "grant",
      bad_verification_code: "grant",
      bad_refresh_token: "grant",
      invalid_client: CLIENT_REFUSED,
      unauthorized_client: CLIENT_REFUSED,
      incorrect_client_credentials: CLIENT_REFUSED,
      unsupported_grant_type: ["sign_in_client", "does not support this kind of sign-in"],
      invalid_scope: ["sign_in_scope", "does not grant the scopes that were asked for"],
      invalid_target: ["sign_in_denied", "issues no tokens for this server"],
      access_denied: ["sign_in_denied", "did not allow the sign-in"],
      server_error: FAILED,
      temporarily_unavailable: FAILED,
      slow_down: FAILED,
    }),
  ),
);

/** @type {(error: string, purpose: Purpose, host: string) => never} */
function refuse(error, purpose, host) {
  const found = ERRORS.get(error);
  // An exchange reports an unacceptable subject token as an invalid request (RFC 8693).
  const isGrant = found === "grant" || (purpose === "exchange" && error === "invalid_request");
  if (isGrant) fail(GRANT_REFUSED[purpose][0], `${host} ${GRANT_REFUSED[purpose][1]}.`);
  const [code, message] = found ?? ["sign_in_token", "refused the request for a token"];
  fail(code, `${host} ${message}.`);
}

/**
 * Returns a response without errors. Some servers report an error with the status 200.
 * @type {(response: Response, purpose: Purpose, host: string, withIdentity: boolean) => Promise<Response>}
 */
async function checked(response, purpose, host, withIdentity) {
  const { status } = response;
  if (status >= 500 || status === 429) refuse("server_error", purpose, host);
  if (status >= 300 && status < 400)
    fail("sign_in_address", `${host} redirects the request for a token, which is not followed.`);
  const body = await response.json().catch(() => undefined);
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (isObject && typeof body.error === "string" && body.access_token === undefined) refuse(body.error, purpose, host);
  if (status === 401 || status === 403) refuse("invalid_client", purpose, host);
  if (purpose === "revocation" && status === 200) return new Response(null);
  if (!isObject || status !== 200)
    fail("sign_in_token", `${host} sent a response that is not that of a token endpoint.`);
  // An ID token that no one asked for is not looked at.
  if (!withIdentity) delete body.id_token;
  return Response.json(body, { status });
}

/** @type {(value: string) => boolean} */
const isToken = (value) => value.length <= MAX_TOKEN && /^[\x21-\x7e]+$/.test(value);

/**
 * Returns the tokens of a response that the library accepts.
 * @type {(answer: import("oauth4webapi").TokenEndpointResponse) => Tokens}
 */
export function tokensOf({ access_token: access, token_type, refresh_token: refresh, expires_in, scope }) {
  if (token_type !== "bearer") fail("sign_in_token", "The token is not a bearer token.");
  if (!isToken(access) || (refresh !== undefined && !isToken(refresh))) {
    fail("sign_in_token", `The token is longer than ${MAX_TOKEN} characters, or has others than a header can hold.`);
  }
  return {
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(expires_in === undefined ? {} : { expiresIn: Math.min(Math.floor(expires_in), MAX_EXPIRY_S) }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/**
 * Sends a request to the token endpoint and reads the response. What the library finds wrong becomes a failure without its
 * details, which hold tokens.
 * @template T
 * @param {{ server: Server, purpose: Purpose, withIdentity?: boolean, send: (options: RequestOptions) => Promise<Response>,
 *   read: (response: Response, options: RequestOptions) => Promise<T> }} step
 * @returns {Promise<T>}
 */
export async function requestTokens({ server, purpose, withIdentity = false, send, read }) {
  const { host } = new URL(server.issuer);
  const options = /** @type {RequestOptions} */ ({ [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true });
  if (!server.token_endpoint) fail("sign_in_metadata", `${host} names no \`token_endpoint\`.`);
  try {
    const response = await checked(await send(options), purpose, host, withIdentity);
    return await read(response, options);
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    const { code, cause } = /** @type {{ code?: string, cause?: { claim?: string } }} */ (error);
    if (code === oauth.JWT_TIMESTAMP_CHECK) {
      fail("sign_in_clock", `The ID token of ${host} is from another time. Compare the clocks of both sides.`);
    }
    if (code === oauth.JWT_CLAIM_COMPARISON && cause?.claim === "iss") {
      fail("sign_in_issuer", `The ID token of ${host} is that of another issuer.`);
    }
    if (code === oauth.JWT_CLAIM_COMPARISON && cause?.claim === "nonce") {
      fail("sign_in_state", `The ID token of ${host} belongs to another sign-in. Begin it again.`);
    }
    fail(
      "sign_in_token",
      `${host} sent a response that is not that of a token endpoint, or does not belong to this sign-in.`,
    );
  }
}
