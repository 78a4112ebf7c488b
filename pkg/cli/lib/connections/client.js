// @ts-check
// The client that a configuration names for a server, with the values of its variables.
import { expanded } from "../../stdio/environment.js";
import { Unreadable } from "../cli-error.js";
import { UnsetVariables } from "../unset-variables.js";

/**
 * Returns the client of a server; nothing if the configuration names none.
 * @param {import("./servers.js").SignInServer} server
 * @param {Record<string, string | undefined>} environment
 * @returns {{ id: string, secret?: string, key?: Record<string, any> } | undefined}
 * @throws {Unreadable} if a variable is not set, or the key is no JSON Web Key
 */
export function clientOf({ name, auth: { client } }, environment) {
  if (client === undefined) return undefined;
  const unset = new UnsetVariables();
  const value = (member) => {
    const place = { member: `auth.client.${member}`, server: name };
    return client[member] === undefined ? undefined : expanded(client[member], environment, unset, place);
  };
  const [id, secret, key] = ["id", "secret", "key"].map(value);
  unset.refuse();
  return { id: String(id), ...(secret && { secret }), ...(key && { key: keyIn(name, key) }) };
}

/** Parses a private key. Its text is in no message. */
function keyIn(name, text) {
  try {
    const key = JSON.parse(text);
    if (typeof key?.kty === "string") return key;
  } catch {
    // The message is the same.
  }
  throw new Unreadable(`auth.client.key of the server \`${name}\`: expected a private key as a JSON Web Key`);
}
