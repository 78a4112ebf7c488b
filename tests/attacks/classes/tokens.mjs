// Forges signed tokens: algorithms, keys, headers, claims, encodings.
import { createHmac, sign } from "node:crypto";
import { makeKey, makeToken } from "../../support/authorization.mjs";
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { serve } from "../serve.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "forged tokens";

const [ISSUER, AUDIENCE] = ["https://login.example", "https://mcp.example/mcp"];
const part = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1_000);
const FLIPS = [60, 1_200];

/** Yields tokens that must not make their bearer an administrator, each with a description of the attempt. */
function* forgeries(keys, jku, others) {
  const good = { iss: ISSUER, aud: AUDIENCE, sub: "eve", role: "admin", exp: now() + 300, iat: now() };
  const raw = (header, claims, signature = "") => `${part(header)}.${part(claims)}.${signature}`;
  for (const alg of [
    "none",
    "None",
    "NONE",
    "nOnE",
    "",
    null,
    "HS256",
    "HS384",
    "HS512",
    "RS1",
    "PS256",
    "ES384",
    "RS512",
    "A128KW",
    "dir",
  ]) {
    for (const signature of ["", "AA", part("x".repeat(64))])
      yield [`alg ${alg}`, raw({ alg, kid: "ec" }, good, signature)];
  }
  for (const [type, key] of Object.entries(keys)) {
    for (const form of [
      JSON.stringify(key.jwk),
      key.jwk.x ?? key.jwk.n,
      Buffer.from(key.jwk.x ?? key.jwk.n, "base64url"),
      "",
    ]) {
      const signed = `${part({ alg: "HS256", kid: type })}.${part(good)}`;
      yield [
        `HS256 with the public ${type} key as secret`,
        `${signed}.${createHmac("sha256", form).update(signed).digest("base64url")}`,
      ];
    }
    for (const alg of ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
      if (alg !== key.alg) yield [`${type} signature declared ${alg}`, makeToken(key, good, { alg })];
    for (const kid of ["ec", "rsa", "ed", "../ec", "", "unknown", "__proto__", null, 0, ["ec"]])
      yield [`signed by another ${type} key, kid ${JSON.stringify(kid)}`, makeToken(others[type], good, { kid })];
    for (const header of [
      { jku },
      { x5u: jku },
      { jwk: others[type].jwk },
      { jku, kid: null },
      { x5c: ["AAAA"] },
      { crit: ["exp"] },
      { crit: ["b64"], b64: false },
      { crit: [] },
      { zip: "DEF" },
    ]) {
      yield [
        `${type} header ${JSON.stringify(header).slice(0, 60)}, foreign key`,
        makeToken(others[type], good, header),
      ];
    }
    for (const header of [{ crit: ["x"], x: 1 }, { crit: "exp" }, { crit: ["b64"], b64: false }])
      yield [`${type} with ${JSON.stringify(header)}`, makeToken(key, good, header)];
    for (const claims of [
      { exp: now() - 3_600 },
      { exp: null },
      { exp: "9999999999" },
      { exp: -1 },
      // biome-ignore lint/correctness/noPrecisionLoss: a time beyond every number is the point
      { exp: 1e400 },
      { exp: true },
      { nbf: now() + 3_600 },
      { nbf: "x" },
      { aud: "https://other.example" },
      { aud: [] },
      { aud: null },
      { aud: {} },
      { aud: `${AUDIENCE}/` },
      { aud: AUDIENCE.toUpperCase() },
      { iss: "https://evil.example" },
      { iss: null },
      { iss: `${ISSUER}/` },
      { iss: [ISSUER] },
      { sub: null },
      { sub: "" },
      { sub: 7 },
      { sub: ["eve"] },
      { iat: now() + 86_400, nbf: now() + 86_400 },
    ]) {
      yield [`${type} claims ${JSON.stringify(claims)}`, makeToken(key, { ...good, ...claims })];
    }
    const token = makeToken(key, good);
    const [head, body, signature] = token.split(".");
    yield [`${type} without a signature`, `${head}.${body}.`];
    yield [`${type} with two parts`, `${head}.${body}`];
    yield [`${type} with four parts`, `${token}.x`];
    yield [`${type} with its signature twice`, `${token}${signature}`];
    yield [`${type} with other claims`, `${head}.${part({ ...good, sub: "root" })}.${signature}`];
    yield [`${type} with padding`, `${head}.${body}.${signature}==`];
    yield [`${type} DER or zero signature`, `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`];
    yield [
      `${type} nested`,
      makeToken(others[type], good).replace(/^[^.]+/, part({ alg: key.alg, kid: type, typ: "JWT", cty: "JWT" })),
    ];
    const twice = `${part({ alg: key.alg, kid: type })}.${part(`{"sub":"eve","role":"admin","iss":"${ISSUER}","aud":"${AUDIENCE}","exp":1,"exp":${now() + 300}}`)}`;
    yield [
      `${type} with \`exp\` twice`,
      `${twice}.${sign(type === "ed" ? null : "sha256", Buffer.from(twice), { key: others[type].privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`,
    ];
  }
}

export async function* attempt(stage, size, random) {
  const [keys, others] = [0, 1].map(() => Object.fromEntries(["ec", "rsa", "ed"].map((type) => [type, makeKey(type)])));
  const fetched = [];
  const lure = await serve(async (request) => {
    fetched.push(request.url);
    return Response.json({ keys: Object.values(others).map(({ jwk }) => jwk) });
  });
  stage.defer(lure.stop);
  const lists = { tools: [tool("open"), tool("secret")] };
  const upstream = await stage.served(simple({ lists }));
  const config = {
    auth: { issuer: ISSUER, audience: [AUDIENCE], jwks: { keys: Object.values(keys).map(({ jwk }) => jwk) } },
    policies: [{ name: "admin", show: "-name:secret or claim.role:admin" }],
  };
  const started = await stage.workers([
    { name: "required", upstream, config },
    { name: "optional", upstream, config: { ...config, auth: { ...config.auth, required: false } } },
  ]);
  for (const [name, url] of Object.entries(started.urls)) {
    const call = async (headers) =>
      (await stateless(at(url))("tools/call", { name: "secret", arguments: {} }, { headers })).text;
    const admin = (token) => call({ authorization: `Bearer ${token}` });
    for (const [type, key] of Object.entries(keys)) {
      const seen = await admin(makeToken(key, { iss: ISSUER, aud: AUDIENCE, sub: "root", role: "admin" }));
      yield control(`${name}: a good token of ${type} calls the tool`, seen.includes("called secret"), seen);
    }
    const tries = [...forgeries(keys, lure.url, others)];
    for (let left = FLIPS[size]; left > 0; left -= 1) {
      const token = makeToken(random.pick(Object.values(keys)), {
        iss: ISSUER,
        aud: AUDIENCE,
        sub: "eve",
        role: "user",
      });
      const claims = part({ iss: ISSUER, aud: AUDIENCE, sub: "eve", role: "admin", exp: now() + 300 });
      const place = random.below(token.length);
      const letter = random.pick([..."ABCDabcd0189-_"]);
      const [head, , signature] = token.split(".");
      tries.push(
        ["one letter changed", `${token.slice(0, place)}${letter}${token.slice(place + 1)}`],
        ["claims of another", `${head}.${claims}.${signature}`],
      );
    }
    yield* parallel(tries, async ([what, token]) => {
      const text = await admin(token);
      return tried(`${name}: ${what}: ${token}`, !text.includes("called secret"), text);
    });
    const good = makeToken(keys.ec, { iss: ISSUER, aud: AUDIENCE, sub: "root", role: "admin" });
    for (const headers of [
      { authorization: `Basic ${good}` },
      { authorization: good },
      { "x-authorization": `Bearer ${good}` },
      { cookie: `token=${good}` },
      { authorization: `Bearer ${good} ${good}` },
      { authorization: `Bearer ${good}, Bearer x` },
      { authorization: `Bearer "${good}"` },
    ]) {
      const text = await call(headers);
      yield tried(`${name}: header ${JSON.stringify(headers).slice(0, 60)}`, !text.includes("called secret"), text);
    }
  }
  yield tried("an address in a token's header is never fetched", fetched.length === 0, fetched);
}
