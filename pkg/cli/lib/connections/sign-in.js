// @ts-check
// The sign-in to a server, in the browser of the user.
import { randomBytes } from "node:crypto";
import { Unreadable } from "../cli-error.js";
import { listenForCallback } from "./callback.js";
import { step } from "./oauth.js";

/** The name under which the command registers at authorization servers. */
const CLIENT_NAME = "Sieve";
/** Length of a `state`, in bytes. */
const STATE_BYTES = 32;

/**
 * Signs in to a server. `begun` is called with the address for the browser.
 * @param {import("./servers.js").SignInServer} server
 * @param {{ client?: Record<string, any>, limitMs: number, port?: number, signal?: AbortSignal, begun: (url: string) => void }} options
 * @returns {Promise<import("./record.js").Connection>}
 * @throws {Unreadable} if a step fails, or is not done in time
 */
export async function signIn({ name, url: serverUrl, auth }, { client: named, limitMs, port, signal, begun }) {
  const {
    resource,
    issuer,
    server,
    scopes: wanted,
  } = await step(name, "discover", { url: serverUrl, issuer: auth.issuer });
  const state = randomBytes(STATE_BYTES).toString("base64url");
  const callback = await listenForCallback({ state, limitMs, port, signal });
  try {
    const { redirectUri } = callback;
    const client = named ?? (await step(name, "register", { server, redirectUri, name: CLIENT_NAME }));
    const scopes = auth.scopes?.length > 0 ? auth.scopes : wanted;
    const { url, verifier } = await step(name, "begin", { server, client, redirectUri, resource, scopes, state });
    begun(url);
    const given = await callback.received;
    const tokens = await step(name, "finish", {
      server,
      client,
      redirectUri,
      resource,
      verifier,
      state,
      callback: given,
    });
    callback.show("You are signed in", `You are signed in to ${name}. You can close this page.`);
    const now = Date.now();
    return {
      serverUrl,
      issuer,
      asServer: server,
      client,
      resource,
      access: tokens.access,
      expires: tokens.expiresIn === undefined ? undefined : now + tokens.expiresIn * 1000,
      refresh: tokens.refresh,
      scope: tokens.scope ?? scopes?.join(" "),
      since: now,
      obtained: now,
    };
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : "The sign-in failed. The command says more.";
    callback.show("You are not signed in", reason);
    throw error;
  } finally {
    await callback.close();
  }
}

/**
 * Revokes the tokens of a connection. Returns why that failed, or nothing. An access token that its server cannot revoke, such as
 * one that servers verify by themselves, ends soon without its refresh token.
 * @param {string} server
 * @param {import("./record.js").Connection} connection
 * @returns {Promise<string | undefined>}
 */
export async function revoke(server, { asServer, client, access, refresh }) {
  if (!asServer.revocation_endpoint) return `${server}: its authorization server revokes no tokens`;
  const problemOf = (/** @type {string} */ token, /** @type {string} */ hint) =>
    step(server, "revoke", { server: asServer, client, token, hint }).then(
      () => undefined,
      (error) => {
        if (error instanceof Unreadable) return error.message;
        throw error;
      },
    );
  const ofRefresh = refresh === undefined ? undefined : await problemOf(refresh, "refresh_token");
  const ofAccess = await problemOf(access, "access_token");
  return refresh === undefined ? ofAccess : ofRefresh;
}
