// Uses what stands beside the engine as a strict TypeScript project would; it is checked, not run.
import { Middleware, SieveError } from "mcp-sieve/middleware";
import type { ContentItem, Conversation, HostFunction, ChainResult, World } from "mcp-sieve/middleware";
import { gateway } from "mcp-sieve/handler";
import type { CheckedCaller, Fetch, HandlerOptions, SessionStore } from "mcp-sieve/handler";
import { TaskFilter } from "mcp-sieve";

const own: HostFunction = { name: "shout", apply: (context, args) => ({ content: context, metadata: args }) };
const world: World = {
  now: () => 0,
  documents: [{ id: "1", title: "Leave", text: "25 days" }],
  reaches: async () => undefined,
};
using middleware = new Middleware(world).add(own);
const item: ContentItem = { type: "text", text: "a" };
const conversation: Conversation = middleware
  .pipeline({
    outbound: ["pii_redaction", { use: "shout", mode: "audit" }],
    inbound: { steps: ["pii_restoration"], last: 2 },
  })
  .start();
const ran: Promise<ChainResult> = conversation.outbound([item]);
middleware.free();

interface Env {
  SIEVE_KEY: string;
  KV: SessionStore;
}
const answer: Fetch<Env> = async (request) => new Response(request.url);
const options: HandlerOptions<Env> = {
  path: "/api/mcp",
  catalog: "/catalog",
  otherwise: { fetch: answer },
  key: (env) => [env.SIEVE_KEY, new Uint8Array(32)],
  sessions: (env) => env.KV,
  listHeaders: (env) => ({ authorization: env.SIEVE_KEY }),
  identify: async (request, env) => (request.headers.get("authorization") === env.SIEVE_KEY ? { role: "staff" } : null),
  checks: [
    async ({ client }: CheckedCaller<Env>) => client?.name !== "banned",
    { name: "last", priority: -1, check: ({ env }) => (env.KV ? undefined : "no sessions") },
  ],
};
const served: { fetch: Fetch<Env> } = gateway(answer, { rules: [{ match: "name:a*", groups: ["a"] }] }, options);
const whole = gateway({ fetch: answer, scheduled() {} }, "{} // none");
whole.scheduled();
// @ts-expect-error there is no such option
gateway(answer, {}, { paths: "/mcp" });
// @ts-expect-error a check returns nothing, a boolean or a text
gateway(answer, {}, { checks: () => new Response("no", { status: 403 }) });
// @ts-expect-error a handler answers with a Response
gateway(() => "answer");
// @ts-expect-error a function of one's own has a name
middleware.add({ apply: own.apply });

using tasks = new TaskFilter({ status: ["working"] });
tasks.free();
export { SieveError, ran, served, tasks };
