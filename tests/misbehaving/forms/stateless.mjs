// The same kinds of faults in servers of the stateless revision.
import { WITHOUT_TOOLS } from "./lists.mjs";
import { withError, withResult } from "../core.mjs";
import { event, events, html, json, never, redirect, status } from "../replies.mjs";

const form = (name, about, on, more = {}) => ({
  name: `stateless-${name}`,
  about: `stateless: ${about}`,
  stateless: true,
  on,
  ...more,
});
const results = (name, about, change) =>
  form(name, about, {
    "*": ({ answer }) => (answer.result ? json(withResult(answer, change(answer.result))) : undefined),
  });
const without =
  (...members) =>
  (result) =>
    Object.fromEntries(Object.entries(result).filter(([key]) => !members.includes(key)));
const fails = ({ answer }) => json(withError(answer, -32603, "Internal error"));

export const stateless = [
  form("plain", "nothing is wrong", {}),
  results("no-type", "results have no `resultType`", without("resultType")),
  results("no-cache", "results have neither `ttlMs` nor `cacheScope`", without("ttlMs", "cacheScope")),
  results("bare", "results have none of the members of the revision", without("resultType", "ttlMs", "cacheScope")),
  results("ttl-text", "`ttlMs` is a text", (result) => ({ ...result, ttlMs: "60s" })),
  results("ttl-negative", "`ttlMs` is negative", (result) => ({ ...result, ttlMs: -1 })),
  results("ttl-float", "`ttlMs` is `0.5`", (result) => ({ ...result, ttlMs: 0.5 })),
  results("scope-odd", "`cacheScope` is `shared`", (result) => ({ ...result, cacheScope: "shared" })),
  results("type-odd", "`resultType` is `done`", (result) => ({ ...result, resultType: "done" })),
  results("meta-null", "`_meta` of results is `null`", (result) => ({ ...result, _meta: null })),
  form("versions-more", "unknown versions are offered beside the known one", {
    "server/discover": ({ answer }) =>
      json(withResult(answer, { ...answer.result, supportedVersions: ["2099-01-01", "2026-07-28", "2025-11-25"] })),
  }),
  form("no-info", "`server/discover` names no server", {
    "server/discover": ({ answer }) => json(withResult(answer, without("serverInfo")(answer.result))),
  }),
  form("capabilities-null", "`capabilities` is `null`", {}, { capabilities: null }),
  form("capabilities-none", "`capabilities` is empty", {}, { capabilities: {} }),
  form("prompts-fail", "`prompts/list` answers -32603", { "prompts/list": fails }),
  form("prompts-500", "`prompts/list` answers HTTP 500", { "prompts/list": () => status(500, "no") }),
  form("resources-never", "`resources/list` never answers", { "resources/list": () => never }),
  form("templates-404", "`resources/templates/list` answers -32601 and HTTP 404", {
    "resources/templates/list": ({ answer }) => json(withError(answer, -32601, "unknown"), { status: 404 }),
  }),
  {
    ...form("tools-html", "`tools/list` answers with HTML", { "tools/list": () => html() }),
    without: WITHOUT_TOOLS,
  },
  form("heartbeat", "heartbeats come before each answer", {
    "*": ({ answer }) => events(['data: {"type":"heartbeat"}\n\n', "data: ok\n\n", event(answer)]),
  }),
  form("notification", "unknown notifications come before each answer", {
    "*": ({ answer }) =>
      events([event({ jsonrpc: "2.0", method: "notifications/vendor/x", params: {} }), event(answer)]),
  }),
  form("id-text", "ids are texts", { "*": ({ answer }) => json({ ...answer, id: String(answer.id) }) }),
  form("id-float", "ids are written as `3.0`", {
    "*": ({ answer: { jsonrpc, id, ...rest } }) =>
      json(
        `{"jsonrpc":"2.0","id":${typeof id === "number" ? `${id}.0` : JSON.stringify(id)},${JSON.stringify(rest).slice(1)}`,
      ),
  }),
  form("redirect", "every request is redirected (307)", {
    "*": ({ path, here }) => (path === "mcp" ? redirect(307, `${here}/moved`) : undefined),
  }),
  form("redirect-308", "every request is redirected to the path with a slash (308)", {
    "*": ({ path, here }) => (path === "mcp" ? redirect(308, `${here}/mcp/`) : undefined),
  }),
  form("type-charset", "the content type has a charset", {
    "*": ({ answer }) => json(answer, { type: "application/json; charset=utf-8" }),
  }),
  form("type-text", "JSON has the content type `text/plain`", {
    "*": ({ answer }) => json(answer, { type: "text/plain" }),
  }),
  form(
    "deep",
    "a tool nests 100 levels",
    {},
    {
      items: {
        tools: (good, tool) => {
          let schema = { type: "object" };
          for (let level = 2; level < 100; level += 2) schema = { type: "object", properties: { a: schema } };
          return [...good, tool("three", { inputSchema: schema })];
        },
      },
    },
  ),
  form(
    "cursor-repeats",
    "each page has the same cursor",
    {},
    { pages: { tools: (_, tool) => ({ tools: [tool("one"), tool("two")], nextCursor: "again" }) } },
  ),
  form("corrected", "the first `server/discover` is refused with -32022 and the known version", {
    "server/discover": ({ answer, count }) =>
      count === 1
        ? json(withError(answer, -32022, "no", { supported: ["2026-07-28"], requested: "2026-07-28" }), { status: 400 })
        : undefined,
  }),
];
