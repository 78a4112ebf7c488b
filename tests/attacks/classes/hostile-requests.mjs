// Blocks the gateway by requests: megabytes of data, depth, a hundred thousand elements, patterns and expressions.
import { read, stateless } from "../client.mjs";
import { request } from "../../support/raw-client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hostile requests";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const MB = 1024 * 1024;
/** Maximum time that one request may occupy the thread. The slowest of them takes a tenth of it. */
const MOST_MS = 5_000;
const nest = (levels, open, close) => open.repeat(levels) + close.repeat(levels);
const bodyOf = (params, method = "tools/list") => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
const filter = (text) => bodyOf(`{"filter":${text},${META}}`);
const many = (count, make) => Array.from({ length: count }, (_, at) => make(at)).join(",");
const BODIES = {
  "no JSON": "{".repeat(3 * MB),
  "4 MB of brackets": nest(2 * MB, "[", "]"),
  "4 MB of objects": nest(600_000, '{"a":', "}"),
  "4 MB of quotes": '"'.repeat(4 * MB - 1),
  "4 MB of white space": " ".repeat(4 * MB - 1),
  "4 MB of backslashes": `"${"\\".repeat(4 * MB - 4)}"`,
  "4 MB of zeros": "0".repeat(4 * MB - 1),
  "a number of 4 MB": `1${"0".repeat(4 * MB - 4)}`,
  "100,000 messages": `[${many(60_000, () => '{"jsonrpc":"2.0","id":1,"method":"ping"}')}]`,
  "100,000 members": bodyOf(`{${many(100_000, (at) => `"m${at}":1`)},${META}}`),
  "100,000 groups": filter(`{"groups":[${many(100_000, (at) => `"g${at}"`)}]}`),
  "100,000 tags": filter(`{"tags":[${many(100_000, (at) => `"g${at}"`)}]}`),
  "100,000 patterns": filter(`{"namePatterns":[${many(100_000, (at) => `"*${at}*"`)}]}`),
  "a pattern of 3 MB": filter(`{"namePatterns":["${"*a".repeat(1.5 * MB)}"]}`),
  "a pattern of 3 MB of marks": filter(`{"namePatterns":["${"?".repeat(3 * MB)}"]}`),
  "a query of 3 MB": filter(`{"query":"${"word ".repeat(600_000)}"}`),
  "a query of one word": filter(`{"query":"${"w".repeat(3 * MB)}"}`),
  "an expression of 3 MB": filter(`{"where":"${"name:a or ".repeat(300_000)}name:b"}`),
  "deep parentheses": filter(`{"where":"${nest(100_000, "(", ")")}"}`),
  "a deep expression": filter(`{"where":${nest(50_000, '{"not":', "}").replace("}", "1}")}}`),
  "200,000 minus signs": filter(`{"where":"${"-".repeat(200_000)}name:a"}`),
  "a cursor of 3 MB": bodyOf(`{"cursor":"${"A".repeat(3 * MB)}",${META}}`),
  "an id of 3 MB": `{"jsonrpc":"2.0","id":"${"x".repeat(3 * MB)}","method":"ping"}`,
  "a method of 3 MB": `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(3 * MB)}"}`,
  "a name of 3 MB": bodyOf(`{"name":"${"x".repeat(3 * MB)}","arguments":{},${META}}`, "tools/call"),
  "a URI of 3 MB": bodyOf(`{"uri":"doc://${"x".repeat(3 * MB)}",${META}}`, "resources/read"),
  "a URI of dots": bodyOf(`{"uri":"doc://a/${"../".repeat(MB)}",${META}}`, "resources/read"),
  "a URI of percent signs": bodyOf(`{"uri":"doc://a/${"%2e%2e/".repeat(400_000)}",${META}}`, "resources/read"),
  "5 MB": " ".repeat(5 * MB),
  surrogates: bodyOf(`{"name":"\\ud800","arguments":{},${META}}`, "tools/call"),
  "bytes that are no UTF-8": Buffer.alloc(MB, 0xff),
  "limits of 1e308": filter('{"limit":{"count":1e308,"tokens":-1}}'),
  fields: bodyOf(`{"fields":[${many(100_000, (at) => `"-f${at}"`)}],${META}}`),
};
const ROUNDS = [1, 4];

export async function* attempt(stage, size) {
  const lists = {
    tools: Array.from({ length: 200 }, (_, at) =>
      tool(`tool_${at}`, { description: `Does thing ${at} with notes and labels` }),
    ),
    resources: [{ uri: "doc://open/{x}", name: "open" }],
    resourceTemplates: [{ uriTemplate: "doc://a/{+path}", name: "tpl" }],
  };
  const { world: fronts } = await stage.fronts({ world: { behind: simple({ lists }), config: {} } });
  for (const front of fronts) {
    const next = () => stateless(front)("tools/list", { filter: { namePatterns: ["tool_7"] } });
    const seen = await next();
    yield control(`${front.name}: an ordinary request is answered`, seen.text.includes('"tool_7"'), seen.text);
    for (let round = 0; round < ROUNDS[size]; round += 1) {
      for (const [what, body] of Object.entries(BODIES)) {
        const { headers } = request(
          what.includes("name of") || what === "surrogates"
            ? "tools/call"
            : what.includes("URI")
              ? "resources/read"
              : "tools/list",
          {},
        );
        const sent = {
          ...headers,
          ...(what.includes("name of") || what === "surrogates" || what.includes("URI") ? { "mcp-name": "x" } : {}),
        };
        const begun = performance.now();
        const reply = await front
          .fetch("/mcp", { method: "POST", headers: sent, body })
          .then(read)
          .catch((error) => ({ status: 0, text: String(error) }));
        const after = await next();
        const ms = performance.now() - begun;
        yield tried(
          `${front.name}: ${what}`,
          after.text.includes('"tool_7"') && reply.status < 500 && ms < MOST_MS,
          `${reply.status} ${reply.text.slice(0, 150)}, ${Math.round(ms)} ms`,
        );
      }
    }
  }
}
