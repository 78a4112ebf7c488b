// Sessions, notifications, and the other methods of HTTP.
import { event, events, html, json, never, status } from "../replies.mjs";

const SESSION_ID = "mcp-session-id";
/** A server that gives this session id, and requires it. */
const session = (name, about, id, more = {}) => ({
  name: `session-${name}`,
  about,
  on: {
    initialize: ({ right }) => ({ ...right, headers: { [SESSION_ID]: id } }),
    "*": ({ message, request }) =>
      message.method === "server/discover" || request.headers[SESSION_ID] === id
        ? undefined
        : status(400, "no session"),
    ...more,
  },
});
/** A server that gives another session id in each `initialize`. `lost` decides whether a request finds its session. */
const forgetful = (name, about, lost) => ({
  name: `session-${name}`,
  about,
  on: {
    initialize: ({ right, count }) => ({ ...right, headers: { [SESSION_ID]: `s${count}` } }),
    "*": (turn) => (turn.message.method === "server/discover" ? undefined : lost(turn)),
  },
});

const sessions = [
  session("plain", "gives a session id", "0123456789abcdef"),
  session("odd", "the session id has all visible ASCII characters", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~aA0"),
  session("long", "the session id has 2,000 characters", "s".repeat(2_000)),
  session("jwt", "the session id is a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
  session("spaces", "the session id has spaces inside", "a b c"),
  forgetful("lost-404", "the first session is lost after the lists (404)", ({ message, request }) =>
    message.method === "tools/call" && request.headers[SESSION_ID] === "s1"
      ? status(404, "Session not found")
      : undefined,
  ),
  forgetful("lost-404-error", "the same, with a JSON-RPC error in the body", ({ message, request, answer }) =>
    message.method === "tools/call" && request.headers[SESSION_ID] === "s1"
      ? json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, { status: 404 })
      : undefined,
  ),
  forgetful("lost-400", "the first session is lost after the lists (400)", ({ message, request }) =>
    message.method === "tools/call" && request.headers[SESSION_ID] === "s1"
      ? status(400, "Bad Request: No valid session ID provided")
      : undefined,
  ),
  forgetful("lost-at-once", "the first session is lost before the lists (404)", ({ request }) =>
    request.headers[SESSION_ID] === "s1" ? status(404, "Session not found") : undefined,
  ),
  {
    name: "session-changes",
    about: "every response has another session id, which the next request needs",
    sequential: true,
    on: {
      initialize: ({ right, state }) => ((state.last = "c0"), { ...right, headers: { [SESSION_ID]: state.last } }),
      "*": ({ message, right }) =>
        message.method === "server/discover" ? undefined : { ...right, headers: { [SESSION_ID]: `c-${message.id}` } },
    },
  },
  {
    name: "session-everywhere",
    about: "every response repeats the session id",
    on: {
      "*": ({ right, message }) =>
        message.method === "server/discover" ? undefined : { ...right, headers: { [SESSION_ID]: "same" } },
    },
  },
  {
    name: "session-on-discover",
    about: "the refusal of `server/discover` has a session id",
    on: { "server/discover": ({ right }) => ({ ...right, headers: { [SESSION_ID]: "too-early" } }) },
  },
  {
    name: "session-empty",
    about: "the session id is empty",
    on: { initialize: ({ right }) => ({ ...right, headers: { [SESSION_ID]: "" } }) },
  },
  {
    name: "session-version",
    about: "requests without the negotiated `MCP-Protocol-Version` are refused (400)",
    on: {
      "*": ({ message, request }) =>
        ["server/discover", "initialize"].includes(message.method) ||
        request.headers["mcp-protocol-version"] === "2025-11-25"
          ? undefined
          : status(400, "Bad Request: Unsupported protocol version"),
    },
  },
];

/** How the notification that the client is ready is answered. */
const ready = (name, about, reply) => ({
  name: `initialized-${name}`,
  about: `\`notifications/initialized\` is answered with ${about}`,
  on: { "notifications/initialized": reply },
});
const notifications = [
  ready("200-json", "HTTP 200 and `{}`", () => json("{}")),
  ready("200-answer", "HTTP 200 and a JSON-RPC answer", () => json({ jsonrpc: "2.0", id: null, result: {} })),
  ready("200-error", "HTTP 200 and a JSON-RPC error", () =>
    json({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "unknown" } }),
  ),
  ready("200-null", "HTTP 200 and `null`", () => json("null")),
  ready("200-text", "HTTP 200 and a text", () => status(200, "ok")),
  ready("200-empty", "HTTP 200 and no body", () => status(200)),
  ready("200-events", "a stream that ends", () => events([": nothing\n\n"])),
  ready("200-open", "a stream that stays open", () => events([": nothing\n\n", { open: true }])),
  ready("202-body", "HTTP 202 and a body", () => json('{"ok":true}', { status: 202 })),
  ready("204", "HTTP 204", () => status(204)),
  ready("400", "HTTP 400", () => status(400, "no")),
  ready("404", "HTTP 404", () => status(404, "no")),
  ready("405", "HTTP 405", () => status(405, "no")),
  ready("500", "HTTP 500", () => status(500, "no")),
  ready("html", "a page in HTML", () => html()),
  ready("never", "no response", () => never),
];

const others = [
  ["404", "HTTP 404", () => status(404)],
  ["400", "HTTP 400", () => status(400)],
  ["401", "HTTP 401", () => status(401)],
  ["500", "HTTP 500", () => status(500)],
  ["html", "a page in HTML", () => html()],
  ["json", "JSON", () => json('{"name":"my server"}')],
  ["empty", "HTTP 200 and no body", () => status(200)],
  ["never", "no response", () => never],
  ["events", "a stream that ends at once", () => events([": hello\n\n"])],
  [
    "heartbeats",
    "a stream of heartbeats",
    () => events(['data: {"type":"heartbeat"}\n\n', { wait: 200 }, "data: ok\n\n", { open: true }]),
  ],
  [
    "ping",
    "a stream with a `ping` request",
    () => events([event({ jsonrpc: "2.0", id: "p", method: "ping" }), { open: true }]),
  ],
].map(([name, about, reply]) => ({
  name: `get-${name}`,
  about: `GET is answered with ${about}`,
  on: { initialize: ({ right }) => ({ ...right, headers: { [SESSION_ID]: "with-get" } }), GET: reply },
}));

const removals = [
  ["404", "HTTP 404", () => status(404)],
  ["500", "HTTP 500", () => status(500)],
  ["never", "no response", () => never],
].map(([name, about, reply]) => ({
  name: `delete-${name}`,
  about: `DELETE is answered with ${about}`,
  on: { initialize: ({ right }) => ({ ...right, headers: { [SESSION_ID]: "with-delete" } }), DELETE: reply },
}));

export const connections = [...sessions, ...notifications, ...others, ...removals];
