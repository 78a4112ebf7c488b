// Makes the gateway request pages without end from a server, again for each client's request.
import { memory } from "../../support/process.mjs";
import { stateless } from "../client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { record } from "../upstreams/record.mjs";
import { at } from "../stage.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "endless cursors, and cursors of any size";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

const MB = 1024 * 1024;
const REQUESTS = [6, 20];
const MAX_PAGES = 40;
/** Maximum number of times that one burst of requests may make the gateway list a server. */
const LISTINGS = 2;
/** The gateway requests a server's lists once for each revision that it speaks. */
const REVISIONS = 2;

export async function* attempt(stage, size) {
  let page = 0;
  const paged = (cursor) => () => ({
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "public",
    tools: [tool(`t${(page += 1)}`)],
    nextCursor: cursor(),
  });
  const forms = {
    "always another": () => `c${page}`,
    "always the same": () => "c",
    "1 MB each": () => `${page}`.padEnd(MB, "c"),
    "an empty cursor": () => "",
    "1 MB, the same": () => "c".repeat(MB),
  };
  for (const [what, cursor] of Object.entries(forms)) {
    for (const [sessions, alone] of [
      [false, false],
      [true, false],
      [false, true],
    ]) {
      const behind = record(
        simple({ lists: {}, sessions, capabilities: { tools: {} }, answer: { "tools/list": paged(cursor) } }),
      );
      const upstream = await stage.served(behind);
      const healthy = await stage.served(simple({ lists: { tools: [tool("healthy")] } }));
      const hostile = { name: "paged", url: upstream, maxPages: MAX_PAGES, ttlMs: 0 };
      const started = await stage.workers([
        { name: "paged", config: { upstreams: alone ? [hostile] : [{ name: "healthy", url: healthy }, hostile] } },
      ]);
      const place = `${what}, ${sessions ? "sessions" : "stateless"}${alone ? ", alone" : ""}`;
      const served = (text) => alone || text.includes('"healthy"');
      const front = at(started.urls.paged);
      const before = memory(started.pid);
      const asked = () => behind.calls("tools/list").length;
      for (let number = 0; number < REQUESTS[size]; number += 1) {
        const reply = await stateless(front)("tools/list");
        if (number === 0)
          yield control(
            `${place}: the server is asked for pages, and the healthy one is served`,
            asked() > 0 && served(reply.text),
            reply.text,
          );
        else
          yield tried(
            `${place}: request ${number + 1} for the list`,
            asked() <= LISTINGS * REVISIONS * MAX_PAGES && served(reply.text),
            `${asked()} pages asked for`,
          );
        behind.seen.forEach((entry) => {
          entry.text = "";
        });
      }
      yield tried(
        `${place}: memory`,
        memory(started.pid) < before + 160 * MB,
        `${Math.round(before / MB)} MB before, ${Math.round(memory(started.pid) / MB)} MB after`,
      );
      await started.stop();
    }
  }
}
