// An authorization server on 127.0.0.1. It publishes keys, and issues tokens to clients with a secret.
import { constants, createHash, generateKeyPairSync, randomUUID, sign as signWith } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const TYPES = {
  rsa: { alg: "RS256", hash: "sha256", make: rsa },
  pss: {
    alg: "PS256",
    hash: "sha256",
    padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
    make: rsa,
  },
  ec: { alg: "ES256", hash: "sha256", make: () => generateKeyPairSync("ec", { namedCurve: "P-256" }) },
  p384: { alg: "ES384", hash: "sha384", make: () => generateKeyPairSync("ec", { namedCurve: "P-384" }) },
  ed: { alg: "EdDSA", hash: null, make: () => generateKeyPairSync("ed25519") },
};

/** Generates a key pair of a type: `ec`, `rsa`, `ed`, `p384` or `pss`. */
export function makeKey(type, kid = type) {
  const { alg, make } = TYPES[type];
  const { publicKey, privateKey } = make();
  return { alg, kid, type, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid } };
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** Returns an object with changed members. `null` removes a member, `{in: n}` means n seconds from now. */
const changed = (whole, changes = {}) =>
  Object.fromEntries(
    Object.entries({ ...whole, ...changes })
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, Number.isInteger(value?.in) ? Math.floor(Date.now() / 1000) + value.in : value]),
  );

/** Returns a token signed by `key`. */
export function makeToken(key, claims, header) {
  const signed = `${part(changed({ alg: key.alg, kid: key.kid, typ: "JWT" }, header))}.${part(changed({ iat: { in: 0 }, exp: { in: 300 } }, claims))}`;
  const { hash, padding } = TYPES[key.type];
  const signature = signWith(hash, Buffer.from(signed), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
    ...padding,
  });
  return `${signed}.${signature.toString("base64url")}`;
}

/** Returns a proof of the possession of a key, for one request with a token (RFC 9449). */
export function makeProof(key, { method = "POST", url, token }, claims = {}, header = {}) {
  const { kid: _, ...jwk } = key.jwk;
  const own = {
    htm: method,
    htu: url,
    jti: randomUUID(),
    ath: createHash("sha256").update(token).digest("base64url"),
    exp: null,
  };
  return makeToken(key, { ...own, ...claims }, { typ: "dpop+jwt", kid: null, jwk, ...header });
}

/** Returns the thumbprint of a key (RFC 7638). */
export function thumbprintOf({ jwk: { kid: _, ...jwk } }) {
  const members = Object.fromEntries(Object.entries(jwk).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(JSON.stringify(members)).digest("base64url");
}

/**
 * Starts the server. `people` maps client ids to the claims of their tokens. `asked` counts requests for the keys.
 * `keys` may be changed, `kept` is the `Cache-Control` of the keys, and `broken` makes the server respond with 500.
 * `opaque` maps opaque tokens to what their introspection returns, `judged` has the requests for it, and `page` is a text that it
 * returns in place of JSON.
 */
export async function startAuthorization(people = {}) {
  const state = { keys: [makeKey("ec")], kept: undefined, broken: false, asked: 0, resources: [], scopes: [] };
  Object.assign(state, { opaque: {}, judged: [], page: undefined });
  const answers = {
    "/.well-known/oauth-authorization-server": () => ({
      issuer: state.issuer,
      authorization_endpoint: `${state.issuer}/authorize`,
      token_endpoint: `${state.issuer}/token`,
      response_types_supported: ["code"],
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      code_challenge_methods_supported: ["S256"],
    }),
    "/keys": () => {
      state.asked += 1;
      return { keys: state.keys.map(({ jwk }) => jwk) };
    },
    "/introspect": (body, { authorization, "content-type": type }) => {
      const { token, token_type_hint: hint } = Object.fromEntries(new URLSearchParams(body));
      state.judged.push({ authorization, type, token, hint });
      return state.opaque[token] ? { active: true, ...state.opaque[token] } : { active: false };
    },
    "/token": (body, headers) => {
      const [id] = Buffer.from(headers.authorization.split(" ")[1], "base64").toString().split(":");
      const form = new URLSearchParams(body);
      state.resources.push(form.get("resource"));
      state.scopes.push(form.get("scope"));
      const claims = {
        iss: state.issuer,
        sub: id,
        aud: form.get("resource"),
        scope: form.get("scope") ?? "",
        ...people[id],
      };
      return { access_token: makeToken(state.keys[0], claims), token_type: "Bearer", expires_in: 300 };
    },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = answers[new URL(request.url, state.issuer).pathname];
    if (!answer || state.broken) return response.writeHead(answer ? 500 : 404).end();
    const document = answer(body, request.headers);
    const kept = state.kept === undefined ? {} : { "cache-control": state.kept };
    response
      .writeHead(200, { "content-type": "application/json", ...kept })
      .end(state.page ?? JSON.stringify(document));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  state.issuer = `http://127.0.0.1:${server.address().port}`;
  return Object.assign(state, {
    token: (claims, { key = state.keys[0], header } = {}) =>
      makeToken(key, { iss: state.issuer, sub: "alice", ...claims }, header),
    stop: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  });
}
