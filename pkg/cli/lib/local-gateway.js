// @ts-check
// The gateway in workerd on this machine, with the local servers that its configuration names.
import { randomBytes } from "node:crypto";
import { openBridge } from "../stdio/bridge.js";
import { localized, processesOf } from "../stdio/localized.js";
import { isLoopback } from "./addresses.js";
import { VARIABLE as BEARER } from "./bearer.js";
import { KEY as CLUSTER_KEY } from "./cluster/options.js";
import { recordOf, sealingKey } from "./cluster/record.js";
import { openConnections } from "./connections/served.js";
import { claimFor, keyIn, prepareData, unusable } from "./data-folder.js";
import { lockData } from "./data-lock.js";
import { variables } from "./environment.js";
import { UnsetVariables } from "./unset-variables.js";
import { served, twice } from "./gateway-inputs.js";
import { GATE } from "./gate.js";
import { withSignIns } from "./connections/reports.js";
import { signInServers } from "./connections/servers.js";
import { Unreadable, parseConfig } from "./input.js";
import { lockedConfig } from "./lock-file.js";
import { reader, survey } from "./upstreams.js";
import { gateway } from "./workerd.js";

export const LOOPBACK = "127.0.0.1";
/** The option of the commands that serve. */
export const STRICT = {
  strict: {
    type: "boolean",
    help: "Refuse a file that refers to a variable which is not set, instead of leaving out the server.",
  },
};
/** The names of this machine. A page elsewhere cannot call a gateway by one of them. */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Returns a gateway that is not running yet. `planOf(config)` returns a plan of the servers of a configuration, and fails if they
 * contradict its variables. `serve(plan)` runs it in place of the previous plan, and resolves with the plan and the `reports` on
 * its servers. Servers that refer to variables which are not set are left out, unless none is left. `stop()` ends it.
 * `headers` are those that every request to it needs. `ended` is called with the reason when it
 * ends by itself.
 * @param {{ host?: string, port: number, transport?: "http" | "stdio", bearer?: string, data?: string, cluster?: import("./cluster/options.js").Cluster, yes?: boolean, address?: string, path?: string, label?: string, environment?: Record<string, string | undefined>, strict?: boolean, log?: (line: string) => string | undefined, ended: (how: string) => void }} options
 *   `bearer` is the token that callers need, `address` that of the upstream server, if the configuration names none, `label` the
 *   name of the configuration in messages, `environment` has the variables that the configuration refers to, with `strict` each of them must be set, and `log` returns what is printed of a line of the log
 */
export async function localGateway({
  host = LOOPBACK,
  port,
  transport = "http",
  bearer,
  data,
  cluster,
  yes,
  address,
  path,
  label,
  environment = process.env,
  strict = false,
  log,
  ended,
}) {
  if (data !== undefined) {
    prepareData(data);
    claimFor(data, cluster?.bucket);
  }
  const key = process.env.SIEVE_KEY || keyOf(data, cluster);
  const unlock = await lockOf(data);
  const alone = transport === "stdio";
  // The only client of `stdio` is this process, though the port is open to the whole machine.
  const token = alone ? secret() : bearer;
  const headers = token === undefined ? {} : { [GATE]: token };
  const running = await gateway({ host, port, token, alone, data, cluster, yes, log, ended }).catch((error) => {
    unlock();
    throw error;
  });
  const bridge = await openBridge({ oneClient: alone });
  const own = reader();
  const connections = await openConnections({
    isOfOneUser: isOfOneUser(host, cluster),
    isClosed: token !== undefined,
    environment,
  });
  return {
    url: running.url,
    local: running.local,
    headers,
    planOf: (config) => {
      const servers = served(config, address, label);
      const unset = new UnsetVariables();
      const processes = processesOf(config, environment, path, unset);
      const ofServers = variables(config, environment, unset);
      if (strict) unset.refuse();
      else unset.refuseUnlessSome(servers.map(({ name }) => name));
      return {
        config: lockedConfig(config, path),
        servers,
        processes,
        unset,
        signIns: signInServers(config, address, label),
        variables: {
          ...ofServers,
          ...own.variables,
          SIEVE_CONFIG: undefined,
          SIEVE_KEY: key,
          SIEVE_HOSTS: hostsOf(host, config, label),
          SIEVE_TRANSPORT: transport,
          // Other machines cannot reach it, so all its callers are one person's.
          SIEVE_ONE_USER: isOfOneUser(host, cluster) ? "true" : undefined,
          [CLUSTER_KEY]: undefined,
          [BEARER]: undefined,
          UPSTREAM_URL: address,
        },
      };
    },
    /** Fails if the gateway itself cannot use the configuration or a variable. */
    async serve(plan) {
      const urls = await bridge.use(plan.processes);
      const { services, variables: ofConnections } = await connections.use(plan);
      // The addresses of local servers are those of one node, so they are not in its record.
      const record = cluster && recordOf(cluster, plan.config, plan.variables, Date.now());
      const served = localized(plan.config, urls, plan.unset);
      await running.start(served, { ...plan.variables, ...ofConnections }, services, record);
      const { reports, total } = await survey(running.local, own.token, headers);
      return { ...plan, total, reports: reports.then((found) => withSignIns(found, plan, services.length > 0)) };
    },
    async stop() {
      // A node of a cluster serves requests, also those to local servers, until it has handed over its objects.
      const stopped = running.stop();
      if (cluster !== undefined) await stopped;
      await Promise.all([stopped, bridge.close(), connections.close()]);
      unlock();
    },
  };
}

/** Returns the key that seals sessions and cursors, where the environment has none. */
function keyOf(data, cluster) {
  if (cluster !== undefined) return sealingKey(cluster.key);
  return data === undefined ? secret() : keyIn(data, secret());
}

/** Returns whether all callers are one person: other machines reach a cluster. */
const isOfOneUser = (host, cluster) => cluster === undefined && isLoopback(host);

const secret = () => randomBytes(32).toString("hex");

/** The lock of the folder for data, if there is one. Two gateways would lock each other out of the same rows. */
async function lockOf(folder) {
  if (folder === undefined) return () => {};
  try {
    return await lockData(folder);
  } catch (error) {
    throw error instanceof Unreadable ? error : unusable(folder, error);
  }
}

/** The host names that requests may use beside those of the file. A gateway on this machine alone has those of this machine. */
function hostsOf(host, config, label) {
  const { hosts = [] } = parseConfig(config);
  const named = process.env.SIEVE_HOSTS;
  if (named && hosts.length > 0)
    throw twice(`\`hosts\` of \`${label}\``, "the environment variable SIEVE_HOSTS", "set the names of the gateway");
  return named || (isLoopback(host) ? LOOPBACK_NAMES.join() : undefined);
}
