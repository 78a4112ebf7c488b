// HTTP as servers and proxies send it: content types, codings and redirects.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { KINDS } from "../core.mjs";
import { event, events, html, json, redirect, status } from "../replies.mjs";

const every = (name, about, reply) => ({ name, about, on: { "*": (turn) => reply(turn.answer, turn) } });
const typed = (name, about, type) =>
  every(name, about, (answer, { right }) => ({ ...right, type, body: JSON.stringify(answer) }));
const coded = (name, coding, compress) =>
  every(name, `bodies are coded with ${coding}`, (answer) =>
    json("", { body: compress(JSON.stringify(answer)), headers: { "content-encoding": coding } }),
  );

const types = [
  typed("type-charset", "the content type is `application/json; charset=utf-8`", "application/json; charset=utf-8"),
  typed("type-upper-case", "the content type is `Application/JSON`", "Application/JSON"),
  typed("type-spaces", "the content type is ` application/json ;charset=UTF-8`", " application/json ;charset=UTF-8"),
  typed("type-missing", "JSON has no content type", undefined),
  typed("type-text", "JSON has the content type `text/plain`", "text/plain"),
  typed("type-html", "JSON has the content type `text/html`", "text/html"),
  typed("type-text-json", "JSON has the content type `text/json`", "text/json"),
  typed("type-json-rpc", "JSON has the content type `application/json-rpc`", "application/json-rpc"),
  typed("type-problem", "JSON has the content type `application/problem+json`", "application/problem+json"),
  typed("type-octets", "JSON has the content type `application/octet-stream`", "application/octet-stream"),
  typed("type-two", "the content type is `application/json, text/event-stream`", "application/json, text/event-stream"),
  every("type-event-missing", "a stream has no content type", (answer) => events([event(answer)], { type: undefined })),
  every("status-201", "every answer has HTTP 201", (answer) => json(answer, { status: 201 })),
  every("status-203", "every answer has HTTP 203", (answer) => json(answer, { status: 203 })),
  every("status-400", "every answer has HTTP 400", (answer) => json(answer, { status: 400 })),
  every("status-500", "every answer has HTTP 500", (answer) => json(answer, { status: 500 })),
  every("html-everywhere", "every answer is a page in HTML", () => html()),
  coded("coding-gzip", "gzip", gzipSync),
  {
    ...coded("coding-deflate", "deflate", deflateSync),
    without: {
      what: KINDS.flatMap((kind) => [`${kind} one`, `${kind} two`]).concat("the call"),
      why: "the runtime of Workers decodes gzip and Brotli alone",
    },
  },
  coded("coding-br", "br", brotliCompressSync),
  every("coding-gzip-events", "streams are coded with gzip", (answer) =>
    events([gzipSync(event(answer))], { headers: { "content-encoding": "gzip" } }),
  ),
  every("coding-identity", "bodies have `Content-Encoding: identity`", (answer) =>
    json(answer, { headers: { "content-encoding": "identity" } }),
  ),
  every("body-bytes", "bodies come in single bytes", (answer) =>
    json("", { body: [...Buffer.from(JSON.stringify(answer))].map((byte) => Buffer.from([byte])) }),
  ),
  every("body-slow", "bodies come in four parts within half a second", (answer) => {
    const text = JSON.stringify(answer);
    const at = Math.ceil(text.length / 4);
    return json("", { body: [0, 1, 2, 3].flatMap((part) => [text.slice(part * at, (part + 1) * at), { wait: 120 }]) });
  }),
  every("header-close", "each response closes the connection", (answer) =>
    json(answer, { headers: { connection: "close" } }),
  ),
  every("headers-many", "each response has 60 headers of 100 bytes", (answer) =>
    json(answer, { headers: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x-${at}`, "v".repeat(100)])) }),
  ),
  every("header-cookie", "each response sets a cookie", (answer) =>
    json(answer, { headers: { "set-cookie": "a=b; Path=/; HttpOnly" } }),
  ),
];

/** All requests at `/mcp` are redirected to `moved`, which is a well-behaved server. */
const moved = (name, about, location, code = 307) => ({
  name,
  about,
  on: {
    "*": (turn) => (turn.path === "mcp" ? redirect(code, location(turn)) : undefined),
    "notifications/initialized": (turn) => (turn.path === "mcp" ? redirect(code, location(turn)) : undefined),
  },
});
/** `/mcp` leads to `/1`, that to `/2`, and so on to `/LENGTH`. */
const chain = (length) => ({
  name: `redirect-chain-${length}`,
  about: `${length} redirects follow each other`,
  on: {
    "*": ({ path, here }) => {
      const at = path === "mcp" ? 0 : Number(path);
      return at < length ? redirect(307, `${here}/${at + 1}`) : undefined;
    },
  },
});

const redirects = [
  moved("redirect-307", "307 leads to another path, given as an absolute URL", ({ here }) => `${here}/moved`),
  moved("redirect-308", "308 leads to another path, given as an absolute URL", ({ here }) => `${here}/moved`, 308),
  moved("redirect-slash", "307 leads to the same path with a slash, as an absolute URL", ({ here }) => `${here}/mcp/`),
  moved("redirect-relative", "307 has a relative `Location`", () => "moved"),
  moved("redirect-dots", "307 has a `Location` with `..`", () => "../redirect-dots/x/../moved"),
  moved("redirect-path", "307 has an absolute path as `Location`", ({ here }) => `${new URL(here).pathname}/moved`),
  moved("redirect-query", "307 leads to a path with a query", ({ here }) => `${here}/moved?token=1&x=%20`),
  moved("redirect-fragment", "307 leads to a path with a fragment", ({ here }) => `${here}/moved#here`),
  moved(
    "redirect-scheme-relative",
    "307 has a `Location` that begins with `//`",
    ({ here }) => `${here.slice("http:".length)}/moved`,
  ),
  moved("redirect-301", "301 leads to another path", ({ here }) => `${here}/moved`, 301),
  moved("redirect-302", "302 leads to another path", ({ here }) => `${here}/moved`, 302),
  moved("redirect-303", "303 leads to another path", ({ here }) => `${here}/moved`, 303),
  moved("redirect-300", "300 leads to another path", ({ here }) => `${here}/moved`, 300),
  moved("redirect-port", "307 leads to another port", ({ other }) => `${other}/moved`),
  moved(
    "redirect-host",
    "307 leads to another name of the host",
    ({ here }) => `${here.replace("127.0.0.1", "localhost")}/moved`,
  ),
  moved("redirect-https", "307 leads to HTTPS", ({ here }) => `${here.replace("http:", "https:")}/moved`),
  moved(
    "redirect-user",
    "307 leads to an address with a user name",
    ({ here }) => `${here.replace("//", "//user:secret@")}/moved`,
  ),
  moved("redirect-nowhere", "307 has no `Location`", () => undefined),
  moved("redirect-invalid", "307 has a `Location` that does not parse", () => "http://["),
  moved("redirect-script", "307 leads to another scheme", () => "javascript:alert(1)"),
  moved("redirect-loop", "307 leads to itself", ({ here }) => `${here}/mcp`),
  moved("redirect-missing", "307 leads to a path that answers 404", ({ here }) => `${new URL(here).origin}/none`),
  ...[3, 5, 10, 19, 25].map(chain),
  {
    name: "redirect-list",
    about: "only `tools/list` is redirected (307)",
    on: { "tools/list": ({ path, here }) => (path === "mcp" ? redirect(307, `${here}/moved`) : undefined) },
  },
  {
    name: "redirect-call",
    about: "only calls are redirected (308)",
    on: { "tools/call": ({ path, here }) => (path === "mcp" ? redirect(308, `${here}/moved`) : undefined) },
  },
  {
    name: "redirect-discover",
    about: "only `server/discover` is redirected, to a page in HTML (302)",
    on: {
      "server/discover": ({ path, here }) => (path === "mcp" ? redirect(302, `${here}/login`) : html()),
      GET: ({ path }) => (path === "login" ? html() : undefined),
    },
  },
  {
    name: "redirect-session",
    about: "a server with sessions is redirected (307)",
    on: {
      "*": ({ path, here, message, request, right }) =>
        path === "mcp"
          ? redirect(307, `${here}/moved`)
          : message.method === "initialize"
            ? { ...right, headers: { "mcp-session-id": "moved-1" } }
            : message.method !== "server/discover" && request.headers["mcp-session-id"] !== "moved-1"
              ? status(400, "no session")
              : undefined,
      "notifications/initialized": ({ path, here }) => (path === "mcp" ? redirect(307, `${here}/moved`) : undefined),
    },
  },
];

export const http = [...types, ...redirects];
