// Leads the gateway to addresses that only it can reach: by redirects of an upstream server and of a key server.
import { stateless } from "../client.mjs";
import { makeKey, makeToken } from "../../support/authorization.mjs";
import { serve } from "../serve.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "redirects of servers and key servers";

const STATUSES = [[307], [300, 301, 302, 303, 304, 305, 307, 308]];
const [ISSUER, AUDIENCE] = ["https://login.example", "x"];

export async function* attempt(stage, size) {
  const inside = [];
  const key = makeKey("ec");
  const target = await serve(async (request) => {
    inside.push(request.method);
    if (request.method === "GET") return Response.json({ keys: [key.jwk] });
    return simple({ lists: { tools: [tool("inside")] } }).fetch(request);
  });
  stage.defer(target.stop);
  const direct = await stage.workers([{ name: "direct", upstream: target.url, config: {} }]);
  const seen = await stateless(at(direct.urls.direct))("tools/list");
  yield control(
    "the inner server answers where the configuration names it",
    seen.text.includes("inside") && inside.length > 0,
    seen.text,
  );
  const redirecting = async (method, status, location) => {
    const reply = await serve(async (request) => {
      const message = request.method === "POST" ? await request.clone().json() : {};
      if (message.method !== method && method !== "*")
        return simple({ lists: { tools: [tool("open")] } }).fetch(request);
      return new Response(null, { status, headers: { location } });
    });
    stage.defer(reply.stop);
    return reply.url;
  };
  for (const status of STATUSES[size]) {
    const services = [];
    for (const location of [target.url, target.url.replace("127.0.0.1", "localhost")]) {
      for (const method of ["*", "tools/list", "tools/call"])
        services.push({
          what: `the upstream server redirects ${method} with ${status} to ${location}`,
          upstream: await redirecting(method, status, location),
          config: {},
        });
      const auth = { issuer: ISSUER, audience: [AUDIENCE], jwks: await redirecting("*", status, location) };
      services.push({
        what: `the key server redirects with ${status} to ${location}`,
        upstream: direct.urls.direct,
        config: { auth },
      });
    }
    const started = await stage.workers(
      services.map(({ what, ...service }, at) => ({ name: `led-${at}`, ...service })),
    );
    for (const [number, { what }] of services.entries()) {
      const from = inside.length;
      const ask = stateless(at(started.urls[`led-${number}`]), {
        token: makeToken(key, { iss: ISSUER, aud: AUDIENCE, sub: "eve" }),
      });
      const texts = [(await ask("tools/list")).text, (await ask("tools/call", { name: "open", arguments: {} })).text];
      yield tried(what, inside.length === from && !texts.join("").includes("inside"), texts);
    }
  }
}
