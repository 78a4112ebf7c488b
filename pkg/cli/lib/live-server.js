// @ts-check
// The lists and declarations of running servers, requested by the official TypeScript client in each revision of a server.
import { pagesOf } from "../../src/client/pages.js";
import { withoutSecrets } from "./addresses.js";
import { joinRevisions } from "./engine.js";
import { borrowed } from "./optional-packages.js";
import { headersOf } from "./headers.js";
import { manifest } from "./own-package.js";
import { printable } from "./print.js";
import { memberOf, treeOf } from "./json-tree.js";
import { ResultTexts } from "./message-texts.js";
import { rawResults } from "./raw-results.js";
import { Unreadable } from "./cli-error.js";

const LISTS = [
  ["tools", "tools/list"],
  ["resources", "resources/list"],
  ["resourceTemplates", "resources/templates/list"],
  ["prompts", "prompts/list"],
  ["skills", "skills/list"],
];
/** The member of a list result by which the engine takes what a server declares. */
const DECLARED = "dev.mcpsieve/declared";
const METHOD_NOT_FOUND = -32601;
/** The extension that skills are listed by. */
const SKILLS = "io.modelcontextprotocol/skills";
/** Maximum length, in bytes, of one server's `instructions` that clients of the gateway receive, and of those of all servers. */
export const MAX_INSTRUCTIONS = 8 * 1024;
export const MAX_ALL_INSTRUCTIONS = 32 * 1024;
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

/** Accepts any result, because the client's own schemas drop unknown members. */
const SCHEMA = { "~standard": { version: 1, vendor: "mcp-sieve", validate: (value) => ({ value }) } };

/**
 * Lists the servers at `upstreams` (`URL`, or `NAME=URL` where there are several), in their order: each
 * `{ server, url, title, text, instructions }`, the text an array of list results. Throws if any cannot be listed, and
 * names all of these.
 * @param {string[]} [upstreams]
 * @param {{ header?: string[], yes?: boolean }} [options]
 */
export async function listed(upstreams = [], { header = [], yes } = {}) {
  const { found, failures } = await ask(withHeaders(placesOf(upstreams), header), { yes });
  if (failures.length > 0) throw new Unreadable(failures.map(({ message }) => message).join("; "));
  return found;
}

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
  const { username, password } = new URL(address);
  if (username + password === "") return address;
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
 * Lists servers, `{ server, url, headers, timeoutMs?, maxPages?, capabilities? }`, side by side. Returns those that could be listed as
 * `found`, in their order, and for each of the others a failure `{ server, url, problem, message }`.
 * @param {any[]} places
 * @param {{ yes?: boolean, shown?: Map<string, string> }} [options] `shown` has what messages show in place of an address, by server
 */
export async function ask(places, { yes, shown = new Map() } = {}) {
  if (places.length === 0) return { found: [], failures: [] };
  const client = await borrowed("@modelcontextprotocol/client", { yes });
  const progress = new Progress(places.length);
  const results = await Promise.all(
    places.map((place) => listOf(client, { ...place, shown: shown.get(place.server) }, progress)),
  );
  progress.clear();
  return {
    found: results.filter(({ text }) => text !== undefined),
    failures: results.filter(({ text }) => text === undefined),
  };
}

/** The session-based revision, for a server that also answers stateless requests. */
const SESSION = "legacy";

async function listOf(client, place, progress) {
  const { server, url, headers, shown = withoutSecrets(url) } = place;
  try {
    const first = await listsOf(client, place, progress, "auto");
    // As in the gateway, a server that answers stateless requests is also listed in a session, if it keeps sessions.
    const session =
      first.era === "modern" ? await listsOf(client, place, progress, SESSION).catch(() => undefined) : undefined;
    const eras = session?.sessionId === undefined ? [first] : [first, session];
    const [text, other] = eras.map(({ texts }) => `[${texts.join(",")}]`);
    const lists = other === undefined ? text : joinRevisions(text, other);
    const declared = declaration(eras);
    const { title, instructions } = first;
    return {
      server,
      url,
      title,
      text: withResult(lists, declared),
      instructions,
      about: eras.map(({ about }) => about),
      pages: withResult(`[${eras.flatMap(({ texts }) => texts).join(",")}]`, declared),
      shown,
    };
  } catch (error) {
    const problem = reason(error, { server, url, headers });
    return { server, url: shown, problem, message: `${server === "" ? shown : `${server} (${shown})`}: ${problem}` };
  }
}

/** Returns the list result by which the engine takes what a server declares; `undefined` without declarations. */
function declaration(eras) {
  const facets = Object.assign({}, ...eras.map(({ declared }) => declared).reverse());
  const written = Object.entries(facets).map(([facet, { items, problem }]) => {
    const reason = problem === undefined ? "" : `,"problem":${JSON.stringify(problem)}`;
    return `${JSON.stringify(facet)}:{"items":[${items.join(",")}]${reason}}`;
  });
  return written.length === 0 ? undefined : `{"${DECLARED}":{${written.join(",")}},"tools":[]}`;
}

/** Returns the text of an array of results with one more. */
const withResult = (results, more) =>
  more === undefined ? results : `${results.slice(0, -1)}${results === "[]" ? "" : ","}${more}]`;

