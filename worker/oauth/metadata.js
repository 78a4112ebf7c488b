// @ts-check
// The metadata of an authorization server, reduced to what a sign-in uses.
import { allowedAddress } from "./address.js";

/** Maximum number of entries of a list in metadata. Further ones are left out. */
const MAX_ENTRIES = 256;
const ENDPOINTS = /** @type {const} */ ([
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "jwks_uri",
]);
const LISTS = /** @type {const} */ ([
  "scopes_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "id_token_signing_alg_values_supported",
]);
const FLAGS = /** @type {const} */ ([
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
]);

/**
 * The metadata of an authorization server (RFC 8414), checked.
 * @typedef {{ issuer: string } & { [name in (typeof ENDPOINTS)[number]]?: string } &
 *   { [name in (typeof LISTS)[number]]?: string[] } & { [name in (typeof FLAGS)[number]]?: boolean }} Server
 */

/**
 * Returns the strings of a list, or nothing if it is no list.
 * @type {(value: unknown) => string[] | undefined}
 */
export function strings(value) {
  if (!Array.isArray(value)) return undefined;
  return value.filter((entry) => typeof entry === "string" && entry !== "").slice(0, MAX_ENTRIES);
}

/**
 * Reduces metadata. Every endpoint must have an address that is allowed beside the hosts of `trusted`.
 * @type {(metadata: Record<string, unknown>, issuer: string, trusted: URL[]) => Server}
 */
export function reduced(metadata, issuer, trusted) {
  /** @type {Record<string, unknown>} */
  const server = { issuer };
  for (const name of ENDPOINTS) {
    if (metadata[name] === undefined) continue;
    server[name] = allowedAddress(metadata[name], `\`${name}\` of the authorization server`, trusted).href;
  }
  for (const name of LISTS) {
    const list = strings(metadata[name]);
    if (list) server[name] = list;
  }
  for (const name of FLAGS) if (metadata[name] === true) server[name] = true;
  return /** @type {Server} */ (server);
}

/**
 * Returns metadata that a caller has kept, with its endpoints checked again.
 * @type {(server: Server) => Server}
 */
export function kept(server) {
  return reduced(server, server.issuer, [new URL(server.issuer)]);
}
