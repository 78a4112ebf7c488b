// A server on 127.0.0.1 for tests that play a faulty or hostile one: each path has a document or a function that responds.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts the server. A value of `routes` is sent as JSON, or is a function of the request, the response and the body. The
 * routes may be changed. `requests` are the requests, as `{method, path, headers, body}`. Other paths respond with 404.
 */
export async function startRoutes(routes = {}) {
  const requests = [];
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method, path: request.url, headers: request.headers, body });
    const route = routes[new URL(request.url, "http://localhost").pathname];
    if (route === undefined) return response.writeHead(404, { "content-type": "text/plain" }).end("Not found");
    if (typeof route === "function") return route(request, response, body);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(route));
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${http.address().port}`,
    routes,
    requests,
    stop: () =>
      new Promise((done) => {
        http.close(done);
        http.closeAllConnections();
      }),
  };
}

/** Returns the metadata of an authorization server whose endpoints are at its origin. */
export const metadataOf = (issuer, changes = {}) => ({
  issuer,
  authorization_endpoint: `${new URL(issuer).origin}/authorize`,
  token_endpoint: `${new URL(issuer).origin}/token`,
  jwks_uri: `${new URL(issuer).origin}/keys`,
  code_challenge_methods_supported: ["S256"],
  ...changes,
});
