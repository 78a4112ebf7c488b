// @ts-check
// `mcp-sieve verify`: the hashes of a list result, done again from what the server listed.
import { hash_of, hashes } from "../lib/engine.js";
import { Unreadable, reading, textOf } from "../lib/input.js";
import { CATALOG, CONFIG, FILTER, JSON_LINE, KIND, QUERY } from "../lib/options.js";
import { print, printJson } from "../lib/print.js";
import { SOURCES, configOf, gather } from "../lib/sources.js";

/** The lists, and what identifies their elements. */
const IDS = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name", skills: "uri" };
const KINDS = Object.keys(IDS);
const HASHES = ["catalogHash", "filterHash", "resultHash"];

export const usage = {
  summary: "Recompute the hashes of a list result from what the server listed.",
  takes: "[RESULT]",
  about: "RESULT is a file with a list result, or a resultHash. Without it, the hashes are printed.",
  options: {
    ...SOURCES,
    catalog: CATALOG,
    config: CONFIG,
    filter: FILTER,
    query: QUERY,
    kind: KIND,
    json: JSON_LINE,
  },
  examples: ["result.json --catalog lists.json --config sieve.jsonc", "result.json --live"],
};

export default async function verify({ subject, config, filter, query, kind, json, ...sources }) {
  if (!sources.live && sources.catalog === undefined && sources.upstream === undefined)
    throw new Unreadable(
      "expected the lists of the server: `npx mcp-sieve verify result.json --catalog lists.json`, --live or --upstream URL",
    );
  if (kind !== undefined && !KINDS.includes(kind))
    throw new Unreadable(`unknown kind \`${kind}\`, expected one of ${KINDS.join(", ")}`);

  const { rules, servers, lists, partial } = await gather(configOf(config, sources), sources, { whole: true });
  if (partial.length > 0) throw new Unreadable(partial.map(({ message }) => message).join("; "));
  /** @type {Record<string, any>} */
  const stated = subject === undefined || /^[0-9a-f]{32}$/.test(subject) ? { resultHash: subject } : resultOf(subject);
  // The filter: from the options, or else from the report in the result.
  /** @type {Record<string, any>} */
  const asked = filter === undefined && query === undefined ? stated : { filter, url: query };
  /**
   * @param {string} [first]
   * @param {number} [count]
   */
  const sums = (first, count) =>
    reading("--filter", () =>
      JSON.parse(
        hashes({
          config: rules,
          servers,
          lists,
          filter: asked.filter ?? "{}",
          query: asked.url ?? "",
          kind: stated.kind ?? kind ?? "tools",
          first,
          count,
        }),
      ),
    );

  let computed = sums();
  // Fewer than match are a page; it begins with its first.
  const page = stated.page === true && stated.count < computed.matched;
  if (page) computed = sums(stated.first, stated.count);
  return report({ stated, computed, page: page ? `${stated.count} of ${computed.matched}` : undefined }, json);
}

/** Reads a file with a list result: its report, and the hash of its list. */
function resultOf(path) {
  const text = textOf(path);
  let read;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`${path}: not JSON: ${error.message}`);
  }
  const result = read?.result ?? read;
  const kind = KINDS.find((list) => Array.isArray(result?.[list]));
  if (kind === undefined) throw new Unreadable(`${path}: expected a list result, with one of ${KINDS.join(", ")}`);
  const { applied, url, ...report } = result._meta?.["dev.mcpsieve/filter"] ?? {};
  const items = result[kind];
  return {
    ...Object.fromEntries(HASHES.map((name) => [name, report[name]])),
    kind,
    filter: applied && JSON.stringify(applied),
    url: url && JSON.stringify(url),
    own: reading(path, () => hash_of(text, kind), { text }),
    count: items.length,
    first: items[0]?.[IDS[kind]],
    // The last page has no cursor, and no fewer match than all pages have.
    page: items.length > 0,
  };
}

function report({ stated, computed, page }, json) {
  const rows = HASHES.map((name) => ({ name, stated: stated[name], computed: computed[name] }));
  if (stated.own !== undefined) rows.push({ name: "primitives", stated: stated.own, computed: computed.resultHash });
  const compared = rows.map((row) => ({
    ...row,
    equal: row.stated === undefined ? undefined : row.stated === row.computed,
  }));
  const equal = compared.every((row) => row.equal !== false);
  if (json) {
    printJson({ equal, page, hashes: Object.fromEntries(compared.map(({ name, ...row }) => [name, row])) });
    return equal ? 0 : 1;
  }
  const words = { true: "equal", false: "differs", undefined: "" };
  for (const row of compared) {
    const said = row.equal === false ? `${row.stated}, expected ${row.computed}` : row.computed;
    print(`${row.name.padEnd(12)} ${words[row.equal].padEnd(8)} ${said}`);
  }
  if (page !== undefined) print(`a page: ${page} primitives`);
  return equal ? 0 : 1;
}
