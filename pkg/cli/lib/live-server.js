// @ts-check
// The lists and declarations of running servers, requested by the gateway's own client, so that all commands accept what the
// gateway accepts.
import { withoutSecrets } from "./addresses.js";
import { Unreadable } from "./cli-error.js";
import { listServers } from "./engine.js";
import { headersOf } from "./headers.js";
import { printable } from "./print.js";

/** Maximum length, in characters, of a server's error in messages. */
const MAX_REASON = 500;
/** Maximum number of causes of an error that are printed. */
const MAX_CAUSES = 4;

/** Options of the commands that ask live servers. */
export const LIVE = {
  upstream: {
    type: "string",
    multiple: true,
    value: "URL",
    help: "Ask the MCP server at this address; NAME=URL for each of several.",
  },
  header: {
    type: "string",
    multiple: true,
    value: "'Name: value'",
    help: "Send this header to the server; 'SERVER=Name: value' if there are several.",
  },
};

/** Returns the servers of `--upstream`. Each of several needs a name, by which rules and headers refer to it. */
export function placesOf(upstreams) {
  const places = upstreams.map((upstream) => placeOf(upstream));
  const names = places.map(({ server }) => server);
  if (names.length > 1 && names.includes(""))
    throw new Unreadable("--upstream: expected a name for each of several servers: `--upstream NAME=https://…`");
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Unreadable(`--upstream: \`${twice}\` is the name of two servers`);
  return places;
}

