// @ts-check
// The servers of a host's file as upstream servers of a configuration.
import { isSecret, isSecretAddress, looksSecret } from "../../lib/credentials.js";
import { namesSecret } from "../../lib/engine.js";
import { referencesIn } from "./variables.js";

/** @typedef {import("./variables.js").Variables} Variables */
/** @typedef {import("./variables.js").Context & { variables: Variables }} Context */

/** Why a server is not taken over. */
class Left extends Error {}

/** The members of an entry that are read. */
const READ = [
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "serverUrl",
  "httpUrl",
  "headers",
  "disabled",
  "enabled",
];

/**
 * Returns the upstream server for an entry, or `{ left }` with the reason for which it is not taken over. `notes` are
 * remarks for the user, such as members that were not imported.
 * @param {Record<string, any>} entry
 * @param {{ name: string, path: string, workspace: string }} place
 * @param {Variables} variables
 */
export function upstreamOf(entry, place, variables) {
  try {
    if (typeof entry !== "object" || entry === null) throw new Left("is no object");
    if (entry.disabled === true || entry.enabled === false) throw new Left("is disabled");
    const address = entry.url ?? entry.serverUrl ?? entry.httpUrl;
    const isLocal = typeof entry.command === "string";
    const context = { ...place, variables, own: ownOf(entry), notes: otherMembers(entry) };
    const upstream = isLocal ? local(entry, context) : remote(entry, address, context);
    return { upstream: { name: place.name, ...upstream }, notes: context.notes };
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    return { left: error.message };
  }
}

/**
 * Returns the names of the variables that an entry sets itself. `TOKEN: ${TOKEN}` only passes a variable on, so it does not count.
 * @param {Record<string, any>} entry
 */
const ownOf = ({ env }) =>
  Object.entries(env ?? {})
    .filter(([name, value]) => !referencesIn(String(value)).some((reference) => reference.name === name))
    .map(([name]) => name);

/** The note on members that are not read. */
function otherMembers(entry) {
  const others = Object.keys(entry).filter((member) => !READ.includes(member));
  return others.length === 0 ? [] : [`not taken over: ${others.map((member) => `\`${member}\``).join(", ")}`];
}

/**
 * @param {Record<string, any>} entry
 * @param {Context} context
 */
function local({ command, args, env, cwd, envFile }, context) {
  if (command.trim() === "") throw new Left("has an empty `command`");
  if (args != null && !(Array.isArray(args) && args.every((word) => ["string", "number"].includes(typeof word))))
    throw new Left("has `args` that are no array of texts");
  const words = [command, ...(args ?? [])].map(String);
  if (words.some((word, at) => startsSieve(word, words[at + 1]))) throw new Left("is Sieve itself");
  if (envFile != null) context.notes.push(`\`envFile\` (${envFile}) is not read: set its variables under \`env\``);
  // Variables of the environment keep their own names.
  const own = values(env ?? {}, "env", context);
  return {
    command: words.map((word, at) => argument(word, words[at - 1], context)),
    env: own,
    cwd: cwd == null ? undefined : folder(String(cwd), context),
  };
}

/** Whether a word of a command is Sieve by its name, by the file of its package, or by its path as `--install` writes it. */
const startsSieve = (word, next) =>
  /^mcp-sieve(?:@|$)|(?:^|[\\/])mcp-sieve-[\w.-]+\.tgz$/.test(word) ||
  (next === "stdio" && /[\\/]cli[\\/]main\.js$/.test(word));

/**
 * @param {Record<string, any>} entry
 * @param {Context} context
 */
function remote({ type, headers }, address, context) {
  if (typeof address !== "string") throw new Left("has neither a `command` nor a `url`");
  if (type === "sse") throw new Left("speaks HTTP with SSE, the transport before Streamable HTTP");
  const url = resolved(address, context);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Left("has no address of http or https");
  const { username, password } = new URL(url);
  if (username + password !== "")
    throw new Left("has a user or password in its `url`: set the header `Authorization` to `Basic ${NAME}` instead");
  if (isSecretAddress(url))
    context.notes.push(
      "its `url` contains a credential, which is now in the file: send it in `headers` if the server accepts that",
    );
  return { url, headers: values(headers ?? {}, "headers", context) };
}

