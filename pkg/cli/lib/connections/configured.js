// @ts-check
// The servers to which users sign in, as the arguments of a command and the environment name their configuration.
import { serversOf } from "../environment.js";
import { addressOf, pathOf } from "../gateway-inputs.js";
import { rulesOf } from "../input.js";
import { CONFIG } from "../options.js";
import { signInServers } from "./servers.js";

/** The option of the commands. */
export const CONFIGURATION = { ...CONFIG, help: "The configuration (default: sieve.jsonc, if it exists)." };

/**
 * Returns the servers to which users sign in, and what messages say of the configuration; nothing if there is no configuration.
 * @param {string | undefined} config the path of the option
 * @returns {{ servers: import("./servers.js").SignInServer[], label: string, names: string[] } | undefined}
 */
export function configured(config) {
  const path = pathOf({ config }, process.env);
  const text = path === undefined ? process.env.SIEVE_CONFIG || undefined : rulesOf(path);
  if (text === undefined) return undefined;
  const label = path ?? "SIEVE_CONFIG";
  return {
    servers: signInServers(text, addressOf({}, process.env), label),
    label,
    names: serversOf(text).map(({ name }) => name),
  };
}
