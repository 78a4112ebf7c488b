// @ts-check
// `mcp-sieve init`: a first sieve.jsonc, suggested from what servers list, or suggestions for the servers of one.
import { existsSync } from "node:fs";
import { resolve, dirname, join } from "node:path";
import { ENV_FILE } from "../lib/env-file.js";
import { MAX_SERVERS } from "../lib/gateway-inputs.js";
import { headersOf } from "../lib/headers.js";
import { extend } from "./init/extend.js";
import { plain, textOf } from "./init/file.js";
import { sourcesOf } from "./init/lists.js";
import { placeholders } from "./init/placeholders.js";
import { prefixesOf } from "./init/prefixes.js";
import { report } from "./init/report.js";
import { settle } from "./init/settle.js";
import { suggest } from "./init/suggest.js";
import { Unreadable, output } from "../lib/input.js";
import { LIVE } from "../lib/live-server.js";
import { CATALOG, JSON_LINE, OUT } from "../lib/options.js";
import { SAVE, gather } from "../lib/sources.js";

export const usage = {
  summary: "Write a first sieve.jsonc, or add groups and tags to one, suggested from what servers list.",
  takes: "[CONFIG | URL]",
  most: Infinity,
  about: `URL is the same as --upstream URL. Suggests groups by server and by the words in names, tags by annotations, and
prefixes for names that several servers list. The file passes \`npx mcp-sieve check\`. No header value is written into it.
With a CONFIG, such as one of \`npx mcp-sieve import\`, its servers are asked, local ones among them, and what it has no group or
tag for is added. Its comments, its own groups and rules and everything else stay as they are written.`,
  options: {
    ...LIVE,
    catalog: CATALOG,
    ...SAVE,
    ...ENV_FILE,
    out: { ...OUT, help: "The file to write, or - for standard output (default: CONFIG, or sieve.jsonc)." },
    force: { type: "boolean", help: "Replace a file that exists." },
    json: JSON_LINE,
  },
  examples: [
    "https://example.com/mcp",
    "sieve.jsonc",
    "--upstream forge=https://forge.example/mcp --upstream wiki=https://wiki.example/mcp",
    "--catalog lists.json -o -",
  ],
};

/** @param {Record<string, any>} given */
export default async function init({ subjects, subject, force, ...given }) {
  const file = subjects.find((one) => existsSync(one));
  const { out = file ?? "sieve.jsonc" } = given;
  if (file !== undefined && subjects.length > 1)
    throw new Unreadable(`expected one configuration, or addresses of servers, got ${subjects.join(" and ")}`);
  if (![file, "-"].includes(out) && !force && existsSync(out))
    throw new Unreadable(`${out} exists already: add --force to replace it, or -o FILE to write another file`);
  return file === undefined ? begin(subjects, { ...given, out }) : extend(file, { ...given, out });
}

/**
 * Writes a new file.
 * @param {string[]} addresses
 * @param {Record<string, any>} given
 */
async function begin(addresses, { out, catalog, json, upstream = [], header = [], save }) {
  addresses.forEach(checkAddress);
  const upstreams = [...upstream, ...addresses];
  if (catalog === undefined && upstreams.length === 0) {
    throw new Unreadable(
      "expected a server, `npx mcp-sieve init https://example.com/mcp`, a configuration with servers, `npx mcp-sieve init sieve.jsonc`, or lists, `--catalog lists.json`",
    );
  }
  const sourced = { catalog, upstream: upstreams, header, save };
  const { servers, lists, found: live, partial } = await gather(undefined, sourced, { whole: true });
  if (servers.length > 1 && servers.includes("")) {
    throw new Unreadable(
      "expected a name for each of several servers: --upstream forge=https://… --catalog wiki=wiki.json",
    );
  }
  if (servers.length > MAX_SERVERS)
    throw new Unreadable(`expected at most ${MAX_SERVERS} servers, got ${servers.length}`);
  const sources = sourcesOf(servers, lists, live);
  const toolless = sources.filter(({ primitives }) => primitives.tools.length === 0).map(({ server }) => server);
  const lost = partial.filter(({ server, list }) => list === "tools" && toolless.includes(server));
  if (lost.length > 0) throw new Unreadable(lost.map(({ message }) => message).join("; "));
  const { shared, prefixes } = prefixesOf(sources);
  const { headers, variables } = placeholders(
    live.map(({ server }) => server),
    headersOf(
      header,
      live.map(({ server }) => server),
    ),
  );
  const draft = { ...suggest(sources), ...behind(servers, live, headers, prefixes), schema: schemaFrom(out) };
  const findings = settle(draft, servers, lists, { textWith: () => JSON.stringify(plain(draft)) });
  output(out, textOf(draft, sources));
  report({ file: out, draft, sources, shared, prefixes, variables, findings, live, partial }, json);
  return 0;
}

/** Refuses the name of a file that does not exist in place of an address. */
function checkAddress(subject) {
  if (/^[^:]+\.jsonc?$/.test(subject)) throw new Unreadable(`${subject}: there is no such file`);
}

/** Returns the members of the file with the upstream servers. `unknown` are servers whose address was not given. */
function behind(servers, live, headers, prefixes) {
  const entries = servers.map((server) => {
    const at = live.findIndex((place) => place.server === server);
    const url =
      live[at]?.url ??
      `https://${
        server
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, "-")
          .replaceAll(/^-+|-+$/g, "") || "server"
      }.example/mcp`;
    return { name: server || undefined, url, prefix: prefixes.get(server), headers: headers[at] };
  });
  const unknown = servers.filter((server) => !live.some((place) => place.server === server));
  if (servers.length > 1) return { upstreams: entries, unknown };
  return { upstream: unknown.length === 0 ? entries[0] : undefined, unknown: [] };
}

/** The place of the schema for editors, as seen from the file. */
function schemaFrom(out) {
  const path = "node_modules/mcp-sieve/dist/sieve.schema.json";
  return out !== "-" && existsSync(join(dirname(resolve(out)), path)) ? `./${path}` : undefined;
}
