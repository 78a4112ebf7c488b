// @ts-check
// The variables and secrets of a Worker: its own, and those that the configuration refers to.
import { parseConfig } from "./input.js";
import { UnsetVariables } from "./unset-variables.js";

/** The prefix of the Worker's own variables. No others are taken from the environment. */
const OWN = "SIEVE_";
/** The name of a server that the configuration gives none. */
const UNNAMED = "upstream";

/**
 * The servers of a configuration: `{ name, url, command, headers, auth }` each, without `url` where the address is given
 * elsewhere, and with the `command` of a local server. `auth` has the settings under it, also where it is one word.
 */
export function serversOf(config) {
  const { upstream, upstreams = [] } = parseConfig(config);
  return [upstream, ...upstreams].filter(Boolean).map(({ name = UNNAMED, url, command, headers = {}, auth }) => ({
    name,
    url: url || undefined,
    command,
    headers,
    auth: typeof auth === "string" ? { type: auth } : auth,
  }));
}

/** The members of a client under `auth`, whose values refer to variables. */
const OF_CLIENT = ["id", "secret", "key"];
/** Those whose values are secrets. */
const SECRETS_OF_CLIENT = ["secret", "key"];

/**
 * The settings of a server that refer to variables: `{ place, value }` each.
 * @param {{ headers: Record<string, string>, auth?: Record<string, any> }} server
 */
const settingsOf = ({ headers, auth }) => [
  ...Object.entries(headers).map(([header, value]) => ({ place: `header \`${header}\``, value })),
  ...OF_CLIENT.filter((member) => auth?.client?.[member] !== undefined).map((member) => ({
    place: `\`auth.client.${member}\``,
    value: auth.client[member],
  })),
];

/** The middleware servers of a configuration, in the same form. */
function middlewareServersOf(config) {
  const servers = Object.entries(parseConfig(config).middleware?.servers ?? {});
  return servers.map(([name, { url, headers = {} }]) => ({ name, url, headers, isMiddleware: true }));
}

/** The values of the clients under `auth`, by which the gateway is known to authorization servers. @returns {string[]} */
function clientValuesOf(config) {
  const issuers = [parseConfig(config).auth ?? []].flat();
  const clients = issuers.flatMap(({ client, introspection }) => [client, introspection?.client]).filter(Boolean);
  return clients.flatMap(({ id, secret, key }) => [id, secret, key]).filter(Boolean);
}

/** The names of the variables that a value refers to; `$$` is a dollar sign. */
const namesIn = (value) =>
  [...value.matchAll(/\$\$|\$\{([^}]*)\}/g)].map(([, name]) => name).filter((name) => name !== undefined);

/**
 * References to variables, `{ name, place, server }` each, in order; `server` is the upstream server that one belongs to. Values of
 * a server's `headers` and of clients under `auth` refer to them, as `${NAME}`; anywhere else, such as in the name of a tool that a
 * rule matches, `${NAME}` is plain text.
 * @returns {{ name: string, place: string, server?: string }[]}
 */
function references(config) {
  const servers = [
    ...serversOf(config).map((server) => ({ ...server, isMiddleware: false })),
    ...middlewareServersOf(config),
  ];
  const ofServers = servers.flatMap(({ name: server, isMiddleware, ...settings }) =>
    settingsOf(settings).flatMap(({ place, value }) =>
      namesIn(value).map((name) => ({
        name,
        place: `${place} of the server \`${server}\``,
        ...(isMiddleware ? {} : { server }),
      })),
    ),
  );
  const ofClients = clientValuesOf(config).flatMap(namesIn);
  return [...ofServers, ...ofClients.map((name) => ({ name, place: "a client of `auth`" }))];
}

/** The headers of all servers whose value the configuration contains whole: `{ header, value, server }` each. */
export const writtenHeaders = (config) =>
  [...serversOf(config), ...middlewareServersOf(config)].flatMap(({ name: server, headers }) =>
    Object.entries(headers)
      .filter(([, value]) => namesIn(value).length === 0)
      .map(([header, value]) => ({ header, value, server })),
  );

/** The secrets of clients under `auth` whose value the configuration contains whole: `{ member, server }` each. */
export const writtenClients = (config) =>
  serversOf(config).flatMap(({ name: server, auth }) =>
    SECRETS_OF_CLIENT.filter((member) => auth?.client?.[member] && namesIn(auth.client[member]).length === 0).map(
      (member) => ({ member, server }),
    ),
  );

/** The addresses of all servers that have one: `{ url, server }` each. */
export const addressesOf = (config) =>
  [...serversOf(config), ...middlewareServersOf(config)]
    .filter(({ url }) => url !== undefined)
    .map(({ name: server, url }) => ({ server, url }));

/** The names of the variables that a configuration refers to. */
export const referred = (config) => [...new Set(references(config).map(({ name }) => name))];

/**
 * Picks from an environment what the Worker reads under this configuration. Throws if a variable that it refers to is not
 * set, unless `unset` takes them.
 * @param {string} config
 * @param {Record<string, string | undefined>} environment
 * @param {UnsetVariables} [unset]
 */
export function variables(config, environment, unset) {
  const missing = unset ?? new UnsetVariables();
  // The gateway treats an empty variable as missing.
  for (const { name, place, server } of references(config)) if (!environment[name]) missing.add(name, place, server);
  if (!unset) missing.refuse();
  const names = referred(config);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => name.startsWith(OWN) || names.includes(name)),
  );
}