/** Parses `URL` or `NAME=URL`. `source` is the name of the text in messages. */
export function placeOf(upstream, source = "--upstream") {
  const [, name, address] = /^(?:([^/?#]*)=)?(https?:\/\/.+)$/.exec(upstream) ?? [];
  if (address !== undefined && URL.canParse(address)) return { server: serverOf(name), url: requestable(address) };
  const expected = `${source}: expected the address of an MCP server, such as https://example.com/mcp, got \`${withoutSecrets(upstream)}\``;
  if (!/\s|^(?:npx|uvx|docker|node|python3?|deno|bunx?)$|\.m?[jt]s$|\.py$/.test(upstream))
    throw new Unreadable(expected);
  throw new Unreadable(
    `${expected}; a local server is started by the \`command\` of a file: \`{ "upstream": { "command": ["npx", "-y", "…"] } }\``,
  );
}

/** Returns the name of a server. Throws for characters that options use as separators. */
function serverOf(name = "") {
  if (/^[\w.-]*$/.test(name)) return name;
  throw new Unreadable(
    `--upstream: expected a name of ASCII letters, digits, \`_\`, \`.\` and \`-\` for the server, got \`${name}\``,
  );
}

/** Returns the address. Throws if it has a login, because `fetch` refuses to request it. */
function requestable(address) {
  const { username, password, href } = new URL(address);
  // Hosts with letters outside ASCII are named in ASCII.
  if (username + password === "") return /^[!-~]+$/.test(address) ? address : href;
  throw new Unreadable(
    `--upstream: expected an address without user and password, got \`${withoutSecrets(address)}\`: send them in the header \`Authorization: Basic …\``,
  );
}

/** Returns the servers with the headers of `--header`, which replace headers of the same name. */
export function withHeaders(places, lines) {
  const given = headersOf(
    lines,
    places.map(({ server }) => server),
  );
  return places.map((place, at) => {
    const headers = new Headers();
    const known = place.headers ?? {};
    for (const [name, value] of Symbol.iterator in known ? known : Object.entries(known)) {
      try {
        headers.set(name, value);
      } catch {
        throw new Unreadable(
          `header \`${name}\` of the server \`${place.server}\`: its value has characters that no header may have`,
        );
      }
    }
    for (const [name, value] of given[at]) headers.set(name, value);
    return { ...place, headers };
  });
}

/**
 * Lists servers, `{ server, url, headers }`, side by side. Returns those that could be listed as `found`, in their order, and for
 * each of the others a failure `{ server, url, problem, message }`. `partial` has the lists that are missing or incomplete, and
 * `notes` reports on what servers say of themselves.
 * @param {any[]} places
 * @param {{ config?: string, shown?: Map<string, string> }} [options] the configuration with the other settings of the servers;
 *   `shown` has what messages show in place of an address, by server
 */
export async function ask(places, { config = "{}", shown = new Map() } = {}) {
  if (places.length === 0) return { found: [], failures: [], partial: [], notes: [] };
  const progress = new Progress(places.length);
  const asked = places.map((place) => new Place(place, progress));
  const { servers, notes } = await listServers(config, asked);
  progress.clear();
  const results = places.map((place, at) => ({
    ...place,
    shown: shown.get(place.server) ?? withoutSecrets(place.url),
    cause: asked[at].cause,
    ...servers[at],
  }));
  const isFound = ({ lists }) => lists !== undefined;
  const named = ({ server, shown }) => (server === "" ? shown : `${server} (${shown})`);
  return {
    found: results.filter(isFound).map(({ server, url, shown, lists, pages, declared, about, info, missing }) => ({
      server,
      url,
      shown,
      title: info?.title ?? info?.name,
      text: withResult(lists, declared),
      about,
      pages: withResult(`[${pages.join(",")}]`, declared),
      missing,
    })),
    failures: results
      .filter((result) => !isFound(result))
      .map((result) => {
        const problem = problemOf(result);
        return { server: result.server, url: result.shown, problem, message: `${named(result)}: ${problem}` };
      }),
    partial: results.filter(isFound).flatMap((result) =>
      result.problems.map(({ list, problem }) => ({
        server: result.server,
        url: result.shown,
        list,
        problem: shortened(problem),
        message: `${named(result)}: ${shortened(problem)}`,
      })),
    ),
    notes,
  };
}

/** Returns the text of an array of results with one more. */
const withResult = (results, more) =>
  more === undefined ? results : `${results.slice(0, -1)}${results === "[]" ? "" : ","}${more}]`;

/** A server to list, and the network to it. */
class Place {
  /**
   * Why the last request that failed had no response.
   * @type {string | undefined}
   */
  cause;
  #progress;

  /**
   * @param {{ server: string, url: string, headers: Headers }} place
   * @param {Progress} progress
   */
  constructor({ server, url, headers }, progress) {
    this.server = server;
    this.url = url;
    this.headers = headers;
    this.#progress = progress;
  }

  /** @type {(url: string, request: RequestInit) => Promise<Response>} */
  async fetch(url, request) {
    try {
      // The client itself decides which redirects it follows.
      return await fetch(url, { ...request, redirect: "manual" });
    } catch (error) {
      this.cause = causesOf(error);
      throw error;
    }
  }

  progress(/** @type {number} */ more) {
    this.#progress.add(more);
  }
}

/** Shows the number of primitives so far on a terminal, in one line that is overwritten. */
class Progress {
  #servers;
  #primitives = 0;

  /** @param {number} servers */
  constructor(servers) {
    this.#servers = servers;
  }

  add(primitives) {
    this.#primitives += primitives;
    this.#show(`${this.#primitives} primitives of ${this.#servers} server${this.#servers === 1 ? "" : "s"}`);
  }

  clear() {
    this.#show("");
  }

  #show(line) {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${printable(line)}`);
  }
}

/** Returns the messages of an error and its causes. */
function causesOf(error) {
  const causes = [];
  for (let cause = error; cause && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push(cause.message || cause.code);
  return [...new Set(causes)].join(": ");
}

/** Returns the beginning of a text. Errors of servers can be very long. */
const shortened = (text) => (text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text);

/** Returns why a server cannot be listed, with advice. */
function problemOf({ server, url, headers, reason, message, cause, signIn }) {
  // Messages may repeat the address with its credentials.
  const readable = (text) => shortened(text.replaceAll(url, withoutSecrets(url)));
  const text = readable(message);
  switch (reason) {
    case "upstream_unreachable":
      return `nothing answers there${cause === undefined ? "" : ` (${readable(cause)})`}`;
    case "upstream_unauthorized":
      if (signIn !== undefined) return `needs you to sign in: \`npx mcp-sieve login ${signIn}\``;
      return headers.has("authorization")
        ? text
        : `${text}; a token goes in with --header '${server && `${server}=`}Authorization: Bearer …'`;
    case "upstream_not_mcp":
      return `${text}; is this the address of an MCP server?`;
    default:
      return text;
  }
}
