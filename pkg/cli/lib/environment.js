// @ts-check
// The variables and secrets of a Worker: its own, and those that the configuration refers to.
import { parseConfig } from "./input.js";
import { UnsetVariables } from "./unset-variables.js";

/** The prefix of the Worker's own variables. No others are taken from the environment. */
const OWN = "SIEVE_";
/** The name of a server that the configuration gives none. */
const UNNAMED = "upstream";

/**
 * The servers of a configuration: `{ name, url, command, headers }` each, without `url` where the address is given
 * elsewhere, and with the `command` of a local server.
 */
export function serversOf(config) {
  const { upstream, upstreams = [] } = parseConfig(config);
  return [upstream, ...upstreams]
    .filter(Boolean)
    .map(({ name = UNNAMED, url, command, headers = {} }) => ({ name, url: url || undefined, command, headers }));
}

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
 * a server's `headers` and of clients refer to them, as `${NAME}`; anywhere else, such as in the name of a tool that a rule
 * matches, `${NAME}` is plain text.
 * @returns {{ name: string, place: string, server?: string }[]}
 */
function references(config) {
  const servers = [
    ...serversOf(config).map((server) => ({ ...server, isMiddleware: false })),
    ...middlewareServersOf(config),
  ];
  const ofHeaders = servers.flatMap(({ name: server, headers, isMiddleware }) =>
    Object.entries(headers).flatMap(([header, value]) =>
      namesIn(value).map((name) => ({
        name,
        place: `header \`${header}\` of the server \`${server}\``,
        ...(isMiddleware ? {} : { server }),
      })),
    ),
  );
  const ofClients = clientValuesOf(config).flatMap(namesIn);
  return [...ofHeaders, ...ofClients.map((name) => ({ name, place: "a client of `auth`" }))];
}

/** The headers of all servers whose value the configuration contains whole: `{ header, value, server }` each. */
export const writtenHeaders = (config) =>
  [...serversOf(config), ...middlewareServersOf(config)].flatMap(({ name: server, headers }) =>
    Object.entries(headers)
      .filter(([, value]) => namesIn(value).length === 0)
      .map(([header, value]) => ({ header, value, server })),
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
