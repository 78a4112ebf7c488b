// @ts-check
// The connections of this user for a gateway that only this user reaches.
import { Unreadable } from "../cli-error.js";
import { warn } from "../print.js";
import { openDoor } from "./door.js";
import { isOfOneUser as hasOneUser } from "./servers.js";
import { BINDING, openService } from "./service.js";
import { connectionsKey } from "./store.js";

/** The variable with the key that seals connections. */
const KEY = "SIEVE_CONNECTIONS_KEY";
/** The variable with the address at which a browser begins a sign-in, if it cannot reach the gateway. */
const DOOR = "SIEVE_SIGN_IN_URL";
/** Variables of the environment with these names are never used. */
const RESERVED = { [KEY]: undefined, [BINDING]: undefined, [DOOR]: undefined };

/**
 * Returns what gives a gateway the connections of this user. `use(plan)` returns the services and variables for a configuration: none
 * if no server signs users in, or if callers have names of their own. `close()` ends it.
 * @param {{ isOfOneUser: boolean, isClosed?: boolean, environment?: Record<string, string | undefined> }} gateway `isOfOneUser` is
 *   whether only this machine reaches the gateway, `isClosed` whether no browser does, and `environment` has the variables to which
 *   the configuration refers
 */
export async function openConnections({ isOfOneUser, isClosed = false, environment = process.env }) {
  /** @type {Awaited<ReturnType<typeof openService>> | undefined} */
  let service;
  /** @type {Awaited<ReturnType<typeof openDoor>> | undefined} */
  let door;
  return {
    /** @param {{ config: string, signIns: import("./servers.js").SignInServer[] }} plan */
    async use({ config, signIns }) {
      const key = isOfOneUser && hasOneUser(config) && signIns.length > 0 ? await keyOrWarning() : undefined;
      const own = key === undefined ? [] : signIns;
      for (const one of [service, door]) one?.use(own);
      if (key === undefined) return { services: [], variables: RESERVED };
      service ??= await openService();
      if (isClosed) door ??= await openDoor(environment);
      for (const one of [service, door]) one?.use(own);
      return { services: [service.binding], variables: { ...RESERVED, [KEY]: key, [DOOR]: door?.url } };
    },
    close: async () => void (await Promise.all([service?.close(), door?.close()])),
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
