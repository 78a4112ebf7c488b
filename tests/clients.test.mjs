// Third-party clients with long-lived connections: notifications of a change, and cancelled calls.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { URI, startTelling } from "./clients/telling.mjs";
import { startVices } from "./stress/upstream.mjs";
import { clients } from "./support/clients.mjs";
import { until } from "./support/until.mjs";
import { startWorkers } from "./support/workerd.mjs";

const AGAIN_MS = 250;
/** A call that takes too long for any client to wait. */
const call = { tool: "tell", args: { events: 6_000, every: 100 } };

let telling;
let vices;
let workers;
before(async () => {
  [telling, vices] = await Promise.all([startTelling(), startVices()]);
  workers = await startWorkers([
    // Stateless clients are told the stateless revision where sessions are shared.
    { name: "telling", upstream: telling.url, config: { upstream: { sessions: "shared" } } },
    { name: "vices", upstream: vices.url, config: { upstream: { sessions: "shared" } } },
  ]);
});
after(async () => {
  await workers?.stop();
  await Promise.all([telling?.stop(), vices?.stop()]);
});

for (const [name, { hear, leave }] of Object.entries(clients)) {
  describe(name, () => {
    test("receives updates of a resource that it has subscribed to", {
      skip: !hear && "it has no words for it",
    }, async () => {
      const { heard, close } = await hear(`${workers.urls.telling}/mcp`, URI);
      try {
        // Its stream may open a little after its subscription.
        const tellAgain = async () => {
          await telling.tell();
          return Promise.race([heard, sleep(AGAIN_MS)]);
        };
        const said = await until(tellAgain, `${name} hears of ${URI}`, { every: 0 });
        assert.equal(said, URI);
      } finally {
        await close();
      }
    });

    test("ends a call that it cancels", { skip: !leave && "it has no words for it" }, async () => {
      const { open } = vices.state("tell");
      assert.equal(open, 0);
      const underWay = () => until(() => vices.state("tell").open === 1, "the call at the upstream server");
      const { close } = await leave(`${workers.urls.vices}/mcp`, call, underWay);
      try {
        await until(() => vices.state("tell").open === 0, "the end of the call at the upstream server");
      } finally {
        await close();
      }
    });
  });
}
