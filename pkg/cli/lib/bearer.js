// @ts-check
// The token of `--bearer`. It never stands on a command line, which every user of the machine can read.
import { randomBytes } from "node:crypto";
import { Unreadable } from "./cli-error.js";

/** The variable with the token. */
export const VARIABLE = "SIEVE_BEARER";
/** Minimum length, in characters, of a token that the operator chooses. Shorter ones could be guessed. */
const MIN_LENGTH = 16;
/** The characters of a bearer token (RFC 6750, section 2.1). */
const TOKEN = /^[\w.~+/-]+=*$/;

/** The option of the commands that serve over HTTP. */
export const BEARER = {
  bearer: {
    type: "boolean",
    help: `Require a bearer token of every request: that of ${VARIABLE}, or a new one, which is printed.`,
  },
};

/**
 * Returns the token that requests need, if they need one, and whether it was `made` here. The variable alone requires it too:
 * a token that is set and not asked for would protect nothing.
 * @param {boolean | undefined} wanted whether `--bearer` is given
 * @param {Record<string, string | undefined>} environment
 * @returns {{ token?: string, made: boolean }}
 */
export function bearerOf(wanted, environment) {
  const token = environment[VARIABLE] || undefined;
  if (token === undefined) return wanted ? { token: randomBytes(32).toString("hex"), made: true } : { made: false };
  if (token.length < MIN_LENGTH || !TOKEN.test(token))
    throw new Unreadable(
      `${VARIABLE}: expected a token of at least ${MIN_LENGTH} letters, digits and \`-._~+/\`, such as that of \`openssl rand -hex 32\`; or leave it out, and --bearer makes one`,
    );
  return { token, made: false };
}
