// Requests every path with every verb without a token, with a wrong one, and with the token in other places.
import { parallel } from "../parallel.mjs";
import { request } from "../../support/raw-client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { at } from "../stage.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "paths and verbs without a token";

const VERBS = ["POST", "GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"];
const PATHS = [
  "/mcp",
  "/mcp/",
  "/mcp/open",
  "/mcp/read-only",
  "/MCP",
  "//mcp",
  "/mcp%2f",
  "/mcp;x",
  "/%6dcp",
  "/mcp?x",
  "/mcp/../mcp",
  "/catalog/tools",
  "/catalog/resources",
  "/catalog/open/tools",
  "/catalog",
  "/audit",
  "/audit?after=0",
  "/audit/calls",
  "/middleware",
  "/middleware/documents",
  "/interceptors",
  "/tasks",
  "/session",
  "/sessions",
  "/room",
  "/internal",
  "/do",
  "/events",
  "/sse",
  "/message",
  "/.well-known/oauth-protected-resource/../../mcp",
  "/.well-known/mcp",
  "/health",
  "/metrics",
  "/sieve.json",
  "/config",
];
const AUTHORIZATIONS = [
  undefined,
  "Bearer wrong",
  "Bearer ",
  "Bearer",
  "bearer",
  "Basic YTpi",
  "Bearer null",
  "Bearer undefined",
  "Token alice-token",
  "Bearer alice-token x",
  "Bearer\talice-token2",
];
const COUNT = [300, 1_200];

export async function* attempt(stage, size, random) {
  const behind = record(simple({ lists: { tools: [tool("open_secret")] } }));
  const upstream = await stage.served(behind);
  const auth = {
    issuer: "https://login.example",
    audience: ["x"],
    jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "1" }] },
  };
  const config = {
    auth,
    presets: [{ name: "open", filter: { namePatterns: ["*"] } }],
    middleware: { interceptors: true, keep: true },
  };
  const env = {
    SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }),
    SIEVE_MIDDLEWARE_TOKEN: "a token of the application, long enough",
    SIEVE_OPERATOR: "0".repeat(64),
  };
  const started = await stage.workers([{ name: "closed", upstream, config, env }]);
  const front = at(started.urls.closed);
  const send = async (path, verb, headers, body) => {
    const reply = await front.fetch(path, {
      method: verb,
      headers,
      redirect: "manual",
      ...(["GET", "HEAD"].includes(verb) ? {} : { body }),
    });
    const text = reply.headers.get("content-type")?.startsWith("text/event-stream") ? "a stream" : await reply.text();
    return { status: reply.status, text };
  };
  const list = request("tools/list");
  const seen = await send("/mcp", "POST", { ...list.headers, authorization: "Bearer alice-token" }, list.body);
  yield control("with the token the tool is listed", seen.text.includes("open_secret"), seen.text);
  const asked = behind.seen.length;
  const tries = PATHS.flatMap((path) =>
    VERBS.flatMap((verb) => AUTHORIZATIONS.map((authorization) => [path, verb, authorization])),
  );
  yield* parallel(random.shuffle(tries).slice(0, COUNT[size]), async ([path, verb, authorization]) => {
    const sent = random.pick([list, request("tools/call", { name: "open_secret", arguments: {} })]);
    const { status, text } = await send(
      path,
      verb,
      { ...sent.headers, ...(authorization && { authorization }) },
      sent.body,
    );
    return tried(
      `${verb} ${path} with ${authorization ?? "no token"}`,
      !text.includes("open_secret") && text !== "a stream" && !text.includes('"result"'),
      `${status} ${text}`,
    );
  });
  for (const query of ["access_token=alice-token", "token=alice-token", "authorization=Bearer%20alice-token"]) {
    const { status, text } = await send(`/mcp?${query}`, "POST", list.headers, list.body);
    yield tried(`the token in the query: ${query}`, status === 401, `${status} ${text}`);
  }
  for (const name of ["cookie", "x-authorization", "proxy-authorization", "x-api-key", "mcp-authorization"]) {
    const { status, text } = await send("/mcp", "POST", { ...list.headers, [name]: "Bearer alice-token" }, list.body);
    yield tried(`the token in the header ${name}`, status === 401, `${status} ${text}`);
  }
  // The gateway ends the session in which it listed by itself, whose id no attempt knows.
  const ends = ({ verb, headers }) => verb === "DELETE" && headers["mcp-session-id"] !== undefined;
  const reached = behind.seen.slice(asked).filter((message) => !ends(message));
  yield tried("nothing reached the upstream server", reached.length === 0, reached);
}
