// An authorization server and MCP servers for callers of two tenants. The lists and texts of a tenant have its marker, and each
// result has the marker of its caller.
import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { simple, stream } from "../upstreams/simple.mjs";

const METADATA = "/.well-known/oauth-protected-resource/mcp";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
/** Maximum number of tools of a tenant. Each of the first calls of `change` adds one. */
const MOST_TOOLS = 12;
const challengeOf = (verifier) => createHash("sha256").update(verifier).digest("base64url");

/** Returns the callers: `count` of each tenant. Each has a token for the gateway, an API key and markers. */
export function makePeople(random, count) {
  return ["a", "b"].flatMap((tenant) => {
    const marker = `m${random.text(16)}`;
    return Array.from({ length: count }, (_, at) => {
      const name = `${tenant}${at}${random.text(6)}`;
      const own = `u${random.text(16)}`;
      return { name, tenant, marker, own, token: `gateway-${random.text(24)}`, key: random.text(24) };
    });
  });
}

/** Starts an authorization server. `signIn(url, person, claims)` returns the address to which a browser would be sent. */
export async function startIssuer(stage, random) {
  const [codes, access, subjects] = [new Map(), new Map(), new Map()];
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }];
  /** The redirect URIs to which browsers were sent. */
  const redirects = [];
  const issue = (person) => {
    const token = `tenant-${person.tenant}-${random.text(24)}`;
    access.set(token, person);
    return token;
  };
  const sign = (claims, typ = "JWT") =>
    new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1", typ }).setIssuedAt().sign(privateKey);
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
  const grant = (person, more) =>
    Response.json({
      ...more,
      access_token: issue(person),
      refresh_token: random.text(24),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 3600,
      scope: "read",
    });
  const refuse = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  const token = async (form) => {
    if (form.get("grant_type") === EXCHANGE) {
      const subject = subjects.get(form.get("subject_token"));
      return subject ? grant(subject) : refuse();
    }
    const found = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const fits =
      found?.redirect === form.get("redirect_uri") && found?.challenge === challengeOf(form.get("code_verifier") ?? "");
    if (!fits) return refuse();
    return grant(found.person, found.nonce && { id_token: await sign(found.claims) });
  };
  const fetch = async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname === "/token") return token(new URLSearchParams(await request.text()));
    if (pathname === "/jwks") return Response.json({ keys });
    if (pathname === "/revoke") return new Response(null);
    if (pathname === "/register") {
      const asked = await request.json();
      return Response.json({ ...asked, client_id: "gateway", token_endpoint_auth_method: "none" }, { status: 201 });
    }
    if (!pathname.startsWith("/.well-known/")) return new Response(null, { status: 404 });
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token", EXCHANGE],
      id_token_signing_alg_values_supported: ["ES256"],
      subject_types_supported: ["public"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: true,
    });
  };
  const issuer = new URL(await stage.served({ fetch })).origin;
  const signIn = (url, person, more = {}) => {
    const asked = new URL(url).searchParams;
    const [code, nonce] = [random.text(24), asked.get("nonce")];
    const claims = { iss: issuer, sub: person.name, aud: asked.get("client_id"), exp: inAnHour(), nonce, ...more };
    const [redirect, challenge] = [asked.get("redirect_uri"), asked.get("code_challenge")];
    codes.set(code, { person, redirect, challenge, nonce, claims });
    redirects.push(redirect);
    const callback = new URL(redirect);
    callback.search = new URLSearchParams({ code, state: asked.get("state"), iss: issuer });
    return callback.href;
  };
  /** Returns a token of this issuer for the gateway, which an exchange takes. */
  const identify = async (person, audience) => {
    const token = await sign({ iss: issuer, sub: person.name, aud: audience, exp: inAnHour() }, "at+jwt");
    subjects.set(token, person);
    return token;
  };
  return { issuer, signIn, issue, identify, personOf: (bearer) => access.get(bearer), redirects };
}

const aboutOf = (marker) => ({
  description: `Finds the private notes of ${marker}`,
  tags: [`tag-${marker}`],
  groups: [`group-${marker}`],
});
const named = (name, marker) => ({
  name,
  title: `Notes ${marker}`,
  inputSchema: { type: "object", properties: { [marker]: { type: "string", description: marker } } },
  ...aboutOf(marker),
});

/** Returns the lists of a tenant: names that both tenants have, with other content, and one name of its own. */
function listsOf(marker) {
  const about = aboutOf(marker);
  return {
    tools: ["notes", "find", `only_${marker}`, "change", "close"].map((name) => named(name, marker)),
    resources: ["notes://today", `notes://${marker}`].map((uri) => ({ uri, name: `Today ${marker}`, ...about })),
    resourceTemplates: [{ uriTemplate: "page://{id}", name: "page", ...about }],
    prompts: [
      { name: "greet", ...about, arguments: [{ name: "who", description: marker }] },
      { name: `only_${marker}`, ...about },
    ],
  };
}

/** Returns an MCP server that demands a token of `issuer`; with `byKey` one with sessions that demands the key of a caller. */
export function tenantServer(people, issuer, { byKey = false } = {}) {
  const texts = new WeakMap();
  const say = (_, { request }) => `${texts.get(request).marker} for ${texts.get(request).own}`;
  const content = (params, about) => [{ type: "text", text: say(params, about) }];
  const site = (marker) => {
    const lists = listsOf(marker);
    return simple({
      lists,
      sessions: byKey,
      capabilities: { tools: { listChanged: true }, completions: {} },
      instructions: `Notes of ${marker}`,
      answer: {
        "tools/call": (params, about) => {
          const result = { resultType: "complete", content: content(params, about) };
          if (params.name !== "change") return result;
          // The session in which it changes is listed more than its caller was before.
          if (lists.tools.length < MOST_TOOLS) lists.tools.push(named(`more_${lists.tools.length}`, marker));
          return stream([{ method: "notifications/tools/list_changed" }, { id: about.message.id, result }]);
        },
        "resources/read": ({ uri }, about) => ({ contents: [{ uri, text: say(uri, about) }] }),
        "prompts/get": (params, about) => ({
          messages: [{ role: "user", content: content(params, about)[0] }],
        }),
        "completion/complete": (params, about) => ({ completion: { values: [say(params, about)] } }),
      },
    });
  };
  const sites = Object.fromEntries(people.map(({ tenant, marker }) => [tenant, site(marker)]));
  const log = [];
  const fetch = async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith("/.well-known/")) {
      const document = {
        resource: `${origin}/mcp`,
        authorization_servers: [issuer.issuer],
        scopes_supported: ["read"],
      };
      return pathname === METADATA && !byKey ? Response.json(document) : new Response(null, { status: 404 });
    }
    const [, bearer] = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    const key = request.headers.get("x-api-key");
    const person = byKey ? people.find((each) => each.key === key) : issuer.personOf(bearer);
    if (!person) {
      const challenge = `Bearer resource_metadata="${origin}${METADATA}"`;
      return new Response(null, { status: 401, headers: byKey ? {} : { "www-authenticate": challenge } });
    }
    texts.set(request, person);
    log.push(person.name);
    return sites[person.tenant].fetch(request);
  };
  return { label: "tenants", fetch, log };
}
