// Fills the memory of the Worker with bodies that arrive slowly, without a token.
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { drained } from "../../stress/drained.mjs";
import { memory } from "../../support/process.mjs";
import { request } from "../../support/raw-client.mjs";
import { stateless } from "../client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "slow and oversized bodies without a token";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const MB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, " ");
const COUNT = [40, 400];
/**
 * Maximum memory that workerd may use for an open connection. A body that is read completely takes twelve times as
 * much.
 */
const CONNECTION = MB / 2;
/** Maximum wait for a rejection. */
const REFUSED_MS = 15_000;

/** Sends all of a body except its end, and waits. */
function slow(url, headers, { bytes, declared }) {
  const sent = httpRequest(url, {
    method: "POST",
    agent: false,
    headers: { ...headers, ...(declared ? { "content-length": declared } : { "transfer-encoding": "chunked" }) },
  });
  const state = { status: undefined, leave: () => sent.destroy() };
  // A server that rejects a request may close the connection while the client still sends. The error then precedes the
  // response.
  sent.on("error", () => {
    state.status ??= "closed";
  });
  sent.once("response", (response) => {
    state.status = response.statusCode;
    response.resume();
  });
  state.sent = (async () => {
    sent.flushHeaders();
    for (let left = bytes; left > 0 && state.status === undefined && !sent.destroyed; left -= PIECE.length) {
      if (!sent.write(PIECE)) await drained(sent, "response");
    }
  })();
  return state;
}

export async function* attempt(stage, size) {
  const upstream = await stage.served(simple({ lists: { tools: [tool("open")] } }));
  const auth = {
    issuer: "https://login.example",
    audience: ["x"],
    jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "1" }] },
  };
  const env = { SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }) };
  const started = await stage.workers([
    {
      name: "closed",
      upstream,
      config: { auth, limits: { rate: { requests: 1_000, seconds: 60 }, concurrent: 4 } },
      env,
    },
    { name: "open", upstream, config: { limits: { rate: { requests: 100_000, seconds: 60 } } }, env },
  ]);
  const alice = (name) => stateless(at(started.urls[name]), { token: "alice-token" });
  for (const name of Object.keys(started.urls)) {
    const seen = await alice(name)("tools/list", { _meta: { "x/pad": "x".repeat(3 * MB) } });
    yield control(`${name}: a body of 3 MB with a token is read`, seen.text.includes('"open"'), seen.text);
  }
  const { headers } = request("tools/list");
  const before = memory(started.pid);
  const forms = [
    { bytes: 3.9 * MB, declared: 4_100_000 },
    { bytes: 3.9 * MB },
    { bytes: 1_024, declared: 4_100_000 },
    { bytes: 1_024, declared: 50 * MB },
    { bytes: 5 * MB },
  ];
  for (const [name, token] of [
    ["closed", undefined],
    ["closed", "wrong"],
    ["open", undefined],
  ]) {
    const url = `${started.urls[name]}/mcp`;
    const all = Array.from({ length: COUNT[size] }, (_, number) => {
      const form = forms[number % forms.length];
      return { form, state: slow(url, { ...headers, ...(token && { authorization: `Bearer ${token}` }) }, form) };
    });
    await Promise.all(all.map(({ state }) => state.sent));
    const meanwhile = await alice(name)("tools/list");
    for (
      const until = Date.now() + REFUSED_MS;
      name === "closed" && Date.now() < until && all.some(({ state }) => state.status === undefined);
    )
      await sleep(50);
    const peak = memory(started.pid);
    if (name === "closed") {
      for (const { form, state } of all)
        yield tried(
          `${name}, ${token ?? "no token"}: ${form.bytes} bytes of a body that never ends, ${form.declared ?? "no"} length declared`,
          state.status === "closed" || state.status >= 400,
          `${state.status ?? "no answer"} before the body's end`,
        );
    }
    yield tried(
      `${name}: alice is served while ${COUNT[size]} bodies are under way`,
      meanwhile.text.includes('"open"'),
      meanwhile.text,
    );
    all.forEach(({ state }) => state.leave());
    const most = 1.5 * before + 64 * MB + COUNT[size] * CONNECTION;
    yield tried(
      `${name}, ${token ?? "no token"}: memory with ${COUNT[size]} slow bodies`,
      peak < most,
      `${Math.round(before / MB)} MB before, ${Math.round(peak / MB)} MB then`,
    );
  }
}
