// What a running server lists, asked by the official TypeScript client in whichever era the server speaks.
import { readFileSync } from "node:fs";
import { borrowed } from "./borrow.js";
import { headersOf } from "./headers.js";
import { printable } from "./print.js";
import { rawResults } from "./raw-results.js";
import { Unreadable } from "./unreadable.js";

const LISTS = [["tools", "tools/list"], ["resources", "resources/list"], ["resourceTemplates", "resources/templates/list"], ["prompts", "prompts/list"]];
/** Most pages of one list that are followed. */
const MOST_PAGES = 1_000;
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Options of the commands that ask live servers. */
export const LIVE = {
  upstream: { type: "string", multiple: true, value: "URL", help: "Ask the MCP server at this address; NAME=URL for each of several." },
  header: { type: "string", multiple: true, value: "'Name: value'", help: "Send this header to the server; 'SERVER=Name: value' if there are several." },
};

/** Results as they come: the client's own schemas leave out what they do not know. */
const SCHEMA = { "~standard": { version: 1, vendor: "mcp-sieve", validate: (value) => ({ value }) } };

/**
 * Lists the servers at `upstreams` (`URL`, or `NAME=URL` where there are several), in their order: each
 * `{ server, url, title, text }`, the text an array of list results.
 */
export async function listed(upstreams = [], { header = [], yes } = {}) {
  const places = placesOf(upstreams);
  const headers = headersOf(header, places.map(({ server }) => server));
  if (places.length === 0) return [];
  const client = await borrowed("@modelcontextprotocol/client", { yes });
  const found = [];
  for (const [at, place] of places.entries()) found.push(await ask(client, { ...place, headers: headers[at] }));
  return found;
}

/** The servers of `--upstream`; several have a name of their own each, by which rules and headers refer to them. */
function placesOf(upstreams) {
  const places = upstreams.map(placeOf);
  const names = places.map(({ server }) => server);
  if (names.length > 1 && names.includes("")) throw new Unreadable("--upstream: expected a name for each of several servers: `--upstream NAME=https://…`");
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Unreadable(`--upstream: \`${twice}\` is the name of two servers`);
  return places;
}

/** The server of `NAME=URL`, or the only one. */
export function placeOf(upstream) {
  const [, server = "", address] = /^(?:([\w.-]+)=)?(https?:\/\/.+)$/.exec(upstream) ?? [];
  if (address === undefined || !URL.canParse(address)) throw new Unreadable(`--upstream: expected the address of an MCP server, such as https://example.com/mcp, got \`${upstream}\``);
  return { server, url: address };
}

async function ask({ Client, StreamableHTTPClientTransport }, { server, url, headers }) {
  const client = new Client({ name: "mcp-sieve", version }, { versionNegotiation: { mode: "auto" } });
  try {
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport);
    const whole = rawResults(transport);
    const has = client.getServerCapabilities() ?? {};
    const results = [];
    for (const [key, method] of LISTS) {
      if (!(key === "resourceTemplates" ? has.resources : has[key])) continue;
      results.push(...(await pages(client, key, method, whole)));
      progress(`${server || url}: ${count(results)} primitives`);
    }
    progress();
    const { name, title = name } = client.getServerVersion() ?? {};
    return { server, url, title, text: JSON.stringify(results) };
  } catch (error) {
    progress();
    throw new Unreadable(`${url}: ${reason(error, server, headers)}`);
  } finally {
    await client.close().catch(() => {});
  }
}

async function pages(client, key, method, whole) {
  const results = [];
  for (let cursor; results.length < MOST_PAGES;) {
    const result = await whole(key, () => client.request({ method, params: cursor === undefined ? {} : { cursor } }, SCHEMA));
    results.push(result);
    if (typeof result.nextCursor !== "string") return results;
    cursor = result.nextCursor;
  }
  throw new Error(`${method} has more than ${MOST_PAGES} pages`);
}

const count = (results) => results.reduce((sum, result) => sum + LISTS.reduce((of, [key]) => of + (result[key]?.length ?? 0), 0), 0);

/** Says how far it is, where somebody watches; nothing wipes the line. */
function progress(line = "") {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${printable(line)}`);
}

function reason(error, server, headers) {
  const text = [error, error.cause].filter(Boolean).map(({ message, code }) => message || code).join(": ");
  if (/401|unauthorized/i.test(`${error.name} ${text}`) && !headers.has("authorization")) {
    return `${text}; a token goes in with --header '${server && `${server}=`}Authorization: Bearer …'`;
  }
  return /ECONNREFUSED|fetch failed/.test(text) ? `nothing answers there (${text})` : text;
}
