// @ts-check
// Finds the authorization server of an MCP server (RFC 9728), and its metadata (RFC 8414, OpenID Connect Discovery).
import { allowedAddress, ownAddress, parse } from "./address.js";
import { readChallenge, scopesOf } from "./challenge.js";
import { SignInFailure, fail } from "./failure.js";
import { reduced, strings } from "./metadata.js";
import { request, requestChallenge } from "./network.js";

/** @typedef {import("./metadata.js").Server} Server */
/** @typedef {Record<string, unknown>} Document */
/** @typedef {{ document: Document } | { failure?: SignInFailure }} Outcome */

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";
/** Time for all requests of a discovery together, in milliseconds. */
const DISCOVERY_MS = 20_000;
/** A request that a server with sign-in refuses, and that has no effect at others. */
const PING = { jsonrpc: "2.0", id: "sign-in", method: "ping" };

/**
 * Requests a document. One that does not exist is no failure.
 * @type {(url: URL, deadline: number) => Promise<Outcome>}
 */
async function load(url, deadline) {
  const unusable = (/** @type {import("./failure.js").Code} */ code, /** @type {string} */ why) => ({
    failure: new SignInFailure(code, `The metadata at ${url.host} ${why}`),
  });
  /** @type {Response} */
  let response;
  try {
    response = await request(url.href, { headers: { accept: "application/json" }, deadline });
  } catch (error) {
    if (error instanceof SignInFailure && error.code === "sign_in_token") {
      return unusable("sign_in_metadata", "is too large.");
    }
    throw error;
  }
  if (response.status >= 500) return unusable("sign_in_server", `failed with ${response.status}. Try again later.`);
  if (response.status >= 300 && response.status < 400) {
    return unusable("sign_in_address", "redirects to another address. Redirects are not followed.");
  }
  if (response.status !== 200) return {};
  const document = await response.json().catch(() => undefined);
  if (document === null || typeof document !== "object" || Array.isArray(document)) {
    return unusable("sign_in_metadata", "is not JSON.");
  }
  return { document };
}

/**
 * Returns the address of a path at the same origin. A path may begin with two slashes, so it is not resolved as a reference.
 * @type {(url: URL, path: string, search?: string) => URL}
 */
function at({ origin }, path, search = "") {
  const place = new URL(origin);
  place.pathname = path;
  place.search = search;
  return place;
}
/** @type {(url: URL) => string} */
const pathOf = (url) => url.pathname.replace(/\/+$/, "");

/**
 * Returns the addresses without those that repeat an earlier one.
 * @type {(urls: URL[]) => URL[]}
 */
const distinct = (urls) => urls.filter(({ href }, at) => urls.findIndex((other) => other.href === href) === at);

/**
 * Returns the metadata of an MCP server as a protected resource, and the scopes of its challenge. `failure` says why metadata
 * that exists cannot be read.
 * @type {(url: URL, challenge: string | undefined, deadline: number) =>
 *   Promise<{ document?: Document, scopes?: string[], failure?: SignInFailure }>}
 */
async function findResource(url, challenge, deadline) {
  const tried = new Set();
  /** @type {SignInFailure | undefined} */
  let failure;
  const attempt = async (/** @type {URL} */ place) => {
    if (tried.has(place.href)) return undefined;
    tried.add(place.href);
    const outcome = await load(place, deadline);
    if ("document" in outcome) return outcome.document;
    failure ??= outcome.failure;
    return undefined;
  };
  const byChallenge = async (/** @type {string | undefined} */ header) => {
    const { metadata, scopes } = readChallenge(header);
    if (metadata === undefined) return { scopes };
    const place = parse(metadata);
    if (place?.origin !== url.origin) {
      fail("sign_in_address", `The challenge of ${url.host} names metadata at another origin.`);
    }
    return { document: await attempt(place), scopes };
  };

  const given = await byChallenge(challenge);
  if (given.document) return given;
  for (const place of [
    at(url, `${RESOURCE}${url.pathname}`, url.search),
    at(url, `${RESOURCE}${pathOf(url)}`),
    at(url, RESOURCE),
  ]) {
    const document = await attempt(place);
    if (document) return { ...given, document };
  }
  if (challenge === undefined) {
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const read = await byChallenge(
      await requestChallenge(url.href, { method: "POST", headers, body: JSON.stringify(PING), deadline }),
    );
    if (read.document) return read;
    given.scopes ??= read.scopes;
  }
  return { ...given, failure };
}

/**
 * Returns the identifier of the resource: the address of the MCP server, or one above it.
 * @type {(document: Document, url: URL) => string}
 */