/**
 * Returns an address without references to variables, which the addresses of a configuration do not have. Each must have a default.
 * @param {string} address
 * @param {Context} context
 */
function resolved(address, { notes }) {
  let url = address;
  for (const { whole, form, name, fallback } of referencesIn(address)) {
    if (fallback === undefined || (form ?? "env") !== "env") continue;
    const isSet = Boolean(process.env[name]);
    url = url.replace(whole, () => (isSet ? String(process.env[name]) : fallback.slice(":-".length)));
    notes.push(
      `\`\${${name}}\` (url) is replaced by ${isSet ? "its value" : "its default"}: addresses in sieve.jsonc have no variables`,
    );
  }
  if (/\$\{/.test(url)) throw new Left("has a variable without a default in its address");
  return url;
}

/** Variables of an environment, or headers. */
function values(given, member, context) {
  if (typeof given !== "object") throw new Left(`has \`${member}\` that is no object`);
  const named = Object.entries(given).filter(([, value]) => value !== null);
  const entries = named.map(([key, value]) => {
    const text = String(value);
    const place = `${member}.${key}`;
    const translated = context.variables.translated(text, place, escaped, context);
    if (translated !== undefined) return [key, translated];
    return [key, isSecret(key, text) ? SECRET[member](key, text, place, context) : escaped(text)];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A secret as a reference: that of a variable, or that of a header. */
const SECRET = {
  env: (key, text, place, context) => context.variables.refer(key, text, place, context),
  /** The scheme of an `Authorization` is no secret. */
  headers(key, text, place, context) {
    const isLogin = /^authorization$/i.test(key);
    const [, scheme = "", secret = text] = (isLogin && /^([A-Za-z]+ )(\S.*)$/.exec(text)) || [];
    return scheme + context.variables.refer(`${context.name}_${isLogin ? "token" : key}`, secret, place, context);
  },
};

/** Options whose values set a variable or a header, as those of `docker run` and `mcp-remote` do. */
const SETTERS = [
  { member: "env", option: /^(?:-e|--env)$/, setting: /^(\w+=)(.+)$/s },
  { member: "headers", option: /^(?:-H|--header)$/, setting: /^([\w-]+:\s*)(.+)$/s },
];

/** A word of a command; `--token X`, `--token=X`, `-e TOKEN=X` and `--header "Authorization: X"` hold secrets. */
function argument(word, before = "", context) {
  const { variables, name: server } = context;
  const place = "command";
  const translated = variables.translated(word, place, plainWord, context);
  if (translated !== undefined) return translated;
  const [, option = before, is = "", value = word] = /^(--?[\w-]+)(=)(.+)$/s.exec(word) ?? [];
  const front = is && option + is;
  for (const { member, setting } of SETTERS.filter((setter) => setter.option.test(option))) {
    const [, head = "", text = ""] = setting.exec(value) ?? [];
    const key = head.replace(/[=:\s]+$/, "");
    if (isSecret(key, text)) return front + head + SECRET[member](key, text, place, context);
  }
  // `API_TOKEN=X` before a program, as `env` takes it.
  const [, assigned = "", assignedText = ""] = /^(\w+=)(.+)$/s.exec(word) ?? [];
  if (assigned && namesSecret(assigned.slice(0, -1)))
    return assigned + variables.refer(assigned.slice(0, -1), assignedText, place, context);
  if (isSecretAddress(value))
    context.notes.push("its `command` contains a URL with a credential, which is now in the file");
  const isNamed = /^--?[\w-]+$/.test(option) && namesSecret(option) && (is !== "" || !value.startsWith("-"));
  if (isNamed || looksSecret(value))
    return front + variables.refer(`${server}_${isNamed || is ? option : "key"}`, value, place, context);
  return plainWord(word);
}

/** The folder that a server runs in. */
function folder(text, context) {
  const translated = context.variables.translated(text, "cwd", (part) => part, context) ?? text;
  if (translated.includes("${"))
    context.notes.push("`cwd` refers to a variable, which Sieve does not replace: write the folder");
  return translated;
}

/** A word of a command in which a dollar sign begins no reference. */
const plainWord = (text) => text.replaceAll("${", () => "$${");

/** A text in which a dollar sign begins no reference. */
const escaped = (text) => text.replaceAll("$", "$$$$");
