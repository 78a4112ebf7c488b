// Hidden resources of a wrapped handler. No spelling reads them. Responses, calls of the handler, and failures of the
// handler do not distinguish them from resources that never existed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../pkg/loaders/handler-node.js";
import { requestOf, told } from "./support/tiny-handler.mjs";

const LISTS = {
  "server/discover": {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { resources: {} },
    serverInfo: { name: "tiny", version: "1" },
  },
  "resources/list": {
    resultType: "complete",
    ttlMs: 60_000,
    resources: [
      { uri: "docs://open", name: "open" },
      { uri: "docs://payroll", name: "payroll" },
    ],
  },
  "resources/templates/list": {
    resultType: "complete",
    ttlMs: 60_000,
    resourceTemplates: [{ uriTemplate: "people://{id}", name: "people" }],
  },
};

/** Returns a handler that matches resources as URLs, in all spellings, and has its own message for missing ones. */
function shop() {
  const state = { read: [], down: false };
  state.handler = async (request) => {
    const { id, method, params } = await request.json();
    if (LISTS[method]) return Response.json({ jsonrpc: "2.0", id, result: LISTS[method] });
    state.read.push(params.uri);
    if (state.down) throw new Error("down");
    const known = /^(?:docs:\/\/(?:open|payroll)|people:)/.test(
      new URL(params.uri).href.toLowerCase().replace(/\/[^/]+\/\.\./, ""),
    );
    return Response.json({
      jsonrpc: "2.0",
      id,
      ...(known
        ? { result: { resultType: "complete", contents: [{ uri: params.uri, text: "found" }] } }
        : { error: { code: 0, message: "Unknown resource" } }),
    });
  };
  return state;
}
const HIDDEN = [
  "docs://payroll",
  "DOCS://payroll",
  "Docs://PAYROLL",
  "docs://pay%72oll",
  "docs://payroll/",
  "docs://x/../payroll",
  "people://7",
  "PEOPLE://7",
  "people://x/../7",
];
const NEVER = "docs://nowhere";

for (const unlisted of [undefined, true, false]) {
  test(`hidden resources are like those that never existed, with \`unlisted: ${unlisted}\``, async () => {
    const state = shop();
    const { fetch } = gateway(
      state.handler,
      { upstream: { ...(unlisted !== undefined && { unlisted }) }, policies: [{ name: "open", show: "name:open" }] },
      { note() {} },
    );
    const read = async (uri) => {
      const before = state.read.length;
      const answer = await told(await fetch(requestOf("resources/read", { uri }, { headers: { "mcp-name": uri } })));
      return {
        calls: state.read.length - before,
        answer: JSON.stringify(answer).replaceAll(JSON.stringify(uri).slice(1, -1), "URI"),
      };
    };
    assert.match((await read("docs://open")).answer, /"text":"found"/);
    for (const down of [false, true]) {
      state.down = down;
      const never = await read(NEVER);
      for (const uri of HIDDEN) assert.deepEqual(await read(uri), never, uri);
    }
  });
}
