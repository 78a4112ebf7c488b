// Servers that return what they were sent, everywhere: in errors, pages, headers and names of members. A failure must not show it.
import { inspect } from "node:util";
import { serve } from "../serve.mjs";
import { loadOauth } from "../../support/oauth.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "tokens, codes and secrets in the errors of sign-ins";

const STATUSES = [
  [200, 400, 401, 503],
  [200, 201, 202, 204, 302, 307, 400, 401, 403, 404, 405, 409, 418, 429, 500, 502, 503],
];
const REDIRECT = "http://127.0.0.1:8799/connect/tracker/callback";
const SECRETS = {
  code: "code-4f9d2b7a61",
  refresh: "refresh-9ac07be352",
  secret: "client-secret-77d1e0",
  subject: "subject-51ec8840aa",
  token: "token-0be1d3f9c2",
};

/** Bodies that repeat what was sent, with their types. */
const ECHOES = {
  "an error": (sent) => Response.json({ error: sent, error_description: sent, error_uri: sent }),
  "a known error": (sent) => Response.json({ error: "invalid_grant", error_description: sent }),
  "a page": (sent) => new Response(`<p>${sent}</p>`, { headers: { "content-type": "text/html" } }),
  "broken JSON": (sent) =>
    new Response(`{"access_token": "${sent}`, { headers: { "content-type": "application/json" } }),
  "names of members": (sent) => Response.json({ [sent]: { [sent]: sent } }),
  "a type of token": (sent) => Response.json({ access_token: sent, token_type: sent }),
  "an expiry": (sent) => Response.json({ access_token: sent, token_type: "Bearer", expires_in: sent }),
  "a token with line breaks": (sent) => Response.json({ access_token: `${sent}\r\n${sent}`, token_type: "Bearer" }),
  "an ID token": (sent) => Response.json({ access_token: "a", token_type: "Bearer", id_token: sent }),
  "a client": (sent) => Response.json({ client_id: [sent], client_secret: sent }),
  keys: (sent) => Response.json({ keys: [sent] }),
};

export async function* attempt(stage, size) {
  const oauth = await loadOauth();
  let reply;
  let received = "";
  const { url, stop } = await serve(async (request) => {
    const sent = [request.url, ...[...request.headers].flat(), decodeURIComponent(await request.text())].join(" ");
    received += sent;
    return reply(sent.replace(/[\r\n"\\]/g, " "));
  });
  stage.defer(stop);
  const { origin } = new URL(url);
  const server = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    jwks_uri: `${origin}/keys`,
  };
  const client = { id: "client", secret: SECRETS.secret, method: "client_secret_post" };
  const { verifier, nonce } = await oauth.begin({
    server,
    client,
    redirectUri: REDIRECT,
    state: "state-of-alice",
    login: true,
  });
  const callback = `${REDIRECT}?code=${SECRETS.code}&state=state-of-alice`;
  const finishing = { server, client, redirectUri: REDIRECT, state: "state-of-alice", verifier, callback };
  const secrets = [...Object.values(SECRETS), verifier, nonce];
  const requests = {
    finish: () => oauth.finish(finishing),
    "finish a login": () => oauth.finish({ ...finishing, nonce }),
    "finish with a secret in the header": () =>
      oauth.finish({ ...finishing, client: { ...client, method: "client_secret_basic" } }),
    "a callback with an error": () =>
      oauth.finish({ ...finishing, callback: `${callback}&error=${SECRETS.code}&error_description=${SECRETS.code}` }),
    "a callback of another issuer": () =>
      oauth.finish({ ...finishing, callback: `${callback}&iss=https://${SECRETS.code}.example` }),
    "a callback with another state": () =>
      oauth.finish({ ...finishing, callback: callback.replace("alice", SECRETS.code) }),
    refresh: () => oauth.refresh({ server, client, refresh: SECRETS.refresh }),
    "client credentials": () => oauth.clientCredentials({ server, client }),
    exchange: () => oauth.exchange({ server, client, subject: SECRETS.subject }),
    revoke: () => oauth.revoke({ server, client, token: SECRETS.token }),
    register: () => oauth.register({ server, redirectUri: `${REDIRECT}?${SECRETS.code}`, name: SECRETS.code }),
    discover: () => oauth.discover({ url: `${origin}/mcp?key=${SECRETS.token}` }),
  };
  let failures = 0;
  for (const [what, work] of Object.entries(requests)) {
    for (const [form, echo] of Object.entries(ECHOES)) {
      for (const status of STATUSES[size]) {
        reply = (sent) => {
          const { headers, body } = echo(sent);
          headers.set("www-authenticate", `Bearer error="${sent.replace(/[^\x20-\x7e]/g, "")}"`);
          headers.set("location", `${origin}/elsewhere`);
          return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
        };
        let shown = "";
        try {
          await work();
        } catch (error) {
          failures += 1;
          shown = `${error.stack}\n${inspect(error, { depth: 20, showHidden: true })}\n${JSON.stringify(error)}`;
        }
        const found = secrets.filter((secret) => shown.includes(secret));
        yield tried(`${what}: ${form} with ${status}`, found.length === 0, shown);
      }
    }
  }
  yield control("the requests fail", failures > 50, failures);
  yield control(
    "the server was sent the secrets",
    secrets.filter((secret) => received.includes(secret)).length >= 6,
    received.length,
  );
}
