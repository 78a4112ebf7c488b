// @ts-check
// The upstream servers of a running gateway, as the gateway reports them.
import { createHash, randomBytes } from "node:crypto";
import { withoutSecrets } from "./addresses.js";
import { Unreadable } from "./cli-error.js";
import { signInEvent } from "./connections/reports.js";

const KINDS = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
  skills: "skill",
};
/** Names longer than this move the rest of their line to the right. */
const NAME_WIDTH = 24;

/** Returns a token of this process and the variable with its digest, with which only this process can read `/upstreams`. */
export function reader() {
  const token = randomBytes(32).toString("hex");
  return { token, variables: { SIEVE_DEV: createHash("sha256").update(token).digest("hex") } };
}

/**
 * Has the gateway list its servers. Resolves as soon as the gateway has read its configuration, with a promise of the
 * reports inside: `{ name, ms }` each, with the number of primitives by kind, the `problems` of what the server declares and
 * the lists that are `missing`, or with `reason` and `message`; and with a promise of the `total` of all lists, if there are any.
 * `headers` are those that the gateway needs beside the token.
 * @returns {Promise<{ reports: Promise<any[]>, total: Promise<import("./total.js").Total | undefined> }>}
 */
export async function survey(url, token, headers = {}) {
  const asked = fetch(new URL("/upstreams", url), { headers: { ...headers, authorization: `Bearer ${token}` } });
  const response = await asked.catch((error) => {
    throw new Unreadable(`the gateway does not answer at ${url}: ${error.cause?.message || error.message}`);
  });
  if (response.ok) {
    const body = response.json();
    // Without reports there is no total.
    return {
      reports: body.then(({ servers }) => servers),
      total: body.then(
        ({ total }) => total ?? undefined,
        () => undefined,
      ),
    };
  }
  const { error } = await response.json().catch(() => ({}));
  // The gateway runs, and explains to clients what is missing.
  if (error?.data?.reason === "upstream_missing")
    return { reports: Promise.resolve([]), total: Promise.resolve(undefined) };
  throw new Unreadable(error?.message ?? `the gateway answered with HTTP ${response.status}`);
}

/**
 * Returns the report on a server with a `url` or a `command`, for programs.
 * @param {Record<string, any>} report
 * @param {{ url?: string, command?: string[] }} [place]
 */
export const eventOf = ({ name, ms, reason, message, signIn, ...counts }, place = {}) =>
  signIn !== undefined
    ? { name, ...shown(place), ...signInEvent(name, signIn) }
    : reason === undefined
      ? { name, ...shown(place), status: counts.missing === undefined ? "ok" : "partial", ...counts, ms }
      : { name, ...shown(place), status: "down", reason, message, ms };

/**
 * Returns where a server is, as it is printed.
 * @param {{ url?: string, command?: string[] }} place
 */
export const shown = ({ url, command }) => ({ url: url && withoutSecrets(url), command });

/** Returns the printed URL of a server, or the command that starts it. */
export const placeOf = ({ url, command }) => url ?? command.join(" ");

/**
 * Returns the report as a line, in columns as wide as the longest of `names`. Missing lists, and problems with the groups, tags
 * and concerns that the server declares, follow below it.
 * @param {Record<string, any>} event
 * @param {string[]} names
 */
export function lineOf(
  { name, url, command, status, reason, message, ms, problems = [], missing = [], ...counts },
  names,
) {
  const width = Math.min(NAME_WIDTH, Math.max(...names.map(({ length }) => length)));
  const head = `  ${name.padEnd(width)}  `;
  // Nothing is known of the lists of a server to which users sign in.
  if (status !== "down" && message !== undefined) return `${head}${message}`;
  if (status !== "down") {
    const failures = new Set(missing.map(({ message }) => message.replace(`upstream \`${name}\` `, "")));
    const left = [...failures, ...problems].map((problem) => `${" ".repeat(head.length)}${problem}`);
    return [`${head}${status}  ${listed(counts)}  ${ms} ms`, ...left].join("\n");
  }
  const advice = reason === "upstream_not_mcp" ? "; is this the address of an MCP server?" : "";
  return `${head}${message.replace(`upstream \`${name}\` `, "")}${advice} (${placeOf({ url, command })})`;
}

function listed(counts) {
  const some = Object.entries(KINDS).filter(([kind]) => counts[kind] > 0);
  return some.map(([kind, word]) => `${counts[kind]} ${word}${counts[kind] === 1 ? "" : "s"}`).join(", ") || "0 tools";
}
