// @ts-check
// The sign-in to upstream servers: the steps of OAuth 2.1 as MCP uses it. Nothing is stored here. What goes in and comes out is
// plain JSON, and a failure is a `SignInFailure`.
export { begin, finish } from "./authorization.js";
export { discover, discoverIssuer } from "./discovery.js";
export { SignInFailure } from "./failure.js";
export { clientDocument, register } from "./registration.js";
export { clientCredentials, exchange, refresh, revoke } from "./tokens.js";
