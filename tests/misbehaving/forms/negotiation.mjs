// How a server introduces itself: `server/discover`, `initialize`, versions and capabilities.
import { WITHOUT_TOOLS } from "./lists.mjs";
import { METHOD_NOT_FOUND, SESSION, STATELESS, withError, withResult } from "../core.mjs";
import { event, events, html, json, late, never, redirect, reset, status } from "../replies.mjs";

const discover = (name, about, reply, more = {}) => ({
  name: `discover-${name}`,
  about: `\`server/discover\` ${about}`,
  on: { "server/discover": reply },
  ...more,
});
const refusing =
  (code, message, data) =>
  ({ answer }) =>
    json(withError(answer, code, message, data));

const discovers = [
  discover("never", "is never answered", () => never),
  discover("open-stream", "is answered by a stream without events", () => events([{ open: true }])),
  discover("empty-stream", "is answered by a stream that ends", () => events([": nothing\n\n"])),
  ...[400, 404, 405, 406, 409, 415, 422, 429, 500, 501, 502, 503].map((code) =>
    discover(`http-${code}`, `is answered with HTTP ${code} and a text`, () => status(code, "no")),
  ),
  ...[401, 403].map((code) =>
    discover(`http-${code}`, `alone is answered with HTTP ${code}`, () => status(code, "no")),
  ),
  discover("http-400-empty", "is answered with HTTP 400 and no body", () => status(400)),
  discover("http-500-error", "is answered with -32603 and HTTP 500", ({ answer }) =>
    json(withError(answer, -32603, "crashed"), { status: 500 }),
  ),
  discover("http-404-html", "is answered with a page in HTML and HTTP 404", () => html(404)),
  discover("html", "is answered with a page in HTML", () => html()),
  discover("empty", "is answered with HTTP 200 and no body", () => status(200)),
  discover("empty-json", "is answered with `{}`", () => json("{}")),
  discover("null", "is answered with `null`", () => json("null")),
  discover("accepted", "is answered with HTTP 202", () => status(202)),
  discover("no-content", "is answered with HTTP 204", () => status(204)),
  discover("reset", "resets the connection", () => reset),
  discover("redirected", "is redirected to another origin (307)", ({ other }) => redirect(307, `${other}/mcp`)),
  ...[-32600, -32601, -32602, -32603, -32700, -32000, -32001, -32002, 0].map((code) =>
    discover(`error${code}`, `is answered with the error ${code}`, refusing(code, "no")),
  ),
  discover(
    "unsupported",
    "is answered with -32022 and older versions",
    refusing(-32022, "no", { supported: [SESSION, "2025-06-18"], requested: STATELESS }),
  ),
  discover("unsupported-none", "is answered with -32022 and no versions", refusing(-32022, "no")),
  discover(
    "unsupported-odd",
    "is answered with -32022 and `supported` as a text",
    refusing(-32022, "no", { supported: SESSION }),
  ),
  discover("result-empty", "is answered with the result `{}`", ({ answer }) => json(withResult(answer, {}))),
  discover("result-older", "is answered with older versions only", ({ answer }) =>
    json(
      withResult(answer, {
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        supportedVersions: [SESSION],
        capabilities: {},
      }),
    ),
  ),
  discover("result-future", "is answered with unknown versions only", ({ answer }) =>
    json(
      withResult(answer, {
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        supportedVersions: ["2099-01-01"],
        capabilities: {},
      }),
    ),
  ),
  discover("result-initialize", "is answered as `initialize`", ({ answer }) =>
    json(
      withResult(answer, {
        protocolVersion: SESSION,
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      }),
    ),
  ),
  discover("result-text", "is answered with a text as the result", ({ answer }) => json(withResult(answer, "pong"))),
  discover("late", "is answered with an error after a second", ({ right }) => late(1_000, right)),
];

const initialize = (name, about, change, more = {}) => ({
  name: `initialize-${name}`,
  about,
  on: { initialize: (turn) => change(turn) },
  ...more,
});
/** `initialize` answers this version. */
const version = (value, about) =>
  initialize(
    `version-${String(value).replaceAll(/[^\w-]/g, "")}`,
    about ?? `\`initialize\` answers the version ${value}`,
    ({ answer }) => json(withResult(answer, { ...answer.result, protocolVersion: value })),
  );
/** `initialize` refuses every version but one. */
const offering = (name, about, accepted, refusal) =>
  initialize(name, about, (turn) => {
    const asked = turn.message.params.protocolVersion;
    if (!accepted.includes(asked)) return refusal(turn);
    return json(withResult(turn.answer, { ...turn.answer.result, protocolVersion: asked }));
  });
const old = ["2024-11-05", "2025-03-26"];

