// @ts-check
// The servers of a host's file as upstream servers of a configuration.
import { isSecret, looksSecret, tellsSecret } from "./credentials.js";

/** Why a server is not taken over. */
class Left extends Error {}

/**
 * Returns the upstream server for an entry, or `{ left }` with the reason for which it is not taken over. `notes` are what
 * else there is to say of it.
 * @param {Record<string, any>} entry
 * @param {{ name: string, path: string, workspace: string, variables: import("./variables.js").Variables }} context
 */
export function upstreamOf(entry, context) {
  try {
    const notes = [];
    if (typeof entry !== "object" || entry === null) throw new Left("is no object");
    if (entry.disabled === true || entry.enabled === false) throw new Left("is disabled");
    const address = entry.url ?? entry.serverUrl ?? entry.httpUrl;
    const upstream =
      typeof entry.command === "string" ? local(entry, context, notes) : remote(entry, address, context, notes);
    return { upstream: { name: context.name, ...upstream }, notes };
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    return { left: error.message };
  }
}

/** @param {Record<string, any>} entry */
function local({ command, args = [], env = {}, cwd, envFile }, context, notes) {
  const words = [command, ...args].map(String);
  if (words.some((word) => /^mcp-sieve(?:@|$)/.test(word))) throw new Left("is Sieve itself");
  if (envFile !== undefined) notes.push(`\`envFile\` (${envFile}) is not read: set its variables under \`env\``);
  // Variables of the environment keep their own names.
  const own = values(env, "env", context);
  return {
    command: words.map((word, at) => argument(word, words[at - 1], context)),
    env: own,
    cwd: cwd === undefined ? undefined : plain(String(cwd), "cwd", context),
  };
}

/** @param {Record<string, any>} entry */
function remote({ type, headers = {} }, url, context, notes) {
  if (typeof url !== "string") throw new Left("has neither a `command` nor a `url`");
  if (type === "sse") throw new Left("speaks HTTP with SSE, the transport before Streamable HTTP");
  if (/\$\{/.test(url)) throw new Left(`has a variable in its address, ${url}`);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Left("has no address of http or https");
  const { username, searchParams } = new URL(url);
  if (username !== "" || [...searchParams].some(([name, value]) => isSecret(name, value)))
    notes.push(
      "its `url` contains a credential, which is now in the file: send it in `headers` if the server accepts that",
    );
  return { url, headers: values(headers, "headers", context) };
}

/** Variables of an environment, or headers. */
function values(given, member, { name: server, path, workspace, variables }) {
  const entries = Object.entries(given).map(([key, value]) => {
    const text = String(value);
    const place = `${member}.${key}`;
    const translated = variables.translated(text, { server, path, place, workspace, literal: escaped });
    if (translated !== undefined) return [key, translated];
    if (!isSecret(key, text)) return [key, escaped(text)];
    if (member === "env") return [key, variables.refer(key, text, { server, path, place })];
    // The scheme of an `Authorization` is no secret.
    const [, scheme = "", secret = text] = /^authorization$/i.test(key)
      ? (/^([A-Za-z]+ )(\S.*)$/.exec(text) ?? [])
      : [];
    const wanted = `${server}_${/^authorization$/i.test(key) ? "token" : key}`;
    return [key, `${scheme}${variables.refer(wanted, secret, { server, path, place })}`];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A word of a command; `--token X` and `--token=X` hold secrets. */
function argument(word, before, { name: server, path, workspace, variables }) {
  const place = "command";
  const translated = variables.translated(word, { server, path, place, workspace, literal: plainWord });
  if (translated !== undefined) return translated;
  const [, flag, value] = /^(--?[\w-]+=)(.+)$/.exec(word) ?? [];
  if (value !== undefined && (tellsSecret(flag) || looksSecret(value)))
    return `${flag}${variables.refer(`${server}_${flag}`, value, { server, path, place })}`;
  const behindFlag = /^--?[\w-]+$/.test(before ?? "") && tellsSecret(String(before)) && !word.startsWith("-");
  if (behindFlag || looksSecret(word))
    return variables.refer(`${server}_${behindFlag ? before : "key"}`, word, { server, path, place });
  return plainWord(word);
}

const plain = (text, place, { name: server, path, workspace, variables }) =>
  variables.translated(text, { server, path, place, workspace, literal: (part) => part }) ?? text;

/** A word of a command in which a dollar sign begins no reference. */
const plainWord = (text) => text.replaceAll("${", () => "$${");

/** A text in which a dollar sign begins no reference. */
const escaped = (text) => text.replaceAll("$", "$$$$");
