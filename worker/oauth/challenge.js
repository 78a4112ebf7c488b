// @ts-check
// The header `WWW-Authenticate` (RFC 9110, RFC 6750, RFC 9728).

/** Maximum length of a header that is read, in bytes. */
const MAX_HEADER = 8_192;
const PARAMETER = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

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
  const scopes = parameters.get("scope")?.split(" ").filter(Boolean);
  return { metadata: parameters.get("resource_metadata"), scopes: scopes?.length ? scopes : undefined };
}
