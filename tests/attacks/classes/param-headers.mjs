// Sends values and credentials to the upstream server in headers: past redaction, and beyond what the configuration
// forwards.
import { session, stateless } from "../client.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "values and credentials in headers to upstream servers";

const MAIL = "jane@example.com";
const chains = [{ on: ["tools/call"], request: ["pii_redaction"], response: ["pii_restoration"] }];
const marked = { type: "object", properties: { who: { type: "string", "x-mcp-header": "Who" } } };
const FOREIGN = [
  "authorization",
  "cookie",
  "x-api-key",
  "x-forwarded-for",
  "forwarded",
  "x-forwarded-host",
  "x-real-ip",
  "cf-connecting-ip",
  "via",
  "sieve-room",
  "x-sieve-session",
  "x-http-method-override",
  "proxy-authorization",
  "last-event-id",
  "x-custom",
  "referer",
  "origin",
  "user-agent",
  "accept-language",
  "mcp-param-x",
  "mcp-param-",
  "mcp-foo",
  "mcp-method-x",
];
const COUNT = [12, 120];

export async function* attempt(stage, size, random) {
  const lists = { tools: [tool("open", { inputSchema: marked }), tool("other")] };
  const servers = { stateless: record(simple({ lists })), sessions: record(simple({ lists, sessions: true })) };
  const people = { "a-token": { sub: "a" } };
  const worlds = {};
  for (const [era, behind] of Object.entries(servers)) {
    worlds[`${era}-chained`] = { behind, config: { middleware: { chains } }, people, workerOnly: true };
    worlds[`${era}-plain`] = { behind, config: { upstream: { passHeaders: ["X-Team"] } }, people, workerOnly: true };
  }
  for (const [name, [front]] of Object.entries(await stage.fronts(worlds))) {
    const behind = servers[name.split("-")[0]];
    const clients = {
      stateless: stateless(front, { token: "a-token" }),
      session: await session(front, { token: "a-token" }),
    };
    for (const [client, ask] of Object.entries(clients)) {
      await ask("tools/list");
      const reached = async (params, headers) => {
        const from = behind.seen.length;
        const reply = await ask("tools/call", params, { headers });
        return { reply, requests: behind.seen.slice(from) };
      };
      const place = `${name}, ${client} client`;
      if (name.endsWith("plain")) {
        const passed = await reached({ name: "other", arguments: {} }, { "x-team": "blue" });
        yield control(
          `${place}: a header of passHeaders arrives`,
          passed.requests.some(({ headers }) => headers["x-team"] === "blue"),
          passed.requests,
        );
      } else {
        const redacted = await reached({ name: "other", arguments: { who: MAIL } }, {});
        yield control(
          `${place}: the redacted argument arrives`,
          redacted.requests.some(({ text }) => text.includes("[EMAIL_1]")),
          redacted.requests,
        );
      }
      const forms = [
        [{ name: "open", arguments: { who: MAIL } }, { "mcp-param-who": MAIL }],
        [{ name: "open", arguments: {} }, { "mcp-param-who": MAIL }],
        [{ name: "other", arguments: {} }, { "mcp-param-x": MAIL }],
      ];
      for (const header of FOREIGN) forms.push([{ name: "other", arguments: {} }, { [header]: `secret-${MAIL}` }]);
      for (let left = COUNT[size]; left > 0; left -= 1)
        forms.push([
          { name: "other", arguments: {} },
          { [`${random.pick(["mcp-param-", "mcp-", "x-", ""])}${random.text(6)}`]: `secret-${MAIL}` },
        ]);
      for (const [params, headers] of forms) {
        const { requests } = await reached(params, headers);
        // With a chain, the plain value must not arrive at all. Without one, the argument's own header may carry it.
        const own = name.endsWith("plain") && params.arguments.who !== undefined;
        const leaked = requests.filter(({ headers: sent }) =>
          Object.entries(sent).some(([header, value]) => value.includes(MAIL) && !(own && header === "mcp-param-who")),
        );
        yield tried(
          `${place}: ${JSON.stringify(headers)} with ${JSON.stringify(params)}`,
          leaked.length === 0,
          leaked.map(({ headers: sent }) => sent),
        );
      }
    }
  }
}
