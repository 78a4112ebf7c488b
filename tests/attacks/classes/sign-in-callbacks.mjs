// Finishes a sign-in that someone else began: mix-up of issuers, fixed and foreign state, codes of others and used codes.
import { startAuthorizationServer } from "../../support/authorization-server.mjs";
import { loadOauth } from "../../support/oauth.mjs";
import { forgedCallbacks } from "../sign-in/callbacks.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "sign-ins of others: mix-up, foreign state, codes used twice";

const ROUNDS = [2, 60];
const RESOURCE = "https://tracker.example/mcp";
const REDIRECT = "http://127.0.0.1:8799/connect/tracker/callback";

export async function* attempt(stage, size, random) {
  const oauth = await loadOauth();
  const servers = [await startAuthorizationServer(), await startAuthorizationServer()];
  for (const { stop } of servers) stage.defer(stop);
  const [honest, hostile] = await Promise.all(
    servers.map(async (authorization) => {
      const { server } = await oauth.discover({ url: RESOURCE_OF(authorization), issuer: authorization.issuer });
      const client = await oauth.register({ server, redirectUri: REDIRECT, name: "Sieve" });
      return { authorization, server, client };
    }),
  );
  /** Begins a sign-in at a server and lets a user sign in. */
  const signIn = async ({ authorization, server, client }, user) => {
    const state = `${user}-${random.text(20)}`;
    const common = { server, client, redirectUri: REDIRECT, resource: RESOURCE, state };
    const begun = await oauth.begin({ ...common, scopes: ["read"] });
    return { ...common, ...begun, callback: await authorization.signIn(begun.url, { user }) };
  };
  const finish = async (input) => {
    try {
      return { tokens: await oauth.finish(input) };
    } catch ({ code, message }) {
      return { code: code ?? message };
    }
  };
  const tokenRequests = () =>
    servers.reduce((sum, { log }) => sum + log.filter(({ path }) => path === "/token").length, 0);

  for (let round = 0; round < ROUNDS[size]; round += 1) {
    const alice = await signIn(honest, "alice");
    const eve = await signIn(honest, "eve");
    const mixed = await signIn(hostile, "eve");
    const parameters = new URL(alice.callback).searchParams;
    const forged = forgedCallbacks({
      redirectUri: REDIRECT,
      state: alice.state,
      theirs: eve.state,
      issuer: honest.server.issuer,
      other: hostile.server.issuer,
      code: parameters.get("code"),
    });
    for (const [what, callback] of forged) {
      const before = tokenRequests();
      const { tokens, code } = await finish({ ...alice, callback });
      yield tried(what, !tokens && tokenRequests() === before, code);
    }
    // The callback of one sign-in, with what belongs to another.
    const swapped = {
      "eve's callback in alice's sign-in": { ...alice, callback: eve.callback },
      "alice's callback in eve's sign-in": { ...eve, callback: alice.callback },
      "the callback of another server": { ...alice, callback: mixed.callback },
      "the server of another sign-in": { ...alice, server: hostile.server, client: hostile.client },
    };
    for (const [what, input] of Object.entries(swapped)) {
      const before = tokenRequests();
      const { tokens, code } = await finish(input);
      yield tried(what, !tokens && tokenRequests() === before, code);
    }
    // Eve's code under alice's state: the code is bound to another verifier, and the server refuses it.
    const injected = new URL(alice.callback);
    injected.searchParams.set("code", new URL(eve.callback).searchParams.get("code"));
    const injection = await finish({ ...alice, callback: injected.href });
    yield tried("eve's code under alice's state", injection.code === "sign_in_code", injection.code);

    const good = await finish(alice);
    const sub = good.tokens && (await honest.authorization.verify(good.tokens.access, RESOURCE)).sub;
    yield control("alice's own callback finishes her sign-in", sub === "alice", good.code ?? sub);
    const again = await finish(alice);
    yield tried("the code a second time", again.code === "sign_in_code", again.code);
  }
}

/** A server without metadata of its own, so that the configured issuer decides. */
const RESOURCE_OF = ({ issuer }) => `${issuer}/no-such-server`;