const initializes = [
  version("2024-11-05"),
  version("2025-03-26"),
  version("2025-06-18"),
  version("2099-01-01", "`initialize` answers an unknown version"),
  version("", "`initialize` answers an empty version"),
  version(20251125, "`initialize` answers a number as the version"),
  version("1.0", "`initialize` answers the version `1.0`"),
  version(STATELESS, "`initialize` answers the stateless version"),
  initialize("no-version", "`initialize` answers no version", ({ answer: { result, ...answer } }) =>
    json({ ...answer, result: { capabilities: result.capabilities, serverInfo: result.serverInfo } }),
  ),
  offering(
    "supported",
    "`initialize` refuses with -32602 and older versions in `data.supported`",
    old,
    ({ answer, message }) =>
      json(
        withError(answer, -32602, "Unsupported protocol version", {
          supported: old,
          requested: message.params.protocolVersion,
        }),
      ),
  ),
  offering("supported-400", "the same with HTTP 400", old, ({ answer, message }) =>
    json(
      withError(answer, -32602, "Unsupported protocol version", {
        supported: old,
        requested: message.params.protocolVersion,
      }),
      { status: 400 },
    ),
  ),
  offering("supported-32022", "`initialize` refuses with -32022 and older versions", old, ({ answer, message }) =>
    json(
      withError(answer, -32022, "Unsupported protocol version", {
        supported: old,
        requested: message.params.protocolVersion,
      }),
    ),
  ),
  offering("supported-32000", "`initialize` refuses with -32000 and older versions", old, ({ answer }) =>
    json(withError(answer, -32000, "Bad version", { supported: old })),
  ),
  offering("supported-none", "`initialize` refuses with -32602 and names no versions", old, ({ answer }) =>
    json(withError(answer, -32602, "Unsupported protocol version")),
  ),
  initialize("refused", "`initialize` answers -32603", ({ answer }) => json(withError(answer, -32603, "no"))),
  initialize("http-500", "`initialize` answers HTTP 500", () => status(500, "no")),
  initialize("once-503", "the first `initialize` answers HTTP 503", ({ count }) =>
    count === 1 ? status(503, "starting") : undefined,
  ),
  initialize("no-info", "`initialize` answers without `serverInfo`", ({ answer: { result, ...answer } }) =>
    json({ ...answer, result: { protocolVersion: result.protocolVersion, capabilities: result.capabilities } }),
  ),
  initialize("info-null", "`serverInfo` is `null`", ({ answer }) =>
    json(withResult(answer, { ...answer.result, serverInfo: null })),
  ),
  initialize("info-no-version", "`serverInfo` has no version", ({ answer }) =>
    json(withResult(answer, { ...answer.result, serverInfo: { name: "x" } })),
  ),
  initialize("info-empty", "`serverInfo` is `{}`", ({ answer }) =>
    json(withResult(answer, { ...answer.result, serverInfo: {} })),
  ),
  initialize("instructions-null", "`instructions` is `null`", ({ answer }) =>
    json(withResult(answer, { ...answer.result, instructions: null })),
  ),
  initialize("instructions-list", "`instructions` is an array", ({ answer }) =>
    json(withResult(answer, { ...answer.result, instructions: ["a"] })),
  ),
  initialize("members", "the result of `initialize` has unknown members", ({ answer }) =>
    json(withResult(answer, { ...answer.result, sessionTimeout: 3, _meta: { a: 1 } })),
  ),
  initialize("late", "`initialize` is answered after a second", ({ right }) => late(1_000, right)),
  initialize("open-stream", "the stream of `initialize` stays open after the answer", ({ answer }) =>
    events([event(answer), { open: true }]),
  ),
  initialize("changed-note", "the stream of `initialize` has a list change before the answer", ({ answer }) =>
    events([event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }), event(answer)]),
  ),
];

const capable = (name, about, capabilities, more = {}) => ({
  name: `capabilities-${name}`,
  about,
  capabilities,
  ...more,
});
const absent = (...methods) =>
  Object.fromEntries(
    methods.map((method) => [method, ({ answer }) => json(withError(answer, METHOD_NOT_FOUND, "Method not found"))]),
  );

const capabilities = [
  capable("none", "announces nothing, and has tools, resources and prompts", {}),
  capable("missing", "the result of `initialize` has no `capabilities`", undefined),
  capable("null", "`capabilities` is `null`", null),
  capable("text", "`capabilities` is a text", "tools"),
  capable("array", "`capabilities` is an array", ["tools"]),
  capable("tools-null", "`capabilities.tools` is `null`", { tools: null }),
  capable("tools-true", "`capabilities.tools` is `true`", { tools: true }),
  capable("tools-array", "`capabilities.tools` is an array", { tools: [] }),
  capable("changed-text", "`listChanged` is a text", { tools: { listChanged: "yes" }, resources: {}, prompts: {} }),
  capable("all-null", "all announced capabilities are `null`", {
    tools: null,
    resources: null,
    prompts: null,
    logging: null,
  }),
  capable("unknown", "announces capabilities that no revision defines", {
    tools: {},
    resources: {},
    prompts: {},
    magic: true,
    other: { a: 1 },
  }),
  capable("extensions-array", "`extensions` is an array", { tools: {}, resources: {}, prompts: {}, extensions: ["a"] }),
  capable("experimental-true", "`experimental` is `true`", {
    tools: {},
    resources: {},
    prompts: {},
    experimental: true,
  }),
  capable(
    "absent",
    "announces resources and prompts, which it does not know",
    { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
    {
      on: absent(
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
      ),
    },
  ),
  capable(
    "resources-only",
    "announces tools, and has no resources and prompts",
    { tools: {} },
    {
      on: absent("resources/list", "resources/templates/list", "prompts/list"),
    },
  ),
  capable(
    "tools-absent",
    "announces tools, which it does not know",
    { tools: {}, resources: {}, prompts: {} },
    { on: absent("tools/list"), without: WITHOUT_TOOLS },
  ),
  capable("tasks-odd", "announces `tasks` as `true`", { tools: {}, resources: {}, prompts: {}, tasks: true }),
  capable("filtering-odd", "announces `filtering` as a text", {
    tools: {},
    resources: {},
    prompts: {},
    filtering: "all",
    concerns: 3,
  }),
  capable(
    "subscribe",
    "announces subscriptions and list changes, which it does not know",
    {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    },
    { on: absent("resources/subscribe", "subscriptions/listen") },
  ),
];

export const negotiation = [...discovers, ...initializes, ...capabilities];