function resourceOf(document, url) {
  const { resource } = document;
  const named = parse(resource);
  if (!named || named.hash) fail("sign_in_metadata", `The metadata of ${url.host} names no \`resource\`.`);
  const isAbove = pathOf(url) === pathOf(named) || url.pathname.startsWith(`${pathOf(named)}/`);
  if (named.origin !== url.origin || !isAbove || (named.search && named.search !== url.search)) {
    fail("sign_in_address", `The metadata of ${url.host} is for another resource, not for this server.`);
  }
  return String(resource);
}

/** @type {(text: string) => string} */
const normalized = (text) => parse(text)?.href ?? text;

/**
 * Returns the metadata of the authorization server with an issuer.
 * @type {(issuer: URL, deadline?: number) => Promise<Document>}
 */
async function findServer(issuer, deadline = Date.now() + DISCOVERY_MS) {
  const path = pathOf(issuer);
  const places = [at(issuer, SERVER + path), at(issuer, OPENID + path), at(issuer, path + OPENID)];
  /** @type {SignInFailure | undefined} */
  let failure;
  for (const place of distinct(places)) {
    const outcome = await load(place, deadline);
    if ("failure" in outcome) failure ??= outcome.failure;
    if (!("document" in outcome)) continue;
    const { document } = outcome;
    if (typeof document.issuer === "string" && normalized(document.issuer) === issuer.href) return document;
    failure ??=
      document.issuer === undefined
        ? new SignInFailure("sign_in_metadata", `The metadata of ${issuer.host} names no issuer.`)
        : new SignInFailure("sign_in_issuer", `The metadata of ${issuer.host} is that of another issuer.`);
  }
  throw (
    failure ??
    new SignInFailure(
      "sign_in_metadata",
      `${issuer.host} has no metadata of an authorization server. If the server is another one, name it as \`issuer\` in the configuration.`,
    )
  );
}

/**
 * Returns an issuer that the configuration names. It may be private, and on loopback it needs no HTTPS.
 * @type {(text: string) => URL}
 */
function configuredIssuer(text) {
  const what = "The configured issuer";
  return allowedAddress(text, what, [ownAddress(text, what)]);
}

/**
 * Returns the issuer to use: the configured one, or the first that the resource names.
 * @type {(document: Document | undefined, configured: string | undefined, url: URL) => URL}
 */
function issuerOf(document, configured, url) {
  const listed = strings(document?.authorization_servers) ?? [];
  if (configured === undefined) {
    // Before there was metadata of resources, an MCP server was at the origin of its authorization server.
    if (!document) return new URL(url.origin);
    if (listed.length === 0) fail("sign_in_metadata", `The metadata of ${url.host} names no authorization server.`);
    return allowedAddress(listed[0], `The authorization server of ${url.host}`, [url]);
  }
  const issuer = configuredIssuer(configured);
  if (listed.length > 0 && !listed.some((entry) => normalized(entry) === issuer.href)) {
    fail(
      "sign_in_issuer",
      `${url.host} no longer names ${issuer.host} as its authorization server. Sign in again, or correct \`issuer\` in the configuration.`,
    );
  }
  return issuer;
}

/**
 * Finds the authorization server of the MCP server at `url`. `challenge` is its `WWW-Authenticate`, if there is one.
 * @type {(input: { url: string, issuer?: string, challenge?: string }) =>
 *   Promise<{ resource: string, issuer: string, server: Server, scopes?: string[] }>}
 */
export async function discover({ url: text, issuer: configured, challenge }) {
  const url = ownAddress(text, "The MCP server");
  url.hash = "";
  const deadline = Date.now() + DISCOVERY_MS;
  const { document, scopes, failure } = await findResource(url, challenge, deadline);
  // With a configured issuer the metadata of the resource is optional. Without one, a server that has none may itself be at
  // the origin of its authorization server. A failure that could pass must not lead to another authorization server.
  if (failure && configured === undefined && failure.code !== "sign_in_metadata") throw failure;
  const resource = document ? resourceOf(document, url) : url.href;
  const issuer = issuerOf(document, configured, url);
  const metadata = await findServer(issuer, deadline).catch((error) => {
    throw document ? error : (failure ?? error);
  });
  const server = reduced(metadata, String(metadata.issuer), [issuer]);
  const wanted = scopes ?? scopesOf(document?.scopes_supported);
  return { resource, issuer: server.issuer, server, ...(wanted ? { scopes: wanted } : {}) };
}

/**
 * Finds the metadata of an authorization server by its issuer alone.
 * @type {(input: { issuer: string }) => Promise<{ issuer: string, server: Server }>}
 */
export async function discoverIssuer({ issuer: text }) {
  const issuer = configuredIssuer(text);
  const metadata = await findServer(issuer);
  const server = reduced(metadata, String(metadata.issuer), [issuer]);
  return { issuer: server.issuer, server };
}
