// The JavaScript counterpart of the Worker in the protocol's rows: `gateway` around a handler that only forwards
// requests to the Worker's upstream server. `env` has the variables of the Rust Worker.
import { gateway } from "mcp-sieve/handler";

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function identify(request, env) {
  const tokens = JSON.parse(env.SIEVE_TOKENS);
  const authorization = request.headers.get("authorization");
  if (Object.keys(tokens).length === 0 || authorization === null) return null;
  const token = /^bearer (.*)$/i.exec(authorization)?.[1].trim();
  const claims = token && tokens[hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)))];
  if (!claims) throw new Error("the bearer token is not known here");
  return claims;
}

export function behind(env) {
  // The token is for the gateway only, so the upstream server does not receive it.
  const handler = (request) => {
    const passed = new Request(env.UPSTREAM_URL, request);
    passed.headers.delete("authorization");
    return fetch(passed);
  };
  return gateway(handler, env.SIEVE_CONFIG, { identify, catalog: "/catalog" });
}
