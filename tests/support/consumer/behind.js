// What the protocol's rows stand before in JavaScript: a handler as thin as can be, which passes on to the server that
// the Worker in Rust stands before, and `gateway` before it. `env` is what the Worker in Rust is told.
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
  // The token is for us, and none of the server's business.
  const handler = (request) => {
    const passed = new Request(env.UPSTREAM_URL, request);
    passed.headers.delete("authorization");
    return fetch(passed);
  };
  return gateway(handler, env.SIEVE_CONFIG, { identify, catalog: "/catalog" });
}
