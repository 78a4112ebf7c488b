// @ts-check
// Reports on the servers to which users sign in. The gateway lists them for a caller only, so `/upstreams` has none of them.
import { Unreadable } from "../cli-error.js";
import { opened, stateOf } from "./record.js";
import { allConnections, presentKey } from "./store.js";

/**
 * Adds a report on each server to which users sign in, in the order of the configuration.
 * @param {any[]} reports
 * @param {{ servers: { name: string }[], signIns: import("./servers.js").SignInServer[] }} plan
 * @param {boolean} isOfOneUser whether all callers are this user
 */
export function withSignIns(reports, { servers, signIns }, isOfOneUser) {
  if (signIns.length === 0) return reports;
  const connected = isOfOneUser ? connectedNames() : [];
  const missing = signIns.filter(({ name }) => !reports.some((report) => report.name === name));
  const own = missing.map(({ name, url }) => ({
    name,
    signIn: !isOfOneUser ? "each" : connected.some((one) => one.server === name && one.url === url) ? "done" : "needed",
  }));
  const place = (/** @type {{ name: string }} */ one) => servers.findIndex(({ name }) => name === one.name);
  return [...reports, ...own].sort((one, other) => place(one) - place(other));
}

/** The connections that can be used. Files that cannot be read have been reported, or will be. */
function connectedNames() {
  try {
    const [key, now] = [presentKey(), Date.now()];
    return allConnections().filter((entry) => ["connected", "refreshable"].includes(stateOf(opened(key, entry), now)));
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}

/** What is said of a server, and the status of its event. @type {(name: string, signIn: string) => { status: string, message: string }} */
export const signInEvent = (name, signIn) =>
  ({
    done: { status: "connected", message: "you are signed in" },
    needed: { status: "waiting", message: `sign in with \`npx mcp-sieve login ${name}\`` },
    each: { status: "waiting", message: "each caller signs in" },
  })[signIn] ?? { status: "waiting", message: "" };
