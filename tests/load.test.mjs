// Loading the WebAssembly in a page: success, failures, and the messages of errors. The built package in Chromium.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { POLICY, launch } from "./support/site.mjs";

const file = (path) => readFileSync(new URL(`../pkg${path}`, import.meta.url));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const WASM = "/dist/parts/engine.wasm";
const FILES = [WASM, "/dist/middleware_bg.wasm"];
const START = "<!doctype html><html lang=en><title>A host</title><link rel=icon href=data:,><h1>Start</h1>";
/** The server's responses to requests for the WebAssembly. A test queues several, of which the last is repeated. */
const answers = {
  good: (response) => response.writeHead(200, { "content-type": "application/wasm" }).end(file(WASM)),
  busy: (response) => response.writeHead(503).end(),
  missing: (response) => response.writeHead(404, { "content-type": "text/plain" }).end("not here"),
  start: (response) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(START),
  octets: (response) => response.writeHead(200, { "content-type": "application/octet-stream" }).end(file(WASM)),
  broken: (response) =>
    response.writeHead(200, { "content-type": "application/wasm" }).end(file(WASM).subarray(0, 50_000)),
  other: (response) =>
    response.writeHead(200, { "content-type": "application/wasm" }).end(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)),
  cut: (response) =>
    response
      .writeHead(200, { "content-type": "application/octet-stream", "content-length": 400_000 })
      .write(file(WASM).subarray(0, 50_000), () => response.destroy()),
  none: (response) => response.destroy(),
};

let browser, server, url, queue, asked, policy, view, warnings;
before(async () => {
  browser = await launch();
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    response.setHeader("cache-control", "no-store");
    if (FILES.includes(pathname)) {
      asked += 1;
      return answers[queue.length > 1 ? queue.shift() : queue[0]](response);
    }
    if (pathname === "/")
      return response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end(START);
    response.writeHead(200, { "content-type": TYPES[extname(pathname)] }).end(file(pathname));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  await browser?.close();
  server?.close();
});
beforeEach(async () => {
  await view?.close();
  [asked, warnings, policy] = [0, [], POLICY];
});

async function open(...next) {
  queue = next;
  view = await browser.newPage();
  view.on("console", (line) => {
    if (line.type() === "warning") warnings.push(line.text());
  });
  await view.goto(url);
}

/** Calls `await init()` `times` times in sequence. Returns the outcome of each: `ready`, or the error's members. */
const init = (times = 1) =>
  view.evaluate(async (times) => {
    const { default: init, Sieve, SieveError } = await import("/loaders/init.js");
    const ends = [];
    for (let time = 0; time < times; time += 1) {
      ends.push(
        await init().then(
          () => `ready: ${Sieve.compile({ tools: [{ name: "a", inputSchema: {} }] }).names()}`,
          (error) => {
            const { name, code, message, url, status, contentType } = error;
            return {
              ours: error instanceof SieveError,
              name,
              code,
              message,
              url,
              status,
              contentType,
              cause: error.cause?.constructor.name,
            };
          },
        ),
      );
    }
    return ends.length === 1 ? ends[0] : ends;
  }, times);

const failure = (message, more = {}) => ({
  ours: true,
  name: "SieveError",
  code: "load",
  message: `could not load the WebAssembly${message}`,
  url: undefined,
  status: undefined,
  contentType: undefined,
  cause: undefined,
  ...more,
});

test("`init()` finds the file by itself, and asks for it once", async () => {
  await open("good");
  assert.equal(
    await view.evaluate(async () => {
      const { default: init, Sieve } = await import("/loaders/init.js");
      await Promise.all([init(), init(), init("/nowhere.wasm")]);
      await init();
      return Sieve.compile({ prompts: [{ name: "a" }] }).count({ kind: "prompts" });
    }),
    1,
  );
  assert.equal(asked, 1);
  assert.deepEqual(warnings, []);
});

test("a file that is not there, and a later try that finds it", async () => {
  await open("missing", "busy", "good");
  const [first, second, third] = await init(3);
  assert.deepEqual(
    first,
    failure(` from ${url}${WASM}: the server answered 404, expected 200`, {
      url: url + WASM,
      status: 404,
      contentType: "text/plain",
    }),
  );
  assert.deepEqual([second.code, second.status], ["load", 503]);
  assert.equal(third, "ready: a");
  assert.equal(asked, 3);
});

test("a server that sends its start page for every unknown path", async () => {
  await open("start");
  assert.deepEqual(
    await init(),
    failure(
      ` from ${url}${WASM}: the server sent text/html; charset=utf-8, expected application/wasm; a server that answers every unknown path with its start page has no such file`,
      { url: url + WASM, status: 200, contentType: "text/html; charset=utf-8" },
    ),
  );
});

test("a wrong type is no hindrance, but a warning", async () => {
  await open("octets");
  assert.equal(await init(), "ready: a");
  assert.deepEqual(warnings, [
    `mcp-sieve: ${url}${WASM} is served as \`application/octet-stream\`; it loads faster as \`application/wasm\``,
  ]);
});

test("a policy of the page that forbids WebAssembly", async () => {
  policy = POLICY.replace(" 'wasm-unsafe-eval'", "");
  for (const how of ["good", "octets"]) {
    await open(how);
    const { message, ...more } = await init();
    assert.equal(
      message,
      `could not load the WebAssembly from ${url}${WASM}: the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to \`script-src\``,
    );
    assert.deepEqual([more.code, more.status, more.cause], ["load", 200, "CompileError"]);
    await view.close();
  }
});

test("a policy of the page that forbids the request, and a server that cannot be reached", async () => {
  const expected = ` from ${url}${WASM}: the request failed: Failed to fetch; expected a server that can be reached, and under a Content-Security-Policy its origin in \`connect-src\``;
  await open("none");
  assert.deepEqual(await init(), failure(expected, { url: url + WASM, cause: "TypeError" }));
  await view.close();
  [asked, policy] = [0, POLICY.replace("connect-src 'self'", "connect-src 'none'")];
  await open("good");
  assert.deepEqual(await init(), failure(expected, { url: url + WASM, cause: "TypeError" }));
  assert.equal(asked, 0);
});

test("a file that is damaged, cut off, or another one", async () => {
  await open("broken");
  assert.match((await init()).message, /: the file could not be compiled: WebAssembly\.compileStreaming\(\): /);
  await view.close();
  await open("cut");
  assert.match((await init()).message, /: the download broke off: /);
  await view.close();
  await open("other");
  assert.match((await init()).message, /: the file belongs to another version of mcp-sieve: it lacks exports$/);
});

test("modules that load when they are imported report the same error", async () => {
  for (const [module, wasm] of [
    ["/loaders/web.js", WASM],
    ["/loaders/middleware-web.js", "/dist/middleware_bg.wasm"],
  ]) {
    await open("missing");
    const thrown = await view.evaluate(
      (module) =>
        import(module).then(
          () => "loaded",
          ({ code, message, status }) => ({ code, message, status }),
        ),
      module,
    );
    assert.deepEqual(thrown, {
      code: "load",
      message: `could not load the WebAssembly from ${url}${wasm}: the server answered 404, expected 200`,
      status: 404,
    });
    await view.close();
  }
});
