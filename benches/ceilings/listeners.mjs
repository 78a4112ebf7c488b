// Listeners of one object, and of two: their memory, and one change of the list of tools for all of them.
import { policiesOf } from "../scale/policies.mjs";
import { openListeners } from "../scale/listeners.mjs";
import { staged } from "../scale/staged.mjs";

/** The last number needs a second object. */
const LISTENERS = [250, 1_000, 2_000, 2_500];
const TOOLS = 500;
const KB = 1024;

/** Measures one number of listeners, each of a caller with a view of its own. */
function measure(stage, count) {
  const options = { config: { policies: policiesOf(10) }, callers: count, files: 20_000 };
  return staged(stage, [{ tools: TOOLS }], options, async (gateway, fleet) => {
    await gateway.client.ask("tools/list", {}, { token: "token-0" });
    const [memory, began] = [gateway.memory(), performance.now()];
    const opening = await gateway.spent(async () => {
      stage.listeners = await openListeners(gateway, fleet, count);
    });
    const openMs = (performance.now() - began) / count;
    const eachKb = (gateway.memory() - memory) / count / KB;
    await stage.listeners.change();
    let changeMs = 0;
    const cpuMs = await gateway.spent(async () => {
      const began = performance.now();
      await stage.listeners.change();
      changeMs = performance.now() - began;
    });
    stage.listeners.close();
    return { count, openMs, openCpuMs: opening / count, eachKb, changeMs, cpuMs };
  });
}

/** Returns the measurements of all numbers of listeners. */
export async function listeners(stage) {
  const rows = [];
  for (const count of stage.quick ? LISTENERS.slice(0, 1) : LISTENERS) rows.push(await measure(stage, count));
  return rows;
}
