// @ts-check
// Which values of a file are secrets.
import { namesSecret } from "./engine.js";

/** Values that are keys whatever their name: of well-known makers, and tokens of JSON (RFC 7519). */
const KEYS =
  /^(?:gh[opsur]_|github_pat_|glpat-|sk-|pk_|rk_|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|hf_|pypi-|dop_v1_|SG\.)/;
/** A URL with a password. */
const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** Minimum length, in characters, of a value without a telling name that looks like a key. */
const MIN_KEY = 24;
/** A word with letters and digits, but for versions and regions such as `v2` and `eu1`. */
const MIXED = /^(?![a-z]{1,3}\d+$)(?=.*\d)(?=.*[a-z])/i;

/** Whether the value under this name is a secret, as far as its looks say. */
export const isSecret = (name, value) =>
  value !== "" && (namesSecret(name) || looksSecret(value) || looksRandom(value));

/** Whether a value has the form of a well-known kind of key. */
export const looksSecret = (value) => KEYS.test(value) || LOGIN.test(value);

const looksRandom = (value) =>
  value.length >= MIN_KEY && /^[\w+=.-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);

/** Whether an address of http or https contains a secret: in its parameters, or as a part of its path. */
export function isSecretAddress(address) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { pathname, searchParams } = new URL(address);
  const parts = pathname.split("/").map(decoded);
  return (
    [...searchParams].some(([name, value]) => isSecret(name, value)) ||
    parts.some((part, at) => isSecretPart(part, parts[at - 1] ?? ""))
  );
}

/** Whether a part of a path is a secret: a key, a random text that is no name of words, or a number behind the name of a secret. */
const isSecretPart = (part, before) =>
  looksSecret(part) ||
  (looksRandom(part) && part.split(/[-_.]/).some((word) => MIXED.test(word))) ||
  (/\d/.test(part) && namesSecret(before));

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
