// @ts-check
// The lists that a configuration is tried on: results in files, servers given as addresses, and the servers of the file itself.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { locate, servers as serversOf } from "./engine.js";
import { folderOf } from "./files.js";
import { inputs, output, reading, rulesOf } from "./input.js";
import { LIVE, ask, placesOf, withHeaders } from "./live-server.js";
import { lockedConfig } from "./lock-file.js";
import { signInServers } from "./connections/servers.js";
import { ownTokens, withoutSignIns } from "./connections/token.js";
import { USUAL } from "./options.js";
import { openBridge } from "../stdio/bridge.js";
import { hasLocal, localized, processesOf, shownPlaces } from "../stdio/localized.js";
import { warn } from "./print.js";
import { Unreadable } from "./cli-error.js";
import { ENV_FILE } from "./env-file.js";
import { variables } from "./environment.js";
import { withoutSecrets } from "./addresses.js";
import { UnsetVariables } from "./unset-variables.js";

/** The option that keeps lists. */
export const SAVE = {
  save: { type: "string", value: "FOLDER", help: "Write what the servers list into FOLDER, in files for --catalog." },
};

/** Options of the commands that judge what servers list. */
export const SOURCES = {
  live: { type: "boolean", help: "Ask the servers that the configuration names, with their headers." },
  ...LIVE,
  ...SAVE,
  ...ENV_FILE,
};

/**
 * The options that name lists and servers.
 * @typedef {{ catalog?: string[], upstream?: string[], live?: boolean, header?: string[], save?: string }} Sources
 */

/**
 * The configuration that `--live` asks the servers of, if none is named.
 * @type {(config: string | undefined, sources: Sources) => string | undefined}
 */
export const configOf = (config, { live }) => config ?? (live && existsSync(USUAL) ? USUAL : undefined);

/**
 * The text of the configuration `config`, and what its servers list as `servers` and `lists`, place by place. `failures`
 * are the servers that could not be listed, and `partial` the lists of the others that are missing or incomplete. `described` has
 * what each server says of itself and lists, by server, `found` the servers that were asked, and `notes` reports on them. Throws if
 * no server could be listed or, with `whole`, if any could not. With `save`, writes what they list into that folder.
 * @param {string | undefined} config
 * @param {Sources} sources
 * @param {{ whole?: boolean }} [options]
 */
export async function gather(config, { catalog = [], upstream = [], live, header = [], save }, { whole = false } = {}) {
  const rules = lockedConfig(rulesOf(config), config, { mayLack: true });
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
  const unset = live ? leftOut(config, rules, known, given) : NONE;
  const {
    found,
    failures: unanswered,
    partial,
    notes,
  } = live
    ? await askOwn(config, rules, {
        given: [...given, ...unset.servers],
        upstream,
        header,
        unset: unset.variables,
      })
    : await ask(withHeaders(others, header));
  const failures = [...unset.failures, ...unanswered];
  if (failures.length > 0 && (whole || found.length + catalog.length === 0))
    throw new Unreadable(failures.map(({ message }) => message).join("; "));
  if (save !== undefined) saveLists(save, found);
  const described = new Map(found.map(({ server, about, pages, missing }) => [server, { about, pages, missing }]));
  return { ...inputs(config, catalog, found, rules), found, failures, partial, described, notes };
}

/** Writes what servers list into a folder, a file for each server. */
function saveLists(folder, found) {
  const place = folderOf(folder);
  const options = found.map(({ server, text }) => {
    const file = `${server === "" ? "lists" : encodeURIComponent(server)}.json`;
    output(join(place, file), `${text}\n`);
    return `--catalog ${server === "" ? "" : `${server}=`}${join(folder, file)}`;
  });
  if (options.length > 0) warn(`the lists are saved: ${options.join(" ")}`);
}

/** Reports the servers and the lists that are missing, a line each, and the `effect` of that. */
export function warnOf({ failures = [], partial }, effect = "their primitives are reported as missing") {
  warn(...partial.map(({ message }) => message));
  if (failures.length === 0) return;
  warn(
    ...failures.map(({ message }) => message),
    `${failures.length === 1 ? "one server was" : `${failures.length} servers were`} not listed: ${effect}`,
  );
}

/** Returns the servers and the lists that are missing, for `--json`. */
export function missingOf({ failures = [], partial }) {
  const without = (rows) => (rows.length === 0 ? undefined : rows.map(({ message, ...row }) => row));
  return { partial: without(partial), failures: without(failures) };
}

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

/** @type {{ servers: string[], failures: { server: string, url: string, problem: string, message: string }[], variables?: UnsetVariables }} */
const NONE = { servers: [], failures: [] };

/**
 * Returns the servers of a file that refer to variables which are not set, with a failure for each, and the variables. The only
 * server of a file is not left out.
 * @param {string | undefined} config
 * @param {string} rules
 * @param {{ several: boolean, servers: { name: string, url: string }[] }} known
 * @param {string[]} given the servers whose lists are given
 */
function leftOut(config, rules, { several, servers }, given) {
  if (!several) return NONE;
  const unset = new UnsetVariables();
  processesOf(rules, process.env, config, unset);
  variables(rules, process.env, unset);
  const failures = servers
    .filter(({ name }) => unset.of(name).length > 0 && !given.includes(name))
    .map(({ name, url }) => {
      const names = unset.of(name).map((variable) => `\`${variable}\``);
      const problem = `is left out: the variable${names.length === 1 ? "" : "s"} ${names.join(", ")} ${names.length === 1 ? "is" : "are"} not set`;
      const shown = shownPlaces(rules).get(name) ?? withoutSecrets(url);
      return { server: name, url: shown, problem, message: `${name} (${shown}): ${problem}` };
    });
  return { servers: failures.map(({ server }) => server), failures, variables: unset };
}

/**
 * Asks the servers that the file names, local ones among them.
 * @param {string | undefined} config
 * @param {string} given the text of the configuration
 * @param {Record<string, any>} options
 */
async function askOwn(config, given, { header, unset, ...others }) {
  // This user's own tokens stand for the sign-in.
  const rules = withoutSignIns(given);
  const isFile = config !== undefined;
  const signIns = isFile ? signInServers(given, undefined, config).map(({ name }) => name) : [];
  const chosen = { ...others, signIns, tokens: isFile ? await ownTokens(given) : new Map() };
  if (config === undefined || !hasLocal(rules))
    return ask(withHeaders(ownPlaces(config, rules, chosen), header), { config: rules });
  const bridge = await openBridge();
  try {
    const urls = await bridge.use(processesOf(rules, process.env, config, unset));
    const bridged = localized(rules, urls);
    const places = ownPlaces(config, bridged, chosen);
    return await ask(withHeaders(places, header), { config: bridged, shown: shownPlaces(rules) });
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
function ownPlaces(config, rules, { given, upstream, tokens, signIns }) {
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
    const { headers } = resolved.servers.find((server) => server.name === name);
    const token = tokens.get(name);
    return {
      server: several ? name : "",
      url,
      headers: token === undefined ? headers : [...headers, ["authorization", `Bearer ${token}`]],
      signIn: signIns.includes(name) ? name : undefined,
    };
  });
}
