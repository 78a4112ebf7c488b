// Event streams with more in them than the answer, and in other spellings.
import { events as stream, event, late, never } from "../replies.mjs";

/** Every answer in a stream of these pieces. */
const every = (name, about, pieces, more = {}) => ({
  name,
  about,
  on: { "*": ({ answer, message, ...turn }) => stream(pieces(answer, message, turn), more) },
});
const raw = (text) => `data: ${text}\n\n`;
const note = (method, params) => event({ jsonrpc: "2.0", method, params });
const ask = (id, method, params) => event({ jsonrpc: "2.0", id, method, params });

const beside = [
  every("event-heartbeat", '`{"type":"heartbeat"}` comes before each answer', (answer) => [
    raw('{"type":"heartbeat","at":1}'),
    event(answer),
  ]),
  every("event-heartbeats", "20 heartbeats come before each answer", (answer) => [
    ...Array(20).fill(raw('{"type":"heartbeat"}')),
    event(answer),
  ]),
  every("event-text", "`data: ok` comes before each answer", (answer) => [raw("ok"), event(answer)]),
  every("event-json-values", "JSON that is no object comes before each answer", (answer) => [
    ...["null", "true", "7", '"text"', "[]", "{}"].map(raw),
    event(answer),
  ]),
  every("event-cut-json", "half an object comes before each answer", (answer) => [
    raw('{"jsonrpc":"2.0","id":'),
    event(answer),
  ]),
  every("event-empty", "an event without data comes before each answer", (answer) => [
    "data:\n\n",
    "data: \n\n",
    "event: message\n\n",
    event(answer),
  ]),
  every("event-done", "`data: [DONE]` comes after each answer", (answer) => [event(answer), raw("[DONE]")]),
  every("event-stray-after", "a heartbeat comes after each answer", (answer) => [
    event(answer),
    raw('{"type":"heartbeat"}'),
  ]),
  every("event-named-ping", "events named `ping` come before each answer", (answer) => [
    event("now", { name: "ping" }),
    event("{}", { name: "ping" }),
    event(answer),
  ]),
  every("event-named-endpoint", "an event named `endpoint` comes before each answer", (answer) => [
    event("/messages?id=1", { name: "endpoint" }),
    event(answer),
  ]),
  every("event-named-other", "a JSON-RPC answer in an event of another name comes before each answer", (answer) => [
    event({ ...answer, result: {} }, { name: "draft" }),
    event(answer),
  ]),
  every("event-named-only", "the answer is in an event named `result`", (answer) => [
    event(answer, { name: "result" }),
  ]),
  every("event-comments", "comments come before each answer", (answer) => [
    ": connected\n\n",
    ":\n",
    ":keep-alive\n\n",
    event(answer),
  ]),
  every("event-notification", "a known notification comes before each answer", (answer) => [
    note("notifications/message", { level: "info", data: "working" }),
    event(answer),
  ]),
  every("event-notification-unknown", "an unknown notification comes before each answer", (answer) => [
    note("notifications/vendor/thinking", { percent: 3 }),
    event(answer),
  ]),
  every("event-notification-odd", "notifications without their parameters come before each answer", (answer) => [
    note("notifications/progress"),
    note("notifications/message", { level: "loud" }),
    note("notifications/cancelled", { requestId: 4_711 }),
    note("notifications/progress", { progressToken: "none", progress: "half" }),
    event(answer),
  ]),
  every("event-notification-old-version", "notifications without `jsonrpc` come before each answer", (answer) => [
    event({ method: "notifications/message", params: { level: "info", data: "x" } }),
    event(answer),
  ]),
  every("event-list-changed", "`tools/list_changed` comes before each answer", (answer) => [
    note("notifications/tools/list_changed"),
    event(answer),
  ]),
  every("event-ping", "a `ping` request comes before each answer", (answer) => [ask("ping-1", "ping"), event(answer)]),
  every("event-request-unknown", "an unknown request comes before each answer", (answer) => [
    ask("q-1", "vendor/ask", {}),
    event(answer),
  ]),
  every("event-request-roots", "`roots/list` comes before each answer, though the client has none", (answer) => [
    ask("r-1", "roots/list"),
    event(answer),
  ]),
  every("event-request-id-null", "a request whose id is `null` comes before each answer", (answer) => [
    event({ jsonrpc: "2.0", id: null, method: "ping" }),
    event(answer),
  ]),
  every("event-answer-unknown", "an answer to no request comes before each answer", (answer) => [
    event({ jsonrpc: "2.0", id: 4_711, result: {} }),
    event({ jsonrpc: "2.0", id: "none", error: { code: -32000, message: "x" } }),
    event(answer),
  ]),
  every("event-answer-twice", "each answer comes twice", (answer) => [event(answer), event(answer)]),
  every("event-answer-then-error", "each answer is followed by an error of the same id", (answer) => [
    event(answer),
    event({ jsonrpc: "2.0", id: answer.id, error: { code: -32603, message: "late" } }),
  ]),
  every("event-array", "each answer is an array of one", (answer) => [event([answer])]),
  every("event-array-more", "each answer is an array with a notification", (answer) => [
    event([{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } }, answer]),
  ]),
  every("event-error-object", '`{"error":…}` without an id comes before each answer', (answer) => [
    raw('{"error":{"code":1,"message":"x"}}'),
    event(answer),
  ]),
  every("event-fields", "events have `id` and `retry`", (answer) => [
    "retry: 100\n\n",
    "id: 1\ndata:\n\n",
    `id: 2\n${event(answer)}`,
  ]),
  every("event-fields-odd", "events have unknown fields and fields without a colon", (answer) => [
    `foo: bar\nnothing\nid\n${event(answer)}`,
  ]),
];

