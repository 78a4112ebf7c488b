// @ts-check
// The failures of a sign-in. Their messages reach callers, pages and logs, so none quotes text of a server: it could
// repeat a token.

/**
 * A stable code, as docs/errors.md lists them.
 * @typedef {"sign_in_metadata" | "sign_in_address" | "sign_in_issuer" | "sign_in_pkce" | "sign_in_registration" |
 *   "sign_in_state" | "sign_in_denied" | "sign_in_code" | "sign_in_token" | "sign_in_timeout" | "sign_in_expired" |
 *   "sign_in_client" | "sign_in_scope" | "sign_in_clock" | "sign_in_server"} Code
 */

/** The failure of a step of the sign-in, with a code. It has no `cause`, which would hold what a server sent. */
export class SignInFailure extends Error {
  /** @type {(code: Code, message: string) => void} */
  constructor(code, message) {
    super(message);
    this.name = "SignInFailure";
    this.code = code;
  }
}

/** @type {(code: Code, message: string) => never} */
export function fail(code, message) {
  throw new SignInFailure(code, message);
}
