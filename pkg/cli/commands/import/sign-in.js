// @ts-check
// Remote servers that need a sign-in. Hosts sign in with a browser, and so does `mcp-sieve login`.
import { statelessHeaders } from "../../stdio/http-headers.js";
import { STATELESS_PARAMS } from "../../stdio/message.js";

/** Maximum time, in milliseconds, for the answer of a server. */
const ASK_MS = 5_000;
/** A request that opens no session. */
const REQUEST = { jsonrpc: "2.0", id: 1, method: "server/discover", params: STATELESS_PARAMS };

/**
 * Asks each remote server without a credential once. Returns the names of those that need a sign-in.
 * Nothing is sent but the address as the file has it: servers with variables in their addresses or headers are not asked, because
 * a file may come from anyone.
 * @param {Record<string, any>[]} upstreams
 * @param {{ taken: { as: string, entry: string }[] }[]} reports
 * @returns {Promise<Set<string>>}
 */
export async function signInsOf(upstreams, reports) {
  const variable = new Set(
    reports.flatMap(({ taken }) => taken.filter(({ entry }) => entry.includes("${")).map(({ as }) => as)),
  );
  // A secret header has become a variable.
  const asked = upstreams.filter(
    ({ name, url, headers = {} }) =>
      url !== undefined && !variable.has(name) && !Object.values(headers).some((value) => value.includes("${")),
  );
  const needing = await Promise.all(asked.map(({ url }) => needsSignIn(url)));
  return new Set(asked.filter((_, at) => needing[at]).map(({ name }) => name));
}

/** Returns whether a server answers 401 and names where to sign in (RFC 9728). A server that does not answer may need nothing. */
async function needsSignIn(url) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: statelessHeaders(REQUEST),
      body: JSON.stringify(REQUEST),
      redirect: "manual",
      signal: AbortSignal.timeout(ASK_MS),
    });
    await response.body?.cancel();
    return response.status === 401 && /\bresource_metadata\s*=/i.test(response.headers.get("www-authenticate") ?? "");
  } catch {
    return false;
  }
}
