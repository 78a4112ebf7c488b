// @ts-check
// The address at which a browser begins a sign-in, where it cannot reach the gateway itself: `stdio` and `--bearer` serve no browser.
// A path that cannot be guessed leads to it, which only callers of the gateway are told.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Unreadable } from "../cli-error.js";
import { warn } from "../print.js";
import { HEADERS, page } from "./callback.js";
import { clientOf } from "./client.js";
import { sealed } from "./record.js";
import { signIn } from "./sign-in.js";
import { isSame, nameIn } from "./service.js";
import { connectionsKey, keep } from "./store.js";

/** Maximum time, in milliseconds, until the browser comes back. */
const LIMIT_MS = 300_000;

/**
 * Opens the address. `use(servers)` sets the servers of the configuration, `url` is the address without the name of a server, and
 * `close()` ends it with the sign-ins that have begun.
 * @param {Record<string, string | undefined>} environment the variables to which clients refer
 */
export async function openDoor(environment) {
  const secret = randomBytes(32).toString("hex");
  const prefix = `/${secret}/`;
  /** The sign-in of each server that has begun. A later one ends it. @type {Map<string, AbortController>} */
  const begun = new Map();
  /** @type {import("./servers.js").SignInServer[]} */
  let servers = [];
  const http = createServer((request, response) => {
    const url = String(request.url);
    const isKnown = request.method === "GET" && isSame(url.slice(0, prefix.length), prefix);
    const server = isKnown && servers.find(({ name }) => name === nameIn(url.slice(prefix.length - 1)));
    if (!server) return page(response, 404, "Not found", "Nothing is served here.");
    begun.get(server.name)?.abort();
    const ending = new AbortController();
    begun.set(server.name, ending);
    enter(server, response, ending.signal, environment).catch((error) => {
      const reason = error instanceof Unreadable ? error.message : `${server.name}: unexpected error: ${error.message}`;
      if (!ending.signal.aborted) warn(reason);
      if (!response.headersSent) page(response, 502, "You are not signed in", reason);
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    /** @param {import("./servers.js").SignInServer[]} others */
    use(others) {
      servers = others;
    },
    async close() {
      for (const ending of begun.values()) ending.abort();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/**
 * Sends the browser to the authorization server, and keeps the connection once it comes back.
 * @param {import("./servers.js").SignInServer} server
 * @param {import("node:http").ServerResponse} response
 * @param {AbortSignal} signal
 * @param {Record<string, string | undefined>} environment
 */
async function enter(server, response, signal, environment) {
  const client = clientOf(server, environment);
  const key = await connectionsKey();
  const connection = await signIn(server, {
    client,
    limitMs: LIMIT_MS,
    signal,
    // Its own address is a secret that no other server gets to see.
    begun: (location) => void response.writeHead(302, { ...HEADERS, location }).end(),
  });
  await keep(server, sealed(key, server.name, connection));
}
