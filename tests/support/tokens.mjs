// Static tokens, as the variables SIEVE_TOKENS and SIEVE_OPERATOR hold them.
import { createHash } from "node:crypto";

/** The SHA-256 of a token, in hexadecimal. */
export const digest = (token) => createHash("sha256").update(token).digest("hex");

/** The value of SIEVE_TOKENS that gives each token, a key of `claims`, its claims. */
export const tokensVariable = (claims) =>
  JSON.stringify(Object.fromEntries(Object.entries(claims).map(([token, value]) => [digest(token), value])));
