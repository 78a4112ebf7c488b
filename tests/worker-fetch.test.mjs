// The Worker's requests to upstream servers and its reading of bodies in pieces: the JavaScript of both, over real
// sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { send } from "../worker/fetch.js";
import { next, open } from "../worker/pieces.js";

const WHOLE = 1_048_576;
const PIECE = 65_536;

let server;
let url;
let seen;

before(async () => {
  server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen = { method: request.method, headers: request.headers, body };
    const [, kind, length] = request.url.split("/");
    const bytes = Buffer.alloc(Number(length), "x");
    if (kind === "stated") response.setHeader("content-length", bytes.length).end(bytes);
    else if (kind === "chunked") response.write(bytes, () => response.end());
    else if (kind === "zipped") {
      const zipped = gzipSync(bytes);
      response.setHeader("content-encoding", "gzip").setHeader("content-length", zipped.length).end(zipped);
    } else if (kind === "moved") response.writeHead(302, { location: "/stated/1" }).end();
    else response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.close();
  server.closeAllConnections();
});

const get = (path) => send("GET", `${url}${path}`, "", undefined, new AbortController().signal);

/** Returns the number of bytes of a body, and the length of its longest piece. */
async function readAll(stream) {
  const reader = open(stream, 65_536);
  const lengths = [];
  for (let piece = await next(reader); piece; piece = await next(reader)) lengths.push(piece.length);
  return { total: lengths.reduce((sum, length) => sum + length, 0), longest: Math.max(0, ...lengths) };
}

test("a request is sent as it is described", async () => {
  const body = new TextEncoder().encode('{"a":"\u00e9"}');
  await send("POST", `${url}/none/0`, "x-one\n1\nx-two\na: b", body, new AbortController().signal);
  assert.equal(seen.method, "POST");
  assert.deepEqual([seen.headers["x-one"], seen.headers["x-two"], seen.body], ["1", "a: b", '{"a":"\u00e9"}']);
});

test("a body of stated length is read whole up to the limit", async () => {
  for (const length of [0, 1, WHOLE]) {
    const { status, head, whole, rest } = await get(`/stated/${length}`);
    assert.equal(status, 200);
    assert.match(head, new RegExp(`^content-length:${length}$`, "m"));
    assert.equal(whole?.length ?? 0, length);
    assert.equal(rest, undefined);
  }
});

test("bodies that are longer, of unknown length or compressed are left to be read", async () => {
  for (const [path, length] of [
    [`/stated/${WHOLE + 1}`, WHOLE + 1],
    ["/chunked/100000", 100_000],
    [`/zipped/${4 * WHOLE}`, 4 * WHOLE],
  ]) {
    const { whole, rest } = await get(path);
    assert.equal(whole, undefined, path);
    const { total, longest } = await readAll(rest);
    assert.equal(total, length, path);
    assert.ok(longest <= PIECE, `${path}: a piece of ${longest} bytes`);
  }
});

test("a response without a body has none, and no redirect is followed", async () => {
  const { status, whole, rest } = await get("/none/0");
  assert.deepEqual([status, whole, rest], [204, undefined, undefined]);
  assert.equal((await get("/moved/0")).status, 302);
});

test("a request that is aborted fails", async () => {
  const abandon = new AbortController();
  const sent = send("GET", `${url}/stated/1`, "", undefined, abandon.signal);
  abandon.abort();
  await assert.rejects(sent, { name: "AbortError" });
});
