// @ts-check
// Protection of a gateway that other machines can reach.
import { isLoopback } from "./addresses.js";
import { admitsStrangers } from "./engine.js";
import { parseConfig } from "./input.js";

/** The warning about a gateway with context middleware. */
export const MOUNT =
  "/middleware is open to every program that has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations: keep the token inside your application, and connect no assistant to it";

/** Returns what protects a gateway with this configuration, in words; nothing if callers without a token are served. */
function protection(config, bearer) {
  if (bearer) return "callers need its bearer token (`--bearer`)";
  if (admitsStrangers(config)) return undefined;
  const { auth, checks = [] } = parseConfig(config);
  const issuers = [auth ?? []].flat();
  if (issuers.some(({ required }) => required !== false)) {
    const named = issuers.map(({ issuer }) => issuer).join(" or ");
    return `callers need a token of ${named} (\`auth\`)`;
  }
  return `callers must pass ${checks.map(({ name }) => `\`${name}\``).join(", ")} (\`checks\`)`;
}

/**
 * The warning about a gateway that listens on `host`; nothing where only this machine reaches it. `bearer` is whether requests need
 * a token.
 */
export function exposure(host, config, bearer = false) {
  if (isLoopback(host)) return undefined;
  const reach = `the gateway listens on ${host}: everyone who can reach this address can use it`;
  const protectedBy = protection(config, bearer);
  return protectedBy === undefined
    ? `${reach}, with its credentials for the upstream servers; nothing protects it: add \`auth\` or \`checks\` to the configuration`
    : `${reach} if they are let in: ${protectedBy}`;
}
