// Serves a function from `Request` to `Response` over HTTP, on this machine only.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";

/**
 * Listens on `port`, or on a free one. Resolves with the URL of the MCP endpoint and a function that stops the server.
 */
export async function serve(answer, { port = 0 } = {}) {
  const http = createServer(async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const hasBody = !["GET", "HEAD"].includes(method);
    const body = hasBody ? { body: Readable.toWeb(incoming), duplex: "half" } : {};
    try {
      const response = await answer(new Request(`http://127.0.0.1${url}`, { method, headers, ...body }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  });
  await once(http.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop() {
      http.closeAllConnections();
      http.close();
    },
  };
}
