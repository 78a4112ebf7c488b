// Paths of `gateway(handler, config)`: MCP at its own path, 404 or another function elsewhere. The handler runs at no
// other path.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SieveError, gateway } from "../pkg/loaders/handler-node.js";
import { requestOf, sessionRequest, tinyHandler, told } from "./support/tiny-handler.mjs";

const HIDING = { policies: [{ name: "open", show: "name:open" }] };
const NOTE = { note() {} };
/** Paths other than `/mcp` that a router, a proxy or a person could mistake for it. */
const NEAR = [
  "/",
  "/other",
  "/MCP",
  "/Mcp",
  "//mcp",
  "//mcp/",
  "/mcp%2f",
  "/mcp%2Fx",
  "/mcp;x",
  "/mcp;/",
  "/%6dcp",
  "/mc%70",
  "/mcp%00",
  "/mcp%20",
  "/mcp%3f",
  "/mcp%23",
  "/mcpx",
  "/mcp.json",
  "/x/mcp",
  "/mcp/../other",
  "/sse",
  "/message",
  "/favicon.ico",
  "/index.html",
  "/catalog/tools",
];
/** Paths that are `/mcp` or below it. */
const BELOW = [
  "/mcp/",
  "/mcp//",
  "/mcp/x",
  "/mcp/%2e%2e/mcp",
  "/mcp/../mcp",
  "/x/../mcp",
  "/./mcp",
  "/mcp/mcp",
  "/mcp/secret",
  "/mcp/%2fmcp",
];

for (const [place, paths] of Object.entries({
  "that is not the endpoint's": NEAR,
  "at or below the endpoint's": BELOW,
})) {
  test(`a path ${place} never reaches a hidden tool`, async () => {
    for (const path of paths) {
      const { handler, called, received } = tinyHandler();
      const { fetch } = gateway(handler, HIDING, NOTE);
      const url = `https://shop.example${path}`;
      for (const request of [
        requestOf("tools/call", { name: "secret", arguments: {} }, { url }),
        sessionRequest("tools/call", { params: { name: "secret", arguments: {} }, url }),
      ]) {
        const response = await fetch(request);
        if (paths === NEAR) assert.deepEqual([response.status, received], [404, []], path);
      }
      assert.deepEqual(called(), [], path);
    }
  });
}

test("every method gets 404 elsewhere, and the handler no request", async () => {
  const { handler, received } = tinyHandler();
  const { fetch } = gateway(handler, HIDING, NOTE);
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    assert.equal((await fetch(new Request("https://shop.example/", { method }))).status, 404, method);
  assert.deepEqual(received, []);
});

test("a path of the author's own is the only one", async () => {
  const { handler, called } = tinyHandler();
  const { fetch } = gateway(handler, HIDING, { ...NOTE, path: "/api/mcp" });
  const call = async (path, name) =>
    (await fetch(requestOf("tools/call", { name, arguments: {} }, { url: `https://shop.example${path}` }))).status;
  for (const path of ["/", "/mcp", "/api/MCP", "/api//mcp", "/api/%6dcp", "/api/sse", "/sse", "/x"])
    assert.equal(await call(path, "secret"), 404, path);
  assert.equal(await call("/api/mcp", "secret"), 200);
  assert.equal(await call("/api/mcp", "open"), 200);
  assert.deepEqual(called(), ["open"]);
});

test("a slash at the end of a path changes nothing", async () => {
  const presets = [{ name: "narrow", filter: { where: "name:nothing" } }];
  for (const path of ["/mcp", "/api/mcp"]) {
    const { handler, called } = tinyHandler();
    const { fetch } = gateway(handler, { ...HIDING, presets }, { ...NOTE, path });
    const call = async (rest, name) => {
      const url = `https://shop.example${path}${rest}`;
      return told(await fetch(requestOf("tools/call", { name, arguments: {} }, { url })));
    };
    for (const name of ["open", "secret"]) {
      assert.deepEqual(await call("/", name), await call("", name));
      assert.deepEqual(await call("/narrow/", name), await call("/narrow", name));
    }
    assert.deepEqual(called(), ["open", "open"]);
    assert.equal((await call("//", "open")).status, 404);
    const preflight = { method: "OPTIONS", headers: { origin: "https://page.example" } };
    const granted = async (rest) => (await fetch(new Request(`https://shop.example${path}${rest}`, preflight))).status;
    assert.equal(await granted("/"), await granted(""));
  }
});

test("`otherwise` serves other paths, with the request, `env` and context as they came", async () => {
  const { handler, received } = tinyHandler();
  const seen = [];
  const otherwise = async (request, env, ctx) => (
    seen.push([request.method, new URL(request.url).pathname, env, ctx]), new Response("page")
  );
  for (const given of [otherwise, { fetch: otherwise }]) {
    const { fetch } = gateway(handler, HIDING, { ...NOTE, otherwise: given });
    assert.equal(await (await fetch(new Request("https://shop.example/about"), { ENV: 1 }, { CTX: 1 })).text(), "page");
    assert.deepEqual(seen.splice(0), [["GET", "/about", { ENV: 1 }, { CTX: 1 }]]);
    assert.equal((await told(await fetch(requestOf("tools/call", { name: "open", arguments: {} })))).status, 200);
    assert.deepEqual(seen, []);
  }
  assert.ok(received.every(({ url }) => new URL(url).pathname === "/mcp"));
});

test("the handler is refused as `otherwise`", () => {
  const { handler } = tinyHandler();
  const object = { fetch: handler };
  const refused = (given, otherwise) =>
    assert.throws(
      () => gateway(given, HIDING, { otherwise }),
      (error) =>
        error instanceof SieveError &&
        error.code === "handler" &&
        /^otherwise: expected another function/.test(error.message),
    );
  refused(handler, handler);
  refused(object, object);
  refused(object, handler);
  refused(handler, object);
});

test("options that could not be kept are refused when the module is loaded", () => {
  const { handler } = tinyHandler();
  const wrong = {
    "unknown option `identity`": { identity: () => null },
    "path: expected": { path: "mcp" },
    "path: expected a": { path: "/mcp/" },
    "path: expected a path": { path: "" },
    "path: expected a path such": { path: "//mcp" },
    "path: expected a path such as": { path: "/mcp/*" },
    "catalog: expected": { catalog: "/%2e" },
    "otherwise: expected a function": { otherwise: "/index.html" },
    "identify: expected a function": { identify: {} },
    "checks[1]: expected a function": { checks: [() => true, { name: "b" }] },
  };
  for (const [message, options] of Object.entries(wrong))
    assert.throws(
      () => gateway(handler, HIDING, options),
      (error) => error.code === "handler" && error.message.startsWith(message),
      message,
    );
});
