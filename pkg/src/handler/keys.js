// @ts-check
// The keys that seal sessions and cursors.
import { SieveError } from "../core/error.js";
import { ask } from "./ask.js";

/** Least length of a key, in bytes. Anything shorter could be guessed, and with it a session's id. */
export const MIN_KEY_BYTES = 16;

/** White space around a text, such as the line end of a mounted secret, does not belong to a key. */
const bytesOf = (key) => (typeof key === "string" ? new TextEncoder().encode(key.trim()) : key);

/** Returns one or several keys: from a list, or a JSON array of texts in a variable. The first one seals, and all open. */
function listOf(given) {
  const refuse = (found) => {
    throw new SieveError(
      "handler",
      `key: expected a text or bytes, at least ${MIN_KEY_BYTES} bytes long, or several of them, found ${found}`,
    );
  };
  let several = given;
  try {
    if (typeof given === "string" && given.trimStart().startsWith("[")) several = JSON.parse(given);
  } catch {
    refuse("a list that is not JSON");
  }
  return [several].flat().map((key) => {
    const bytes = bytesOf(key);
    if (!(bytes instanceof Uint8Array)) refuse(key === null ? "null" : `a ${typeof key}`);
    return bytes.length < MIN_KEY_BYTES ? refuse(`${bytes.length} bytes`) : bytes;
  });
}

/** The keys that the option `key` holds when the module is loaded, if it does. */
export const keysAtLoad = (key) => (key === undefined || typeof key === "function" ? undefined : listOf(key));

/** The keys for a request's `env`. Without any, one is made that only this isolate has. */
export async function keysOf(key, env, warn) {
  const given = typeof key === "function" ? await ask("`key`", () => key(env)) : (key ?? env?.SIEVE_KEY);
  if (given !== undefined) return listOf(given);
  warn("key");
  return [crypto.getRandomValues(new Uint8Array(32))];
}
