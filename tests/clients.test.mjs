// Clients that others wrote, and what goes on while their connections are open: hearing of a change, leaving a call.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { URI, startTelling } from "./clients/telling.mjs";
import { until } from "./stress/clients.mjs";
import { startVices } from "./stress/upstream.mjs";
import { clients } from "./support/clients.mjs";
import { startWorkers } from "./support/workerd.mjs";

const WAIT_MS = 20_000;
const AGAIN_MS = 250;
/** A call that nobody would wait for. */
const call = { tool: "tell", args: { events: 6_000, every: 100 } };

let telling;
let vices;
let workers;
before(async () => {
  [telling, vices] = await Promise.all([startTelling(), startVices()]);
  workers = await startWorkers([{ name: "telling", upstream: telling.url }, { name: "vices", upstream: vices.url }]);
});
after(async () => {
  await workers?.stop();
  await Promise.all([telling?.stop(), vices?.stop()]);
});

for (const [name, { hear, leave }] of Object.entries(clients)) {
  describe(name, () => {
    test("hears of a resource that it has subscribed to", { skip: !hear && "it has no words for it" }, async () => {
      const { heard, close } = await hear(`${workers.urls.telling}/mcp`, URI);
      try {
        // Its stream may open a little after its subscription.
        let said;
        for (const end = Date.now() + WAIT_MS; said === undefined && Date.now() < end;) {
          await telling.tell();
          said = await Promise.race([heard, sleep(AGAIN_MS)]);
        }
        assert.equal(said, URI);
      } finally {
        await close();
      }
    });

    test("ends a call that it cancels", { skip: !leave && "it has no words for it" }, async () => {
      const { open } = vices.state("tell");
      assert.equal(open, 0);
      const underWay = () => until(() => vices.state("tell").open === 1, WAIT_MS);
      const { close } = await leave(`${workers.urls.vices}/mcp`, call, underWay);
      try {
        await until(() => vices.state("tell").open === 0, WAIT_MS);
      } finally {
        await close();
      }
    });
  });
}
