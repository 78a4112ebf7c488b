// Static tokens in the form of the variables SIEVE_TOKENS and SIEVE_OPERATOR.
import { createHash } from "node:crypto";

/** Returns the SHA-256 of a token, in hexadecimal. */
export const digest = (token) => createHash("sha256").update(token).digest("hex");

/** Returns the value of SIEVE_TOKENS for `claims`, which maps each token to its claims. */
export const tokensVariable = (claims) =>
  JSON.stringify(Object.fromEntries(Object.entries(claims).map(([token, value]) => [digest(token), value])));
