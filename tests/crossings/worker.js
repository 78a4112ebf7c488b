// The built Worker with a counter before it. `GET /count` returns the counts since the request before.
import { take } from "./counter.js";
import worker from "./index.js";

export * from "./index.js";

export default {
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname === "/count" ? Response.json(take()) : worker.fetch(request, env, ctx),
};
