// @ts-check
// Which values of a file are secrets.

/** Words of a name that say that its value is a secret. */
const WORDS =
  /^(?:key|apikey|token|secret|password|passwd|pwd|pat|auth|authorization|bearer|cookie|credential|credentials|session)$/;
/** Values that are keys whatever their name: of well-known makers, and tokens of JSON (RFC 7519). */
const KEYS =
  /^(?:gh[opsur]_|github_pat_|glpat-|sk-|pk_|rk_|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|hf_|pypi-|dop_v1_|SG\.)/;
/** A URL with a password. */
const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** Minimum length, in characters, of a value without a telling name that looks like a key. */
const MIN_KEY = 24;

/** Whether the value under this name is a secret, as far as its looks say. */
export function isSecret(name, value) {
  const isRandom = value.length >= MIN_KEY && /^[\w+=.-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
  return value !== "" && (tellsSecret(name) || looksSecret(value) || isRandom);
}

/** Whether a name says that its value is a secret. */
export const tellsSecret = (name) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => WORDS.test(word));

/** Whether a value has the form of a well-known kind of key. */
export const looksSecret = (value) => KEYS.test(value) || LOGIN.test(value);
