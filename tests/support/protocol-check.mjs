// Checks of a reply: the row's own expectations, and those for every reply of its revision.
import assert from "node:assert/strict";
import { at } from "./protocol-talk.mjs";
import { arrayText, hashOf, resultHashOf } from "./xxh64.mjs";

const LISTS = {
  tools: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  prompts: "name",
  skills: "uri",
  groups: "name",
  tags: "name",
  concerns: "name",
};
const CACHEABLE = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "skills/list",
  "skills/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** Asserts that a message is the JSON-RPC response to a request. */
function checkRpc(expect, sent, message) {
  assert.equal(message.jsonrpc, "2.0");
  const id = "id" in expect ? (expect.id ?? undefined) : sent?.id;
  assert.deepEqual(message.id, id, "id");
  const members = ["jsonrpc", expect.error ? "error" : "result", ...(id === undefined ? [] : ["id"])];
  assert.deepEqual(Object.keys(message).sort(), members.sort());
}

/** Asserts the members that every result of a revision has, and those that none has. */
function checkEra({ era, method }, result, server) {
  if (era === null) return;
  if (era !== "2026-07-28") {
    for (const key of ["resultType", "ttlMs", "cacheScope"]) assert.ok(!(key in result), `${key} is not of this era`);
    assert.ok(!(SERVER_INFO in (result._meta ?? {})), "serverInfo is not of this era");
    return;
  }
  assert.equal(result.resultType, "complete");
  assert.deepEqual(result._meta?.[SERVER_INFO], server);
  if (CACHEABLE.includes(method)) {
    assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0, `ttlMs ${result.ttlMs}`);
    assert.ok(["public", "private"].includes(result.cacheScope), `cacheScope ${result.cacheScope}`);
  }
}

/** Asserts that a report on a filter has all its members, and that its hashes can be reproduced. */
function checkReport(result, text) {
  const report = result._meta?.["dev.mcpsieve/filter"];
  if (!report) return;
  const { url, limited, unknown, ...rest } = report;
  assert.deepEqual(Object.keys(rest).sort(), [
    "applied",
    "catalogHash",
    "filterHash",
    "ignored",
    "matched",
    "resultHash",
    "total",
  ]);
  for (const key of ["catalogHash", "filterHash", "resultHash"]) assert.match(report[key], /^[0-9a-f]{32}$/, key);
  const key = Object.keys(LISTS).find((list) => Array.isArray(result[list]));
  assert.equal(report.resultHash, resultHashOf(arrayText(text, key)), "resultHash");
  const canonical = [report.applied, ...(url ? [url] : [])]
    .map((filter) => JSON.stringify(filter))
    .filter((filter) => filter !== "{}");
  assert.equal(report.filterHash, canonical.length === 0 ? hashOf("{}") : hashOf(...canonical), "filterHash");
}

/** Asserts that only a successful `initialize` returns a session id. */
function checkSessionHeader({ method, expect }, headers) {
  const id = headers["mcp-session-id"];
  if (method === "initialize" && expect.status === 200 && !expect.error) assert.match(id, /^[!-~]{22,}$/);
  else assert.equal(id, undefined, "a session id out of place");
}

function listed(result) {
  const [key, name] = Object.entries(LISTS).find(([list]) => Array.isArray(result?.[list])) ?? [];
  return result?.[key]?.map((item) => item[name]);
}

/** Returns the messages of an event stream. */
function messages(stream) {
  const data = (event) =>
    event
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => line.slice(6))
      .join("");
  return stream
    .split("\n\n")
    .map(data)
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text));
}

/** Throws if `reply` is not what `step` expects. `server` is the server's own `serverInfo`. */
export function checkReply(step, { sent, reply }, server, talk) {
  const { expect } = step;
  const { status, headers, text, json } = reply;
  assert.equal(status, expect.status, text);
  for (const [name, value] of Object.entries(expect.headers ?? {})) {
    assert.equal(headers[name] ?? null, talk.resolve(value), `header ${name}`);
  }
  const shown = JSON.stringify(headers) + text;
  for (const secret of expect.nowhere ?? []) assert.ok(!shown.includes(secret), `\`${secret}\` is shown: ${shown}`);
  checkSessionHeader(step, headers);
  if ([202, 204, 304].includes(status)) {
    assert.deepEqual([headers["content-type"], text], [undefined, ""]);
    return;
  }
  assert.equal(headers["content-type"], expect.type ?? "application/json");
  if (expect.text !== undefined) assert.equal(text, expect.text);
  if (expect.events) {
    assert.deepEqual(messages(text), expect.events);
    return;
  }
  if (step.verb === "HEAD") {
    assert.equal(text, "");
    return;
  }
  assert.ok(json, `no JSON: ${text}`);
  if (expect.batch) {
    assert.deepEqual(json, expect.batch);
    return;
  }
  if (step.path?.startsWith("/catalog/") && status === 200) {
    const key = Object.keys(LISTS).find((list) => Array.isArray(json[list]));
    assert.equal(headers.etag, `"${resultHashOf(arrayText(text, key))}"`);
    checkExpected(expect, { result: json }, talk);
    return;
  }
  if (/\/server-card$|^\/\.well-known\//.test(step.path ?? "") && status === 200) {
    checkExpected(expect, { result: json }, talk);
    return;
  }
  checkRpc(expect, sent, json);
  if (json.result) {
    checkEra(step, json.result, server);
    checkReport(json.result, text);
  }
  checkExpected(expect, json, talk);
}

function checkExpected(expect, json, talk) {
  for (const member of ["error", "result"]) {
    if (expect[member]) assert.deepEqual(json[member], talk.resolve(expect[member]));
  }
  if (expect.names) assert.deepEqual(listed(json.result), expect.names);
  for (const [pointer, value] of Object.entries(expect.at ?? {}))
    assert.deepEqual(at(json, pointer), talk.resolve(value), pointer);
  for (const [pointer, value] of Object.entries(expect.not ?? {})) {
    assert.notEqual(at(json, pointer), undefined, pointer);
    assert.notDeepEqual(at(json, pointer), talk.resolve(value), pointer);
  }
  for (const pointer of expect.absent ?? []) assert.equal(at(json, pointer), undefined, pointer);
}
