// The faults of an endpoint, by name.

const json = (response, status, body) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

export const FAULTS = {
  /** Never answers. */
  hang: () => {},
  /** Sends the head and a part of the body, and no more. */
  stall: (_, response) => response.writeHead(200, { "content-type": "application/json" }).write('{"access_token":'),
  html: (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome to the login</h1>"),
  down: (_, response) => response.writeHead(503, { "content-type": "text/plain" }).end("down"),
  drop: (request) => request.socket.destroy(),
  redirect: (request, response) => response.writeHead(307, { location: `http://127.0.0.1:9${request.url}` }).end(),
  /** A token of another type than bearer. */
  type: (_, response) => json(response, 200, { access_token: "strange-token", token_type: "mac" }),
  untyped: (_, response) => json(response, 200, { access_token: "strange-token" }),
  large: (_, response) => json(response, 200, { access_token: "a".repeat(200_000), token_type: "Bearer" }),
  long: (_, response) => json(response, 200, { access_token: "a".repeat(20_000), token_type: "Bearer" }),
  /** A token that would end the header. */
  split: (_, response) => json(response, 200, { access_token: "one\r\nx-injected: two", token_type: "Bearer" }),
  empty: (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(),
  list: (_, response) => json(response, 200, ["access_token"]),
  grant: (_, response) => json(response, 400, { error: "invalid_grant", error_description: "spent" }),
  scope: (_, response) => json(response, 400, { error: "invalid_scope" }),
  target: (_, response) => json(response, 400, { error: "invalid_target" }),
  /** As GitHub reports errors. */
  github: (_, response) => json(response, 200, { error: "bad_verification_code", error_description: "spent" }),
};
