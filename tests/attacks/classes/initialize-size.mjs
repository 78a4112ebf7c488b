// Makes the server store large values for a day: members of `initialize`, and of requests without a session.
import { session, stateless } from "../client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "large values stored by `initialize`";

const KB = 1024;
const SIZES = [
  [20 * KB, 100 * KB, 3_900 * KB],
  [17 * KB, 20 * KB, 40 * KB, 100 * KB, 400 * KB, 1_000 * KB, 2_000 * KB, 3_000 * KB, 3_900 * KB],
];

export async function* attempt(stage, size) {
  const { world: fronts } = await stage.fronts({
    world: {
      behind: simple({ lists: { tools: [tool("open")] } }),
      config: { concerns: [{ name: "cost", values: ["low", "high"] }] },
    },
  });
  const forms = {
    "one text in capabilities": (length) => ({ capabilities: { experimental: { x: { y: "x".repeat(length) } } } }),
    "many capabilities": (length) => ({
      capabilities: { extensions: Object.fromEntries(Array.from({ length: length / 8 }, (_, at) => [`x/${at}`, {}])) },
    }),
    "a client's name": (length) => ({ clientInfo: { name: "x".repeat(length), version: "1" } }),
    "a client's version": (length) => ({ clientInfo: { name: "x", version: "1".repeat(length) } }),
    "icons of a client": (length) => ({
      clientInfo: { name: "x", version: "1", icons: [{ src: `data:,${"x".repeat(length)}` }] },
    }),
  };
  for (const front of fronts) {
    const own = await session(front, {
      capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
      clientInfo: { name: "a client", title: "x".repeat(500), version: "1" },
    });
    yield control(
      `${front.name}: an ordinary client is let in`,
      own.opened.status === 200 && (await own("tools/list")).message.result,
      own.opened.text,
    );
    for (const length of SIZES[size]) {
      for (const [what, made] of Object.entries(forms)) {
        for (const revision of ["2025-11-25", "2025-03-26"]) {
          const opened = await session(front, { revision, ...made(length) });
          const refused = opened.id === null && opened.opened.message?.error !== undefined;
          yield tried(
            `${front.name}: initialize of ${revision} with ${what}, ${length} bytes`,
            refused,
            `${opened.opened.status} ${opened.opened.text.slice(0, 100)}`,
          );
        }
        const { capabilities = {}, clientInfo = { name: "x", version: "1" } } = made(length);
        const reply = await stateless(front)("tools/list", {
          _meta: {
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": clientInfo,
          },
        });
        yield tried(
          `${front.name}: a stateless request with ${what}, ${length} bytes`,
          reply.message?.error !== undefined,
          reply.text.slice(0, 100),
        );
      }
    }
  }
}
