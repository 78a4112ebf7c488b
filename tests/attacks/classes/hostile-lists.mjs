// Stops the gateway by the lists of one server: excessive names of groups and tags, cursors without end.
import { memory } from "../../support/process.mjs";
import { stateless } from "../client.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hostile lists of an upstream server";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const MB = 1024 * 1024;
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const own = (tools, names) =>
  times(tools, (at) => tool(`t${at}`, { groups: times(names, (name) => `g${at}.${name}`) }));
/** Hostile lists by name, for the small and the full size. */
const LISTS = [
  {
    "80,000 groups on a tool": () => own(1, 80_000),
    "80,000 tags on a tool": () => [tool("t", { tags: times(80_000, (at) => `t${at}`) })],
    "1,000 tools with 300 groups": () => own(1_000, 300),
    "a group of 1 MB": () => [tool("t", { groups: ["g".repeat(MB)] })],
    "a name of 1 MB": () => [tool("n".repeat(MB))],
  },
  {
    "120,000 groups on a tool": () => own(1, 120_000),
    "120,000 tags on a tool": () => [tool("t", { tags: times(120_000, (at) => `t${at}`) })],
    "10,000 tools with 100 groups": () => own(10_000, 100),
    "10,000 tools with 30 groups, shared": () =>
      times(10_000, (at) => tool(`t${at}`, { groups: times(30, (name) => `g${(at * 7 + name) % 3_000}`) })),
    "40 groups of 100 KB": () => [tool("t", { groups: times(40, (at) => `${at}`.repeat(50_000)) })],
    "nested groups": () => [
      tool("t", { groups: times(2_000, (at) => times(at % 60, (level) => `l${level}`).join("/")) }),
    ],
    "10,000 tools of one name": () => times(10_000, () => tool("same")),
    "200,000 members of _meta": () => [
      tool("t", { _meta: Object.fromEntries(times(200_000, (at) => [`x/${at}`, at])) }),
    ],
  },
];
/** Maximum cost of a hostile list, as a factor of a harmless one with the same number of bytes. `SLACK_MS` is added. */
const FACTOR = 4;
const SLACK_MS = 1_000;
const MOST_GROWTH = 12;

async function listing(stage, tools) {
  const upstream = await stage.served(simple({ lists: { tools } }));
  const healthy = await stage.served(simple({ lists: { tools: [tool("healthy")] } }));
  const started = await stage.workers([
    {
      name: "both",
      config: {
        upstreams: [
          { name: "healthy", url: healthy },
          { name: "hostile", url: upstream },
        ],
      },
    },
  ]);
  const begun = performance.now();
  const reply = await stateless(at(started.urls.both))("tools/list", { filter: { namePatterns: ["healthy"] } });
  const ms = performance.now() - begun;
  const next = await stateless(at(started.urls.both))("tools/call", { name: "healthy", arguments: {} });
  const rss = memory(started.pid);
  await started.stop();
  return {
    ms,
    rss,
    served: reply.text.includes('"healthy"') && next.text.includes("called healthy"),
    saw: `${reply.text.slice(0, 200)} ${next.text.slice(0, 100)}`,
  };
}

export async function* attempt(stage, size) {
  for (const [what, make] of Object.entries(LISTS[size])) {
    const tools = make();
    const bytes = JSON.stringify(tools).length;
    const harmless = await listing(
      stage,
      times(Math.max(1, Math.ceil(bytes / 10_000)), (at) => tool(`t${at}`, { description: "x ".repeat(4_900) })),
    );
    yield control(`harmless lists of ${bytes} bytes are served`, harmless.served, harmless.saw);
    const hostile = await listing(stage, tools);
    yield tried(`${what} (${bytes} bytes): the healthy server is served`, hostile.served, hostile.saw);
    yield tried(
      `${what} (${bytes} bytes): the others wait`,
      hostile.ms < FACTOR * harmless.ms + SLACK_MS,
      `${Math.round(hostile.ms)} ms, harmless ${Math.round(harmless.ms)} ms`,
    );
    yield tried(
      `${what} (${bytes} bytes): memory`,
      hostile.rss < harmless.rss + MOST_GROWTH * bytes + 96 * MB,
      `${Math.round(hostile.rss / MB)} MB, harmless ${Math.round(harmless.rss / MB)} MB`,
    );
  }
}
