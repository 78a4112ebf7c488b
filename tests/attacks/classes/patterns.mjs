// Blocks the only thread by a filter's patterns on long texts that a hostile server lists.
import { Sieve } from "../../../pkg/loaders/node.js";
import { stateless } from "../client.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "patterns with unbounded search time";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const [TOOLS, LENGTH] = [
  [300, 1_000],
  [2_000, 10_000],
];
const harmless = "description:*zzz*";
const terms = (make, count) => Array.from({ length: count }, (_, at) => make(at)).join(" or ");
const HOSTILE = {
  "letters, then another": () => `description:*${"a".repeat(180)}b`,
  "32 of them": () => terms((at) => `description:*${"a".repeat(150 + at)}b`, 32),
  "many stars": () => `description:${"*a".repeat(60)}*b`,
  "single letters": () => `description:*${"?".repeat(150)}b*`,
  "stars and single letters": () => `description:${"*?a".repeat(50)}b`,
  "32 with many stars": () => terms((at) => `description:${"*a".repeat(20 + at)}*b`, 32),
  "half and half": () => `description:*${"a".repeat(90)}b*${"a".repeat(90)}c`,
};
const PLACES = ["where", "namePatterns"];
/** Maximum cost of a hostile pattern, as a factor of a harmless one on the same list. `SLACK_MS` is added. */
const FACTOR = 25;
const SLACK_MS = 300;

export async function* attempt(stage, size) {
  const text = "a".repeat(LENGTH[size]);
  const tools = Array.from({ length: TOOLS[size] }, (_, number) => tool(`t${number}`, { description: text }));
  const upstream = await stage.served(simple({ lists: { tools } }));
  const started = await stage.workers([{ name: "patterns", upstream, config: {} }]);
  const ask = stateless(at(started.urls.patterns));
  const sieve = Sieve.compile({ tools });
  const measured = {
    "the Worker": async (filter) => (await ask("tools/list", { filter: { ...filter, limit: { count: 1 } } })).text,
    "the package": (filter) => {
      try {
        return String(sieve.count({ filter }));
      } catch (error) {
        return String(error);
      }
    },
  };
  const clock = async (work) => {
    const begun = performance.now();
    const saw = await work();
    return { ms: performance.now() - begun, saw };
  };
  for (const [place, match] of Object.entries(measured)) {
    await match({ where: harmless });
    const base = await clock(() => match({ where: harmless }));
    yield control(
      `${place}: a harmless pattern is answered`,
      base.saw.length > 0 && !base.saw.includes("error"),
      base.saw,
    );
    const found = await clock(() => match({ where: "description:*aaa*" }));
    yield control(
      `${place}: a pattern that matches finds the tools`,
      found.saw.includes('"t0"') || found.saw === String(TOOLS[size]),
      found.saw,
    );
    for (const [what, make] of Object.entries(HOSTILE)) {
      for (const where of PLACES) {
        const expression = make();
        const filter =
          where === "where"
            ? { where: expression }
            : { namePatterns: expression.split(" or ").map((term) => term.slice("description:".length)) };
        const { ms, saw } = await clock(() => match(filter));
        yield tried(
          `${place}: ${where} with ${what} on ${TOOLS[size]} texts of ${LENGTH[size]} letters`,
          ms < FACTOR * Math.max(base.ms, 10) + SLACK_MS,
          `${Math.round(ms)} ms (harmless ${base.ms.toFixed(1)} ms): ${saw.slice(0, 100)}`,
        );
      }
    }
  }
}
