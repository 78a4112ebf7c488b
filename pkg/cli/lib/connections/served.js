// @ts-check
// The connections of this user for a gateway that only this user reaches.
import { Unreadable } from "../cli-error.js";
import { warn } from "../print.js";
import { isOfOneUser as hasOneUser } from "./servers.js";
import { BINDING, openService } from "./service.js";
import { connectionsKey } from "./store.js";

/** The variable with the key that seals connections. */
const KEY = "SIEVE_CONNECTIONS_KEY";
/** Variables of the environment with these names are never used. */
const RESERVED = { [KEY]: undefined, [BINDING]: undefined };

/**
 * Returns what gives a gateway the connections of this user. `use(plan)` returns the services and variables for a configuration: none
 * if no server signs users in, or if callers have names of their own. `close()` ends it.
 * @param {{ isOfOneUser: boolean }} gateway whether only this machine reaches the gateway
 */
export async function openConnections({ isOfOneUser }) {
  /** @type {Awaited<ReturnType<typeof openService>> | undefined} */
  let service;
  return {
    /** @param {{ config: string, signIns: import("./servers.js").SignInServer[] }} plan */
    async use({ config, signIns }) {
      const key = isOfOneUser && hasOneUser(config) && signIns.length > 0 ? await keyOrWarning() : undefined;
      service?.use(key === undefined ? [] : signIns);
      if (key === undefined) return { services: [], variables: RESERVED };
      service ??= await openService();
      service.use(signIns);
      return { services: [service.binding], variables: { ...RESERVED, [KEY]: key } };
    },
    close: async () => service?.close(),
  };
}

/** Without a folder for them, connections last as long as the data of the gateway. The other servers are served all the same. */
async function keyOrWarning() {
  try {
    return await connectionsKey();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    warn(`${error.message}; \`npx mcp-sieve login\` cannot be used`);
    return undefined;
  }
}
