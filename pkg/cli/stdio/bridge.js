// @ts-check
// Local servers over HTTP: the gateway asks each as it asks any other server, at an address that only this process knows.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { exchange, refuse } from "./exchange.js";
import { LocalServer, Unavailable } from "./local-server.js";
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, failure, isStateless, read } from "./message.js";
import { written } from "./json-text.js";
import { warn } from "../lib/print.js";

const SESSION = "mcp-session-id";

/**
 * Opens the bridge. `use(servers)` replaces the servers by others and returns the address of each; `close()` ends them all.
 * @param {{ oneClient?: boolean }} [options] `oneClient`: whether all requests are those of one client
 */
export async function openBridge({ oneClient = false } = {}) {
  const secret = randomBytes(32).toString("hex");
  /** @type {LocalServer[]} */
  let servers = [];
  const http = createServer((request, response) => {
    const [, given = "", at = ""] = String(request.url).split("/");
    // The gateway is no web page.
    const isGateway = request.headers.origin === undefined && isSame(given, secret);
    const server = isGateway ? servers[Number(at)] : undefined;
    if (server === undefined) return void response.writeHead(404).end();
    answer(server, request, response).catch((error) => {
      warn(`${server.name}: unexpected error: ${error.message}`);
      refuse(response, 500, failure("null", INTERNAL_ERROR, "the request could not be handed to the local server"));
    });
  });
  // Calls may take as long as the gateway allows.
  http.requestTimeout = 0;
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
  const end = () => Promise.all(servers.splice(0).map((server) => server.stop()));
  return {
    /** @param {import("./local-server.js").Settings[]} settings */
    async use(settings) {
      await end();
      servers = settings.map((one) => new LocalServer({ ...one, oneClient }));
      return servers.map((_, at) => `http://127.0.0.1:${port}/${secret}/${at}`);
    },
    async close() {
      await end();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

function isSame(given, secret) {
  return given.length === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));
}

async function answer(server, request, response) {
  const id = request.headers[SESSION];
  if (request.method === "DELETE" && id !== undefined) {
    server.end(id);
    return void response.writeHead(204).end();
  }
  if (request.method === "GET" && id !== undefined) return listen(server.session(id), response);
  if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
  const message = read(await text(request));
  if (message === undefined)
    return refuse(response, 400, failure("null", INVALID_REQUEST, "expected a JSON-RPC message"));
  try {
    return post(server, id, message, response);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const retry = error.seconds === undefined ? undefined : { "retry-after": String(error.seconds) };
    return refuse(response, 503, failure(idOf(message), INTERNAL_ERROR, error.message), retry);
  }
}

const idOf = ({ text, kind }) => (kind === "request" ? String(written(text, ["id"])) : "null");

/** The stream of a session, for what belongs to no request. */
function listen(connection, response) {
  if (connection === undefined) return void response.writeHead(404).end();
  const stream = exchange(response);
  stream.open();
  connection.streams.add(stream);
  response.once("close", () => connection.streams.delete(stream));
}

function post(server, id, message, response) {
  const { kind, value } = message;
  if (value.method === "server/discover") return discover(server, message, response);
  if (value.method === "initialize") return initialize(server, message, response);
  const connection = isStateless(message) || id === undefined ? server.shared() : server.session(id);
  if (connection === undefined) return refuse(response, 404, failure("null", INVALID_REQUEST, "the session has ended"));
  if (kind === "request") return forward(connection, message, response);
  connection.tell(message);
  response.writeHead(202).end();
}

function forward(connection, message, response, answers = exchange(response)) {
  const abandon = connection.request(message, answers);
  response.once("close", abandon);
}

/** Asks a server once whether it answers stateless requests. One that does not answer in time is taken for one with sessions. */
function discover(server, message, response) {
  const none = failure(idOf(message), METHOD_NOT_FOUND, "the server has sessions");
  if (server.stateless === false) return refuse(response, 404, none);
  const answers = exchange(response);
  const late = setTimeout(() => refuse(response, 404, none), server.probeMs).unref();
  const finish = (text) => {
    clearTimeout(late);
    server.stateless = !JSON.parse(text).error;
    answers.finish(text);
  };
  server.shared().request(message, { ...answers, finish });
}

/** Begins a session. A process that does not answer as long as the gateway waits is ended. */
function initialize(server, message, response) {
  const { id, connection } = server.begin();
  const answers = exchange(response, { [SESSION]: id });
  let begun = false;
  const finish = (text) => {
    begun = true;
    if (JSON.parse(text).error) server.refused(id);
    answers.finish(text);
  };
  forward(connection, message, response, { ...answers, finish });
  response.once("close", () => begun || server.end(id));
}
