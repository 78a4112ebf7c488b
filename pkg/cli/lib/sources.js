// @ts-check
// The lists that a configuration is tried on: results in files, servers given as addresses, and the servers of the file itself.
import { existsSync } from "node:fs";
import { YES } from "./optional-packages.js";
import { locate, servers as serversOf } from "./engine.js";
import { inputs, reading, rulesOf } from "./input.js";
import { LIVE, ask, longInstructions, placesOf, withHeaders } from "./live-server.js";
import { USUAL } from "./options.js";
import { openBridge } from "../stdio/bridge.js";
import { hasLocal, localized, processesOf, shownPlaces } from "../stdio/localized.js";
import { warn } from "./print.js";
import { Unreadable } from "./cli-error.js";

/** Options of the commands that judge what servers list. */
export const SOURCES = {
  live: { type: "boolean", help: "Ask the servers that the configuration names, with their headers." },
  ...LIVE,
  ...YES,
};

/**
 * The options that name lists and servers.
 * @typedef {{ catalog?: string[], upstream?: string[], live?: boolean, header?: string[], yes?: boolean }} Sources
 */

/**
 * The configuration that `--live` asks the servers of, if none is named.
 * @type {(config: string | undefined, sources: Sources) => string | undefined}
 */
export const configOf = (config, { live }) => config ?? (live && existsSync(USUAL) ? USUAL : undefined);

/**
 * The text of the configuration `config`, and what its servers list as `servers` and `lists`, place by place. `failures`
 * are the servers that could not be listed, `described` has what each of the others says of itself and lists, by server, and `instructions` reports texts
 * that are cut. Throws if no server could be listed or, with `whole`, if any could not.
 * @param {string | undefined} config
 * @param {Sources} sources
 * @param {{ whole?: boolean }} [options]
 */
export async function gather(config, { catalog = [], upstream = [], live, header = [], yes }, { whole = false } = {}) {
  const rules = rulesOf(config);
  const known = JSON.parse(serversOf(rules, [], () => {}));
  const given = catalog.map((part) => /^([\w.-]+)=.+$/.exec(part)?.[1] ?? "");
  named("catalog", given, "lists.json", known);
  const others = live ? [] : placesOf(upstream);
  named(
    "upstream",
    others.map(({ server }) => server),
    "https://…",
    known,
  );
  const { found, failures } = live
    ? await askOwn(config, rules, { given, upstream, header, yes })
    : await ask(withHeaders(others, header), { yes });
  if (failures.length > 0 && (whole || found.length + catalog.length === 0))
    throw new Unreadable(failures.map(({ message }) => message).join("; "));
  const described = new Map(found.map(({ server, about, pages }) => [server, { about, pages }]));
  return { ...inputs(config, catalog, found, rules), failures, described, instructions: longInstructions(found) };
}

/** Reports the servers that could not be listed, a line each. */
export function warnOf(failures) {
  if (failures.length === 0) return;
  warn(
    ...failures.map(({ message }) => message),
    `${failures.length === 1 ? "one server was" : `${failures.length} servers were`} not listed: their primitives are reported as missing`,
  );
}

/** Returns the failures for `--json`. */
export const failuresOf = (failures) =>
  failures.length === 0 ? undefined : failures.map(({ server, url, problem }) => ({ server, url, problem }));

/** Refuses lists of servers that a file with `upstreams` does not name. */
function named(option, names, value, { several, servers }) {
  if (!several || names.length === 0) return;
  const known = servers.map(({ name }) => `\`${name}\``);
  const form = `\`--${option} ${servers[0].name}=${value}\``;
  const strange = names.find((name) => !servers.some((server) => server.name === name));
  if (strange === "")
    throw new Unreadable(
      `--${option}: the file names its servers, expected the name of one of them, ${form}${option === "upstream" ? "; --live lists them all" : ""}`,
    );
  if (strange !== undefined)
    throw new Unreadable(`--${option}: no server is called \`${strange}\`, expected ${known.join(" or ")}`);
}

/**
 * Asks the servers that the file names, local ones among them.
 * @param {string | undefined} config
 * @param {string} rules
 * @param {Record<string, any>} options
 */
async function askOwn(config, rules, { header, yes, ...chosen }) {
  if (config === undefined || !hasLocal(rules))
    return ask(withHeaders(ownPlaces(config, rules, chosen), header), { yes });
  const bridge = await openBridge();
  try {
    const urls = await bridge.use(processesOf(rules, process.env, config));
    const places = ownPlaces(config, localized(rules, urls), chosen);
    return await ask(withHeaders(places, header), { yes, shown: shownPlaces(rules) });
  } finally {
    await bridge.close();
  }
}

/**
 * The servers that the file names, but those whose lists are `given`.
 * @param {string | undefined} config
 * @param {string} rules
 * @param {Record<string, any>} chosen
 */
function ownPlaces(config, rules, { given, upstream }) {
  const { several, servers } = JSON.parse(serversOf(rules, [], () => {}));
  if (upstream.length > 0)
    throw new Unreadable("--live lists the servers of the file, and --upstream others: expected one of them");
  if (config === undefined)
    throw new Unreadable(`--live asks the servers that a configuration names: expected \`--config ${USUAL}\``);
  // As for `dev` and the Worker, a variable may hold the address of the only server.
  const variable = several ? "" : (process.env.UPSTREAM_URL ?? "");
  if (variable !== "" && ![variable, ""].includes(servers[0].url))
    throw new Unreadable(`${config} and the variable UPSTREAM_URL name different servers: expected one of them`);
  const addressed = servers.map((server) => ({ ...server, url: server.url || variable }));
  const missing = addressed.find(({ url }) => url === "");
  if (missing !== undefined)
    throw new Unreadable(
      `${config}: --live asks the servers that the file names, and it names none: expected \`upstream\` or \`upstreams\` with a \`url\`, or --upstream URL`,
    );
  const wanted = addressed.filter(({ name }) => !given.includes(several ? name : ""));
  const broken = wanted.find(({ url }) => !/^https?:/.test(url) || !URL.canParse(url));
  if (broken !== undefined)
    throw new Unreadable(
      `${config}: the \`url\` of \`${broken.name}\` is no address of an MCP server, expected one such as https://example.com/mcp`,
    );
  const names = wanted.map(({ name }) => name);
  const resolved = JSON.parse(
    reading(config, () => serversOf(rules, names, (name) => process.env[name]), { text: rules, locate }),
  );
  return wanted.map(({ name, url }) => {
    const { headers, timeoutMs, maxPages, capabilities } = resolved.servers.find((server) => server.name === name);
    return { server: several ? name : "", url, headers, timeoutMs, maxPages, capabilities };
  });
}