const spelled = [
  every("event-unnamed", "events have no name", (answer) => [event(answer, { name: undefined })]),
  every("event-crlf", "lines end with CRLF", (answer) => [event(answer).replaceAll("\n", "\r\n")]),
  every("event-cr", "lines end with CR", (answer) => [event(answer).replaceAll("\n", "\r")]),
  every("event-bom", "the stream begins with a byte order mark", (answer) => [`\ufeff${event(answer)}`]),
  every("event-no-space", "no space follows the colon", (answer) => [
    `event:message\ndata:${JSON.stringify(answer)}\n\n`,
  ]),
  every("event-two-spaces", "two spaces follow the colon", (answer) => [
    `event: message\ndata:  ${JSON.stringify(answer)}\n\n`,
  ]),
  every("event-lines", "an answer has several `data` lines", (answer) => [
    `event: message\n${JSON.stringify(answer, null, 1)
      .split("\n")
      .map((line) => `data: ${line}\n`)
      .join("")}\n`,
  ]),
  every("event-unfinished", "the stream ends without the empty line after the answer", (answer) => [
    event(answer).trimEnd(),
  ]),
  every("event-one-newline", "the stream ends after one line feed", (answer) => [`${event(answer).trimEnd()}\n`]),
  every("event-bytes", "a stream comes in single bytes", (answer) =>
    [...Buffer.from(event(answer))].map((byte) => Buffer.from([byte])),
  ),
  every("event-open", "the stream stays open after the answer", (answer) => [event(answer), { open: true }]),
  every("event-open-heartbeats", "heartbeats follow the answer for a second", (answer) => [
    event(answer),
    ...Array.from({ length: 10 }, () => [{ wait: 100 }, ": ping\n\n"]).flat(),
  ]),
  every("event-reset", "the connection is reset after the answer", (answer) => [
    event(answer),
    { wait: 50 },
    { reset: true },
  ]),
  every("event-charset", "the content type has a charset", (answer) => [event(answer)], {
    type: "text/event-stream; charset=utf-8",
  }),
  every("event-upper-case", "the content type is `Text/Event-Stream`", (answer) => [event(answer)], {
    type: "Text/Event-Stream",
  }),
  every("event-as-json", "a stream has the content type `application/json`", (answer) => [event(answer)], {
    type: "application/json",
  }),
  every("json-as-events", "JSON has the content type `text/event-stream`", (answer) => [JSON.stringify(answer)]),
];

const slow = [
  {
    name: "call-late",
    about: "a call is answered after a second and a half",
    on: { "tools/call": ({ right }) => late(1_500, right) },
  },
  {
    name: "call-late-heartbeats",
    about: "a call is answered after a second, with heartbeats until then",
    on: {
      "tools/call": ({ answer }) =>
        stream([
          ...Array.from({ length: 10 }, () => [raw('{"type":"heartbeat"}'), { wait: 100 }]).flat(),
          event(answer),
        ]),
    },
  },
  {
    name: "call-never",
    about: "a call is never answered",
    on: { "tools/call": () => never },
  },
  {
    name: "call-silent-stream",
    about: "the stream of a call has comments only, and ends",
    on: { "tools/call": () => stream([": working\n\n", { wait: 100 }]) },
  },
  {
    name: "call-stray-only",
    about: "the stream of a call has heartbeats only, and ends",
    on: { "tools/call": () => stream([raw('{"type":"heartbeat"}'), { wait: 100 }]) },
  },
  {
    name: "call-resumed",
    without: {
      what: ["the call"],
      why: "the gateway passes the pause on to its client, and the client of this test does not reconnect",
    },
    about: "the stream of a call ends before the answer, which a request with `Last-Event-ID` gets",
    on: {
      initialize: ({ answer, right }) => ({
        ...right,
        headers: { "mcp-session-id": "resumable" },
        body: JSON.stringify(answer),
      }),
      "tools/call": ({ answer, state }) => ((state.owed = answer), stream(["retry: 50\nid: 1\ndata:\n\n"])),
      GET: ({ request, state }) =>
        request.headers["last-event-id"] === "1" && state.owed ? stream([`id: 2\n${event(state.owed)}`]) : undefined,
    },
  },
  {
    name: "call-on-get",
    without: {
      what: ["the call"],
      why: "the transport answers a call on its own stream; one client alone reads answers on the other",
    },
    about: "a call is answered with 202, and its result comes on the stream of GET",
    on: {
      initialize: ({ answer, right }) => ({
        ...right,
        headers: { "mcp-session-id": "on-get" },
        body: JSON.stringify(answer),
      }),
      "tools/call": ({ answer, state }) => ((state.owed = answer), { status: 202 }),
      GET: ({ state }) =>
        stream(
          Array.from({ length: 1 }, () => [
            { wait: 600 },
            () => (state.owed ? event(state.owed) : ""),
            { open: true },
          ]).flat(),
        ),
    },
  },
];

export const events = [...beside, ...spelled, ...slow];
