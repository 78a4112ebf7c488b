// @ts-check
// The private service by which a gateway on this machine reads and writes the sealed connections of its user. Only workerd knows
// its secret, and it serves the servers of the running configuration alone.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Unreadable } from "../cli-error.js";
import { warn } from "../print.js";
import { keep, sealedOf } from "./store.js";

/** The binding of the Worker. */
export const BINDING = "SIEVE_CONNECTIONS";
/** Maximum length, in bytes, of a sealed connection: metadata of 64 KiB, a client and tokens. */
const MAX_BYTES = 512 * 1024;
/** The header that workerd adds to each request. */
const HEADER = "authorization";

/**
 * Opens the service. `use(servers)` sets the servers of the configuration, `binding` is what workerd needs to reach it, and
 * `close()` ends it.
 */
export async function openService() {
  const secret = `Bearer ${randomBytes(32).toString("hex")}`;
  /** @type {Map<string, import("./store.js").Place>} */
  let places = new Map();
  const http = createServer((request, response) => {
    // The gateway is no web page.
    const isGateway = request.headers.origin === undefined && isSame(request.headers[HEADER], secret);
    const place = isGateway ? places.get(nameIn(request.url)) : undefined;
    if (place === undefined) return void response.writeHead(404).end();
    answer(place, request, response).catch((error) => {
      warn(error instanceof Unreadable ? error.message : `connections: unexpected error: ${error.message}`);
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
  return {
    binding: { name: BINDING, address: `127.0.0.1:${port}`, header: { name: HEADER, value: secret } },
    /** @param {import("./store.js").Place[]} servers */
    use(servers) {
      places = new Map(servers.map((place) => [place.name, place]));
    },
    async close() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/** Compares in constant time. @type {(given: string | undefined, secret: string) => boolean} */
export const isSame = (given = "", secret) =>
  given.length === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));

/** The name of the server in a path; one that no server has for others. */
export function nameIn(url) {
  try {
    return decodeURIComponent(String(url).slice(1));
  } catch {
    return "";
  }
}

/** The tag of a sealed text, by which a gateway changes only what it has read. */
const tagOf = (/** @type {string} */ sealed) => `"${createHash("sha256").update(sealed).digest("hex")}"`;

/**
 * @param {import("./store.js").Place} place
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(place, request, response) {
  if (request.method === "GET") {
    const sealed = sealedOf(place);
    if (sealed === undefined) return void response.writeHead(404).end();
    return void response.writeHead(200, { "content-type": "text/plain", etag: tagOf(sealed) }).end(sealed);
  }
  if (request.method !== "PUT" && request.method !== "DELETE")
    return void response.writeHead(405, { allow: "GET, PUT, DELETE" }).end();
  const sealed = request.method === "PUT" ? await bodyOf(request) : undefined;
  if (request.method === "PUT" && !sealed) return void response.writeHead(413).end();
  const { "if-match": wanted, "if-none-match": none } = request.headers;
  const known = (/** @type {string | undefined} */ present) =>
    (wanted === undefined || (present !== undefined && tagOf(present) === wanted)) &&
    (none === undefined || present === undefined);
  response.writeHead((await keep(place, sealed, known)) ? 204 : 412).end();
}

/** Reads a body; returns nothing for one that is too long. */
async function bodyOf(/** @type {import("node:http").IncomingMessage} */ request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
