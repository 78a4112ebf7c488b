// @ts-check
// The header `WWW-Authenticate` (RFC 9110, RFC 6750, RFC 9728).

import { strings } from "./metadata.js";

/** Maximum number of scopes that are taken from a server. */
const MAX_SCOPES = 64;
/** A scope (RFC 6749), of limited length. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** Maximum length of a header that is read, in bytes. */
const MAX_HEADER = 8_192;
const PARAMETER = /([\w!#$%&'*+.^`|~-]{1,64})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/**
 * Returns the valid scopes of a list, or nothing if there are none.
 * @type {(list: unknown) => string[] | undefined}
 */
export function scopesOf(list) {
  const valid = strings(list)?.filter((scope) => SCOPE.test(scope)) ?? [];
  return valid.length > 0 ? valid.slice(0, MAX_SCOPES) : undefined;
}

/**
 * Returns the parameters of the challenge that `Bearer` makes. Without one, the address of the metadata is still taken from
 * other challenges.
 * @type {(header: string | undefined) => { metadata?: string, scopes?: string[] }}
 */
export function readChallenge(header) {
  const read = (header ?? "").slice(0, MAX_HEADER);
  /** @type {Map<string, string>} */
  const parameters = new Map();
  for (const [, name, quoted, bare] of read.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? bare);
  }
  return { metadata: parameters.get("resource_metadata"), scopes: scopesOf(parameters.get("scope")?.split(" ")) };
}
