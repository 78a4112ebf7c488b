// @ts-check
// The output of `dev`: words, or a line of JSON for each event.
import { print, printJson } from "./print.js";
import { totalLine } from "./total.js";
import { eventOf, lineOf, placeOf } from "./upstreams.js";

const NO_SERVER = "none, so MCP requests fail; pass --upstream URL, or name a server in the configuration";

/** @type {Record<string, (facts: Record<string, any>) => string[]>} */
const words = {
  ready: ({ mcp, page, servers, config, cluster, node, bearer }) => [
    `  MCP       ${mcp}`,
    `  page      ${page}`,
    ...(bearer === undefined ? [] : [`  header    Authorization: Bearer ${bearer}`]),
    servers.length === 1
      ? `  server    ${placeOf(servers[0])}`
      : `  servers   ${servers.map(({ name }) => name).join(", ") || NO_SERVER}`,
    ...(cluster === undefined ? [] : [`  cluster   ${cluster}, this node at ${node}`]),
    `  rules     ${config ?? "none; `npx mcp-sieve init` writes a first file"}`,
    "",
    "Ctrl-C ends it.",
  ],
  server: ({ names, ...event }) => [lineOf(event, names)],
  total: ({ rules, ...total }) => [totalLine(/** @type {import("./total.js").Total} */ (total), rules)],
  finding: ({ text }) => [text],
  warning: ({ problem }) => [`warning: ${problem}`],
  changed: ({ config }) => [`${config}: in force`],
  kept: ({ config, lines }) => [...lines, `${config}: the previous configuration stays in effect`],
  ended: () => ["ended"],
};

/**
 * Returns the function that reports an event with its facts.
 * @param {boolean | undefined} json
 * @returns {(event: string, facts: Record<string, any>) => void}
 */
export function reporter(json) {
  if (json) return (event, { names, lines, rules, ...facts }) => printJson({ event, ...facts });
  return (event, facts) => print(...words[event](facts));
}

/**
 * Returns the function that reports on the servers of each configuration in turn, once the gateway has listed them, and then the
 * total of their lists. Unchanged reports are not repeated.
 */
export function serverReporter(report) {
  /** @type {Map<string, string>} */
  const known = new Map();
  let latest;
  let knownTotal;
  /** @typedef {{ config?: string, servers?: any[], reports?: Promise<any[]>, total?: Promise<import("./total.js").Total | undefined> }} Served */
  return (/** @type {Served} */ { config: rules, servers = [], reports, total } = {}) => {
    latest = reports;
    const places = new Map(servers.map((server) => [server.name, server]));
    for (const name of known.keys()) if (!places.has(name)) known.delete(name);
    reports
      ?.then(async (listed) => {
        for (const one of latest === reports ? listed : []) {
          /** @type {Record<string, any>} */
          const { ms, ...event } = eventOf(one, places.get(one.name));
          const text = JSON.stringify(event);
          if (known.get(one.name) === text) continue;
          known.set(one.name, text);
          report("server", { ...event, ms, names: [...places.keys()] });
        }
        const all = await total;
        if (all === undefined || latest !== reports || knownTotal === JSON.stringify([all, rules])) return;
        knownTotal = JSON.stringify([all, rules]);
        report("total", { tools: all.tools, tokens: all.tokens, rules });
      })
      .catch((error) => {
        // A gateway that has been stopped or replaced reports nothing more.
        if (latest === reports)
          report("warning", { problem: `the gateway does not report how its servers are doing: ${error.message}` });
      });
  };
}
