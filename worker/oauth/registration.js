// @ts-check
// Makes the gateway a client of an authorization server: by a metadata document, or by dynamic registration (RFC 7591).
import { kindOf, parse } from "./address.js";
import { fail } from "./failure.js";
import * as oauth from "./library.js";
import { kept } from "./metadata.js";
import { request } from "./network.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {import("./client.js").Client} Client */

/** Path of the metadata document at the gateway. */
const DOCUMENT = "/connect/client.json";
/** Maximum length of an identifier or secret that a server assigns, in characters. */
const MAX_ASSIGNED = 2_048;
const BY_HAND = "Register one there, and name it as `client` in the configuration.";
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
    fail(
      "sign_in_registration",
      `${host} registers no clients. Register one there, and name it as \`client\` in the configuration.`,
    );
  }
  const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method = METHODS.find((name) => supported.includes(name)) ?? "none";
  const grants = server.grant_types_supported;
  const metadata = {
    ...commonMetadata(name, [redirectUri]),
    grant_types: ["authorization_code", ...(!grants || grants.includes("refresh_token") ? ["refresh_token"] : [])],
    token_endpoint_auth_method: method,
  };
  const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true };
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options);
  if (response.status >= 500) fail("sign_in_server", `${host} failed to register a client. Try again later.`);
  const answer = await response.json().catch(() => undefined);
  // Some servers answer with 200 and not with 201.
  const client = response.ok ? assigned(answer, method) : undefined;
  return client ?? fail("sign_in_registration", `${host} did not register a client. ${BY_HAND}`);
}

/**
 * Returns the client that a server assigned, if it can be used. The server may have chosen another method of authentication.
 * @type {(answer: any, asked: string) => Client | undefined}
 */
function assigned(answer, asked) {
  const { client_id: id, client_secret: secret, token_endpoint_auth_method } = answer ?? {};
  // Without the member, a client with a secret authenticates with it.
  const method = token_endpoint_auth_method ?? (secret && asked === "none" ? "client_secret_basic" : asked);
  if (!isAssigned(id) || !METHODS.includes(method)) return undefined;
  if (method === "none") return { id, method };
  return isAssigned(secret) ? { id, secret, method } : undefined;
}

/** @type {(value: unknown) => value is string} */
function isAssigned(value) {
  return typeof value === "string" && value !== "" && value.length <= MAX_ASSIGNED;
}
