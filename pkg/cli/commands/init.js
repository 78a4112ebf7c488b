// @ts-check
// `mcp-sieve init`: a first sieve.jsonc, suggested from what servers list.
import { existsSync } from "node:fs";
import { resolve, dirname, join } from "node:path";
import { YES } from "../lib/optional-packages.js";
import { lint } from "../lib/engine.js";
import { headersOf } from "../lib/headers.js";
import { plain, textOf } from "./init/file.js";
import { placeholders } from "./init/placeholders.js";
import { prefixesOf } from "./init/prefixes.js";
import { report } from "./init/report.js";
import { suggest } from "./init/suggest.js";
import { Unreadable, inputs, output, reading } from "../lib/input.js";
import { LIVE, listed } from "../lib/live-server.js";
import { CATALOG, JSON_LINE, OUT } from "../lib/options.js";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];
/** Maximum number of upstream servers, as in the engine (`crates/gateway/src/config/upstream.rs`). */
const MAX_SERVERS = 32;
/** Codes about the servers' lists that no suggestion mends. */
const NOTES = ["repaired", "differs", "prefixed"];
/** Maximum number of times that the suggestions are checked and mended. Each mends all findings that it can. */
const MAX_ROUNDS = 10;

export const usage = {
  summary: "Write a first sieve.jsonc, suggested from what servers list.",
  takes: "[URL]",
  most: Infinity,
  about: `URL is the same as --upstream URL. Suggests groups by server and by the words in names, tags by annotations, and
prefixes for names that several servers list. The file passes \`npx mcp-sieve check\`. No header value is written into it.`,
  options: {
    ...LIVE,
    catalog: CATALOG,
    out: { ...OUT, help: "The file to write, or - for standard output (default: sieve.jsonc)." },
    force: { type: "boolean", help: "Replace a file that exists." },
    json: JSON_LINE,
    ...YES,
  },
  examples: [
    "https://example.com/mcp",
    "--upstream forge=https://forge.example/mcp --upstream wiki=https://wiki.example/mcp",
    "--catalog lists.json -o -",
  ],
};

export default async function init({ subjects, catalog, out = "sieve.jsonc", force, json, upstream = [], ...asking }) {
  const upstreams = [...upstream, ...subjects.map(addressOf)];
  if (catalog === undefined && upstreams.length === 0) {
    throw new Unreadable(
      "expected a server, `npx mcp-sieve init https://example.com/mcp`, or its lists, `--catalog lists.json`",
    );
  }
  if (out !== "-" && !force && existsSync(out))
    throw new Unreadable(`${out} exists already: add --force to replace it, or -o FILE to write another file`);
  const live = await listed(upstreams, asking);
  const { servers, lists } = inputs(undefined, catalog, live);
  if (servers.length > 1 && servers.includes("")) {
    throw new Unreadable(
      "expected a name for each of several servers: --upstream forge=https://… --catalog wiki=wiki.json",
    );
  }
  if (servers.length > MAX_SERVERS)
    throw new Unreadable(`expected at most ${MAX_SERVERS} servers, got ${servers.length}`);
  const titles = new Map(live.map(({ server, title }) => [server, title]));
  const sources = lists.map((text, at) => ({
    server: servers[at],
    title: titles.get(servers[at]),
    primitives: primitivesOf(text),
  }));
  const { shared, prefixes } = prefixesOf(sources);
  const { headers, variables } = placeholders(
    live.map(({ server }) => server),
    headersOf(
      asking.header ?? [],
      live.map(({ server }) => server),
    ),
  );
  const draft = { ...suggest(sources), ...behind(servers, live, headers, prefixes), schema: schemaFrom(out) };
  const findings = settle(draft, servers, lists);
  output(out, textOf(draft, sources));
  report({ file: out, draft, sources, shared, prefixes, variables, findings, live }, json);
  return 0;
}

/** An argument without `--upstream`. */
function addressOf(subject) {
  if (existsSync(subject))
    throw new Unreadable(
      `expected the address of an MCP server, got the file \`${subject}\`; \`--catalog ${subject}\` reads list results from a file`,
    );
  return subject;
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

function primitivesOf(text) {
  const results = [JSON.parse(text)].flat().map((result) => result?.result ?? result);
  const found = (kind) =>
    results
      .flatMap((result) => result?.[kind] ?? [])
      .filter((primitive) => typeof primitive === "object" && primitive !== null);
  return Object.fromEntries(KINDS.map((kind) => [kind, found(kind)]));
}

/** The place of the schema for editors, as seen from the file. */
function schemaFrom(out) {
  const path = "node_modules/mcp-sieve/dist/sieve.schema.json";
  return out !== "-" && existsSync(join(dirname(resolve(out)), path)) ? `./${path}` : undefined;
}

/** Leaves out suggestions that `check` would report, and declares what the servers use already. Returns the findings that are left. */
function settle(draft, servers, lists) {
  for (let round = 0; ; round += 1) {
    // Findings about the lists of servers are no errors of the file.
    // The engine may refuse what options name, such as a header that the gateway sets itself.
    const checked = reading("the suggested file", () => lint(JSON.stringify(plain(draft)), servers, lists));
    const findings = JSON.parse(checked).findings.filter(({ code }) => !NOTES.includes(code));
    if (round === MAX_ROUNDS || !findings.map((finding) => mend(draft, finding)).includes(true)) return findings;
    for (const list of ["rules", "groups", "tags"]) draft[list] = draft[list].filter((suggestion) => !suggestion.gone);
  }
}

/** Mends one finding. Returns whether it did. */
function mend(draft, { code, place, message }) {
  const [, used] = /^the \w+ `([^]+)` is not declared under `\w+`$/.exec(message) ?? [];
  if (code === "undeclared_group" && used) return draft.groups.push({ name: used }) > 0;
  if (code === "undeclared_tag" && used) return draft.tags.push({ name: used }) > 0;
  const [, most] = (code === "long_name" && /`"maxToolName": (\d+)` shortens them$/.exec(message)) || [];
  if (most) {
    draft.maxToolName = Number(most);
    return true;
  }
  const [, list, number] = /^(rules|groups|tags)\[(\d+)\]/.exec(place) ?? [];
  const suggestion = draft[list]?.[number];
  if (suggestion === undefined) return false;
  suggestion.gone = true;
  return true;
}
