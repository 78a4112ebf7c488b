// The ways in which a body arrives: status, content type, encoding, length, pieces.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { FOREIGN } from "./envelopes.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const bytes = (text) => Buffer.from(text);
/** Cuts a body into pieces of 1 to 7 bytes at its beginning, and into larger ones then, so that long bodies arrive. */
function crumbs(body) {
  const pieces = [];
  for (let at = 0, size = 1; at < body.length; at += size) {
    size = pieces.length < 200 ? 1 + (pieces.length % 7) : 16_384;
    pieces.push(body.subarray(at, at + size));
  }
  return pieces;
}
const of =
  (headers, more = {}) =>
  (text) => ({ headers: { ...JSON_TYPE, ...headers }, pieces: [bytes(text)], ...more });
const typed = (type, more) => of({ "content-type": type }, more);
const encoded = (encoding, encode) => (text) => ({
  headers: { ...JSON_TYPE, "content-encoding": encoding },
  pieces: [encode(bytes(text))],
});

/** Each returns `{status, headers, pieces, cut}` for the text of a body. `cut` breaks the connection off at the end. */
export const CARRIERS = {
  plain: of({}),
  "with its length": (text) => of({ "content-length": String(bytes(text).length) })(text),
  "in small pieces": (text) => ({ headers: JSON_TYPE, pieces: crumbs(bytes(text)) }),
  "with a charset": typed("application/json; charset=utf-8"),
  "with a charset of UTF-16": typed("application/json; charset=utf-16le"),
  "in UTF-16": (text) => ({
    headers: { "content-type": "application/json; charset=utf-16le" },
    pieces: [Buffer.from(`\ufeff${text}`, "utf16le")],
  }),
  "with a type in capitals": typed("APPLICATION/JSON"),
  "as application/json-rpc": typed("application/json-rpc"),
  "as two types": typed("application/json, text/event-stream"),
  "as two types, the other first": typed("text/event-stream, application/json"),
  "as an event stream": typed("text/event-stream"),
  "as a page": typed("text/html"),
  "as text": typed("text/plain; application/json"),
  "with status 201": of({}, { status: 201 }),
  "with status 202": of({}, { status: 202 }),
  "with status 206": of({ "content-range": "bytes 0-9/10" }, { status: 206 }),
  "with status 302": of({ location: "/elsewhere" }, { status: 302 }),
  "with status 404": of({}, { status: 404 }),
  "with status 500": of({}, { status: 500 }),
  "in gzip": encoded("gzip", gzipSync),
  "in gzip twice": encoded("gzip, gzip", (body) => gzipSync(gzipSync(body))),
  "in deflate": encoded("deflate", deflateSync),
  "in brotli": encoded("br", brotliCompressSync),
  "in an unknown encoding": encoded("x-secret", (body) => body),
  "in gzip that is none": encoded("gzip", (body) => body),
  "in gzip without saying so": (text) => ({ headers: JSON_TYPE, pieces: [gzipSync(bytes(text))] }),
  "in gzip that breaks off": (text) => {
    const body = gzipSync(bytes(text));
    return { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, pieces: [body.subarray(0, body.length / 2)] };
  },
  "broken off in the middle": (text) => ({
    headers: JSON_TYPE,
    pieces: [bytes(text).subarray(0, bytes(text).length / 2)],
    cut: true,
  }),
  "broken off before the last byte": (text) => ({
    headers: JSON_TYPE,
    pieces: [bytes(text).subarray(0, -1)],
    cut: true,
  }),
  "broken off at the end": of({}, { cut: true }),
  "shorter than its length": (text) => of({ "content-length": String(bytes(text).length + 10) }, { cut: true })(text),
  "with headers of a server": of({
    "set-cookie": `session=${FOREIGN}`,
    "mcp-session-id": FOREIGN,
    "www-authenticate": `Bearer realm="${FOREIGN}"`,
    "access-control-allow-origin": `https://${FOREIGN}.example`,
    "cache-control": `public, max-age=600, x="${FOREIGN}"`,
    link: `<https://${FOREIGN}.example>; rel="preload"`,
    "x-internal": FOREIGN,
  }),
  "with invalid UTF-8 in front": (text) => ({
    headers: JSON_TYPE,
    pieces: [Buffer.from([0xff, 0xc0, 0x80]), bytes(text)],
  }),
  "with invalid UTF-8 in a text": (text) => ({
    headers: JSON_TYPE,
    pieces: [Buffer.from(bytes(text).toString("latin1").replace("done", "done\xff\xc0\x80\xed\xa0\x80"), "latin1")],
  }),
};

/** Returns the response that carries a body. */
export function carry({ status = 200, headers, pieces, cut }) {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at < pieces.length) controller.enqueue(new Uint8Array(pieces[at++]));
      else if (cut) controller.error(new Error("cut"));
      else controller.close();
    },
  });
  return new Response(body, { status, headers });
}
