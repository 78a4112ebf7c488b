// @ts-check
// The client that the gateway is to an authorization server, and how it authenticates.
import { fail } from "./failure.js";
import * as oauth from "./library.js";

/** @typedef {import("./metadata.js").Server} Server */

/**
 * A client of an authorization server. `method` is its `token_endpoint_auth_method`; without one it is derived. `key` is a
 * private JWK, for signed assertions (RFC 7523).
 * @typedef {{ id: string, secret?: string, key?: JsonWebKey & { kid?: string, alg?: string }, method?: string, document?: true }} Client
 */

/** Tolerance for the clock of another server, in seconds. */
export const CLOCK_TOLERANCE_S = 60;

/** Algorithms of signed assertions by the type of the key, the preferred one first. */
const ALGORITHMS = /** @type {Record<string, string[]>} */ ({
  "EC P-256": ["ES256"],
  "EC P-384": ["ES384"],
  "EC P-521": ["ES512"],
  "OKP Ed25519": ["Ed25519", "EdDSA"],
  RSA: ["RS256", "PS256", "RS384", "PS384", "RS512", "PS512"],
});
const SUBTLE = /** @type {Record<string, (alg: string, crv: string) => any>} */ ({
  ES: (_, namedCurve) => ({ name: "ECDSA", namedCurve }),
  Ed: () => ({ name: "Ed25519" }),
  RS: (alg) => ({ name: "RSASSA-PKCS1-v1_5", hash: `SHA-${alg.slice(2)}` }),
  PS: (alg) => ({ name: "RSA-PSS", hash: `SHA-${alg.slice(2)}` }),
});

/** @type {(key: NonNullable<Client["key"]>, server: Server) => Promise<{ key: CryptoKey, kid?: string }>} */
async function importKey({ key_ops: _ops, use: _use, ext: _ext, ...key }, server) {
  const { kty, crv = "", kid, alg } = key;
  const known = ALGORITHMS[kty === "RSA" ? "RSA" : `${kty} ${crv}`] ?? [];
  const accepted = server.token_endpoint_auth_signing_alg_values_supported ?? known;
  const chosen = alg && known.includes(alg) ? alg : (known.find((name) => accepted.includes(name)) ?? known[0]);
  try {
    const { alg: _, ...bare } = key;
    return {
      key: await crypto.subtle.importKey("jwk", bare, SUBTLE[chosen.slice(0, 2)](chosen, crv), false, ["sign"]),
      kid,
    };
  } catch {
    fail(
      "sign_in_client",
      "The key of the client is not a private JWK that can sign. Correct `client.key` in the configuration.",
    );
  }
}

/** @type {(client: Client, server: Server) => string} */
function methodOf({ method, secret, key }, server) {
  if (method) return method;
  if (key) return "private_key_jwt";
  if (!secret) return "none";
  const known = server.token_endpoint_auth_methods_supported;
  return known?.includes("client_secret_post") && !known.includes("client_secret_basic")
    ? "client_secret_post"
    : "client_secret_basic";
}

/**
 * Returns how the client authenticates in requests.
 * @type {(client: Client, server: Server) => Promise<import("oauth4webapi").ClientAuth>}
 */
export async function authentication(client, server) {
  const method = methodOf(client, server);
  if (method === "none") return oauth.None();
  if (method === "private_key_jwt" && client.key) return oauth.PrivateKeyJwt(await importKey(client.key, server));
  if (method === "client_secret_basic" && client.secret) return oauth.ClientSecretBasic(client.secret);
  if (method === "client_secret_post" && client.secret) return oauth.ClientSecretPost(client.secret);
  fail(
    "sign_in_client",
    `The client of ${new URL(server.issuer).host} has nothing to authenticate with as its method asks.`,
  );
}

/** @type {(client: Client) => import("oauth4webapi").Client} */
export const clientOf = ({ id }) => ({ client_id: id, [oauth.clockTolerance]: CLOCK_TOLERANCE_S });
