// Opens sessions at the upstream server by inventing capabilities and headers, and displaces those of other principals.
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { record } from "../upstreams/record.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "sessions opened at upstream servers without limit";

/**
 * Maximum number of sessions that one stranger may open upstream. It is far above the eight sets of capabilities that
 * differ in the requests that a server may send.
 */
const MOST = 40;
const COUNT = [60, 300];
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

export async function* attempt(stage, size, random) {
  const call = (_, { request }) => ({
    content: [{ type: "text", text: `in ${request.headers.get("mcp-session-id")}` }],
  });
  const behind = record(simple({ lists: { tools: [tool("open")] }, sessions: true, answer: { "tools/call": call } }));
  const people = { "alice-token": { sub: "alice" } };
  const { world: fronts } = await stage.fronts({
    world: { behind, config: { upstream: { passHeaders: ["X-Team"] } }, people },
  });
  for (const front of fronts) {
    const alice = stateless(front, { token: "alice-token" });
    const whereIs = async () =>
      (await alice("tools/call", { name: "open", arguments: {} })).message?.result?.content?.[0]?.text;
    const before = await whereIs();
    yield control(
      `${front.name}: each call is answered in the same upstream session`,
      before?.startsWith("in ") && before === (await whereIs()),
      before,
    );
    const opened = () => behind.calls("initialize").length;
    const ended = () => behind.seen.filter(({ verb }) => verb === "DELETE").length;
    const stranger = stateless(front);
    const invent = {
      "members of sampling": () => ({ _meta: { [CAPABILITIES]: { sampling: { [random.text(8)]: {} } } } }),
      "members of elicitation": () => ({
        _meta: { [CAPABILITIES]: { elicitation: { [random.text(8)]: { [random.text(4)]: random.below(1e6) } } } },
      }),
      "capabilities of no protocol": () => ({ _meta: { [CAPABILITIES]: { [random.text(8)]: {} } } }),
      "names of clients": () => ({
        _meta: { "io.modelcontextprotocol/clientInfo": { name: random.text(8), version: "1" } },
      }),
      extensions: () => ({ _meta: { [CAPABILITIES]: { extensions: { [`x/${random.text(6)}`]: {} } } } }),
    };
    for (const [what, made] of Object.entries(invent)) {
      const [from, gone] = [opened(), ended()];
      for await (const reply of parallel(Array.from({ length: COUNT[size] }, made), (more) =>
        stranger("tools/call", { name: "open", arguments: {}, ...more }),
      )) {
        const open = opened() - from - (ended() - gone);
        yield tried(
          `${front.name}: a stranger invents ${what}`,
          open <= MOST,
          `${opened() - from} opened, ${ended() - gone} ended; ${reply.status}`,
        );
      }
    }
    yield tried(`${front.name}: strangers push out the session of alice`, (await whereIs()) === before, before);
  }
}