/** Returns the lists, declarations and introduction of a server in one revision. */
async function listsOf(
  { Client, StreamableHTTPClientTransport },
  { url, headers, timeoutMs: timeout, maxPages, capabilities = {} },
  progress,
  mode,
) {
  const client = new Client(
    { name: "mcp-sieve", version: manifest.version },
    { capabilities, versionNegotiation: { mode } },
  );
  try {
    const received = new ResultTexts();
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: received.fetch,
    });
    const raw = rawResults(transport, received);
    await client.connect(transport, { timeout });
    const has = raw.capabilities();
    const pages = (key, method) => {
      const ask = async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = await raw.whole(key, () => client.request({ method, params }, SCHEMA, { timeout }));
        return { ...page, nextCursor: page.result.nextCursor };
      };
      return pagesOf(ask, method, maxPages);
    };
    const texts = [];
    for (const [key, method] of LISTS) {
      const announced = { ...has, resourceTemplates: has.resources, skills: has.extensions?.[SKILLS] };
      if (!announced[key]) continue;
      for await (const { result, text } of pages(key, method)) {
        texts.push(text);
        if (mode !== SESSION) progress.add(result[key]?.length ?? 0);
      }
    }
    const { name, title = name } = client.getServerVersion() ?? {};
    return {
      texts,
      about: raw.about(),
      declared: await declaredBy(has, pages),
      title,
      instructions: client.getInstructions() ?? "",
      era: client.getProtocolEra(),
      sessionId: transport.sessionId,
    };
  } finally {
    await client.close().catch(() => {});
  }
}

/**
 * Returns the groups, tags and concerns that a server with the capabilities `has` declares: `{ groups?: { items, problem? }, … }`,
 * each item as its text. A failure is reported as `problem`, and the lists of primitives stay.
 */
async function declaredBy(has, pages) {
  const filtering = [has.filtering, has.extensions?.["dev.mcpsieve/filtering"]];
  const lists = (key) => filtering.some((settings) => settings?.[key]);
  const concerns = [has.concerns, has.extensions?.["dev.mcpsieve/concerns"]];
  const written = concerns.map((settings) => (Array.isArray(settings) ? settings : settings?.concerns));
  const own = written.find(Array.isArray);
  const asked = concerns[1] || (own === undefined && concerns[0]);
  const declared = {
    groups: lists("groups") ? await itemsOf(pages, "groups", ["groups/list"]) : undefined,
    tags: lists("tags") ? await itemsOf(pages, "tags", ["tags/list"]) : undefined,
    concerns: asked ? await itemsOf(pages, "concerns", ["listConcerns", "concerns/list"]) : undefined,
  };
  if (own !== undefined && !declared.concerns?.items.length)
    declared.concerns = { items: own.map((concern) => JSON.stringify(concern)) };
  return Object.fromEntries(Object.entries(declared).filter(([, facet]) => facet !== undefined));
}

/** Returns all items of a list, by the first of `methods` that the server has. */
async function itemsOf(pages, key, methods) {
  const items = [];
  for (const [at, method] of methods.entries()) {
    try {
      for await (const { text } of pages(key, method))
        items.push(...(memberOf(treeOf(text), key)?.elements ?? []).map((item) => item.text));
      break;
    } catch (error) {
      if (error.code === METHOD_NOT_FOUND && at + 1 < methods.length) continue;
      return { items, problem: shortened(error.message) };
    }
  }
  return { items };
}

/**
 * Returns a line for each server whose `instructions` the gateway shortens or leaves out.
 * @param {{ server: string, shown?: string, instructions?: string }[]} found
 */
export function longInstructions(found) {
  const sizes = found.map(({ server, shown, instructions = "" }) => ({
    name: server || shown,
    bytes: Buffer.byteLength(instructions),
  }));
  const all = sizes.reduce((sum, { bytes }) => sum + Math.min(bytes, MAX_INSTRUCTIONS), 0);
  const cut = sizes.filter(({ bytes }) => bytes > MAX_INSTRUCTIONS);
  return [
    ...cut.map(
      ({ name, bytes }) =>
        `${name}: its \`instructions\` are ${bytes} bytes long; clients receive the first ${MAX_INSTRUCTIONS}`,
    ),
    ...(all > MAX_ALL_INSTRUCTIONS
      ? [
          `the \`instructions\` of all servers exceed ${MAX_ALL_INSTRUCTIONS} bytes; those of the last servers are left out`,
        ]
      : []),
  ];
}

/** Shows the number of primitives so far on a terminal, in one line that is overwritten. */
class Progress {
  #servers;
  #primitives = 0;

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

/** Returns the beginning of a text. Errors of servers and schemas can be very long. */
const shortened = (text) => (text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text);

/** Returns the message for a server that cannot be listed, with the causes of its error and advice. */
function reason(error, { server, url, headers }) {
  const causes = [];
  for (let cause = error; cause && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push(cause.message || cause.code);
  // Messages of libraries repeat the address with its credentials.
  const text = [...new Set(causes)].join(": ").replaceAll(url, withoutSecrets(url));
  if (/401|unauthorized/i.test(`${error.name} ${text}`) && !headers.has("authorization")) {
    return `${text}; a token goes in with --header '${server && `${server}=`}Authorization: Bearer …'`;
  }
  const strange = notMcp(error);
  if (strange !== undefined) return `it answered with ${strange}; is this the address of an MCP server?`;
  return /ECONNREFUSED|fetch failed/.test(text) ? `nothing answers there (${shortened(text)})` : shortened(text);
}

/** Describes a response that is not MCP; `undefined` for others. */
function notMcp(/** @type {{ data?: any }} */ { data = {} }) {
  const { status, text = "" } = data;
  const { contentType } = data.cause?.data ?? data;
  if ([301, 302, 307, 308, 404, 405, 410].includes(status) || (status < 500 && /^\s*<(?:!doctype|html)/i.test(text)))
    return `HTTP ${status}`;
  return contentType === undefined ? undefined : `content of the type ${shortened(String(contentType))}`;
}
