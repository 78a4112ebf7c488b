// A Worker in a project with Cloudflare's types and without those of a page; it is checked, not run.
import { gateway, type HandlerConfig } from "mcp-sieve/handler";
import { Sieve } from "mcp-sieve";

interface Env {
  SIEVE_KEY: string;
  SESSIONS: KVNamespace;
}
const config: HandlerConfig = { rules: [{ match: "name:list_*", tags: ["read"] }] };
const handler: ExportedHandler<Env> = {
  async fetch(request, env, ctx) {
    ctx.waitUntil(env.SESSIONS.put("colo", String(request.cf?.colo)));
    return new Response(env.SIEVE_KEY);
  },
  async scheduled(_controller, env) {
    await env.SESSIONS.delete("colo");
  },
};
const served: ExportedHandler<Env> = gateway(handler, config, {
  key: (env) => env.SIEVE_KEY,
  sessions: (env) => env.SESSIONS,
  otherwise: handler,
  ranker: async (query, names, { env, descriptions }) =>
    names.map((name, at) => `${name} ${descriptions[at]} ${env.SIEVE_KEY}`.indexOf(query)),
});

const exact = {
  fetch: (request: Request<unknown, IncomingRequestCfProperties>, env: Env) =>
    new Response(`${request.cf?.country} ${env.SIEVE_KEY}`),
} satisfies ExportedHandler<Env>;
const kept: ExportedHandler<Env> = gateway(exact, config, { sessions: (env) => env.SESSIONS });
const one: ExportedHandlerFetchHandler<Env> = (_request, env) => new Response(env.SIEVE_KEY);
const alone: ExportedHandler<Env> = gateway(one, config, { checks: ({ env }) => env.SIEVE_KEY !== "" });
const inferred = gateway(async (request) => new Response(request.url), config, {
  listHeaders: (env) => ({ authorization: env.TOKEN }),
});
export default served;
export const others: ExportedHandler<Env>[] = [kept, alone, inferred];
export const size: number = Sieve.compile({ tools: [] }).count();

// @ts-expect-error the bindings have no such member
gateway(handler, config, { sessions: (env) => env.SESSION });
// @ts-expect-error a handler has a `fetch`
gateway({ scheduled() {} });
// @ts-expect-error a `fetch` answers with a Response
gateway({ fetch: () => "text" });
// @ts-expect-error the handler is the server
gateway(handler, { upstreams: [] });
