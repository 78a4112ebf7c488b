// A server on its own port, from a function of web requests to web responses.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";

/** Serves `answer` on this machine only. Resolves with `{url, stop}`. */
export async function listen(answer) {
  const serve = (request) =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    answer(request);
  const http = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    respond(serve(asRequest(incoming, gone.signal)), outgoing).catch(() => outgoing.destroy());
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

function asRequest(incoming, signal) {
  const { method, headers, url } = incoming;
  const bare = method === "GET" || method === "HEAD";
  const body = bare ? {} : { body: Readable.toWeb(incoming), duplex: "half" };
  return new Request(`http://127.0.0.1${url}`, { method, headers, signal, ...body });
}

async function respond(promised, outgoing) {
  const response = await promised;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
