// A fetch handler as an HTTP server on loopback, so that one server can be used upstream of the Worker and in a wrapped
// handler.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { drained } from "../stress/drained.mjs";

async function answer(fetch, incoming, response) {
  const abort = new AbortController();
  response.once("close", () => abort.abort());
  const url = `http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url}`;
  const body = ["GET", "HEAD"].includes(incoming.method) ? undefined : Readable.toWeb(incoming);
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  const reply = await fetch(
    new Request(url, { method: incoming.method, headers, body, duplex: "half", signal: abort.signal }),
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.flushHeaders();
  if (reply.body === null) return response.end();
  const reader = reply.body.getReader();
  response.once("close", () => reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/** Serves `fetch` on a free port of 127.0.0.1. */
export async function serve(fetch) {
  const server = createServer((incoming, response) => {
    response.on("error", () => {});
    answer(fetch, incoming, response).catch((error) => {
      // A body that breaks off must not end like a whole one.
      if (response.headersSent) return response.destroy();
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
