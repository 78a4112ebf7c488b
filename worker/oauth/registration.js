// @ts-check
// Makes the gateway a client of an authorization server: by a metadata document, or by dynamic registration (RFC 7591).
import { kindOf, parse } from "./address.js";
import { SignInFailure, fail } from "./failure.js";
import * as oauth from "./library.js";
import { kept } from "./metadata.js";
import { request } from "./network.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {import("./client.js").Client} Client */

/** Path of the metadata document at the gateway. */
const DOCUMENT = "/connect/client.json";
/** Maximum length of an identifier or secret that a server assigns, in characters. */
const MAX_ASSIGNED = 2_048;
const METHODS = ["none", "client_secret_basic", "client_secret_post"];

/** @type {(redirectUris: string[]) => "native" | "web"} */
function applicationType(redirectUris) {
  return redirectUris.some((uri) => new URL(uri).protocol === "http:") ? "native" : "web";
}

/** @type {(name: string, redirectUris: string[]) => Record<string, any>} */
const commonMetadata = (name, redirectUris) => ({
  client_name: name,
  redirect_uris: redirectUris,
  response_types: ["code"],
  application_type: applicationType(redirectUris),
});

/**
 * Returns the metadata document of a client, whose address is its identifier.
 * @type {(input: { origin: string, name: string, redirectUris: string[] }) => Record<string, unknown>}
 */
export const clientDocument = ({ origin, name, redirectUris }) => ({
  client_id: `${origin}${DOCUMENT}`,
  client_uri: origin,
  ...commonMetadata(name, redirectUris),
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
});

/** @type {(server: Server, document: string | undefined) => document is string} */
function takesDocument(server, document) {
  const url = parse(document);
  if (!url || !server.client_id_metadata_document_supported) return false;
  // A server elsewhere could not fetch a document from this machine.
  return url.protocol === "https:" || [url, new URL(server.issuer)].every((place) => kindOf(place) === "loopback");
}

/**
 * Registers a client. With `document`, the address of a metadata document, that is used if the server supports it.
 * @type {(input: { server: Server, redirectUri: string, document?: string, name: string }) => Promise<Client>}
 */
export async function register({ server: given, redirectUri, document, name }) {
  const server = kept(given);
  const { host } = new URL(server.issuer);
  if (takesDocument(server, document)) return { id: document, method: "none", document: true };
  if (!server.registration_endpoint) {
    fail("sign_in_registration", `${host} registers no clients. Register one there, and name it as \`client\` in the configuration.`);
  }
  const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method = METHODS.find((name) => supported.includes(name)) ?? "none";
  const grants = server.grant_types_supported;
  const metadata = {
    ...commonMetadata(name, [redirectUri]),
    grant_types: ["authorization_code", ...(!grants || grants.includes("refresh_token") ? ["refresh_token"] : [])],
    token_endpoint_auth_method: method,
  };
  try {
    const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true };
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options);
    if (response.status >= 500) fail("sign_in_server", `${host} failed to register a client. Try again later.`);
    return assigned(await oauth.processDynamicClientRegistrationResponse(response), method);
  } catch (error) {
    if (error instanceof SignInFailure && error.code !== "sign_in_token") throw error;
    fail("sign_in_registration", `${host} refused to register a client. Register one there, and name it as \`client\` in the configuration.`);
  }
}

/**
 * Returns the client that a server assigned. It may have chosen another method of authentication.
 * @type {(answer: import("oauth4webapi").OmitSymbolProperties<import("oauth4webapi").Client>, asked: string) => Client}
 */
function assigned({ client_id: id, client_secret, token_endpoint_auth_method }, asked) {
  const secret = typeof client_secret === "string" ? client_secret : undefined;
  const method = typeof token_endpoint_auth_method === "string" ? token_endpoint_auth_method : asked;
  if (id.length > MAX_ASSIGNED || (secret?.length ?? 0) > MAX_ASSIGNED || !METHODS.includes(method)) {
    fail("sign_in_token", "The client that was assigned cannot be used.");
  }
  return { id, ...(secret && method !== "none" ? { secret } : {}), method };
}
