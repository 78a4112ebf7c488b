// Influences the list that all callers share by the headers of the first request.
import { clientsOf, stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "headers of one caller that change the list for all";

const HEADERS = [
  "authorization",
  "cookie",
  "x-flags",
  "host",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  "cf-connecting-ip",
  "accept-language",
  "x-http-method-override",
  "x-tenant",
  "user-agent",
  "referer",
  "origin",
  "x-original-url",
  "x-real-ip",
  "accept-encoding",
  "if-none-match",
  "range",
  "traceparent",
  "x-rewrite-url",
  "priority",
  "sec-fetch-site",
  "mcp-param-x",
];
const LISTS = [
  "tools/list",
  "resources/list",
  "prompts/list",
  "resources/templates/list",
  "server/discover",
  "initialize",
];
const COUNT = [10, 400];

export async function* attempt(stage, size, random) {
  for (const sessions of [false, true]) {
    const make = () => {
      const behind = record(simple({ lists: { tools: [tool("open")], resources: [], prompts: [] }, sessions }));
      return { behind, front: wrap(behind, { upstream: { ttlMs: 600_000 } }) };
    };
    const { behind, front } = make();
    await stateless(front)("tools/call", { name: "open", arguments: {} }, { headers: { "x-flags": "own-value" } });
    const called = behind.calls("tools/call").some(({ headers }) => headers["x-flags"] === "own-value");
    yield control("a call carries the caller's own header", called, behind.calls("tools/call"));
    const names = [...HEADERS, ...Array.from({ length: COUNT[size] }, () => `x-${random.text(5)}`)];
    for (const name of names) {
      for (const client of [0, 1]) {
        const { behind: fresh, front: place } = make();
        const value = name === "host" ? "evil.example" : "evil-value";
        const ask = Object.values(await clientsOf(place, { headers: { [name]: value } }))[client];
        const { status } = await ask("tools/list");
        const lists = fresh.seen.filter(({ message }) => LISTS.includes(message?.method));
        const leaked = lists.filter(
          ({ headers, url }) => Object.values(headers).some((sent) => sent.includes("evil")) || url.includes("evil"),
        );
        yield tried(
          `${sessions ? "sessions" : "stateless"}, client ${client}: ${name} on the first tools/list`,
          leaked.length === 0 && (lists.length > 0 || status === 403),
          leaked.map(({ message, headers }) => [message.method, headers]),
        );
      }
    }
  }
}
