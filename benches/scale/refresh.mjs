// One refresh of every server's listing, from the change at the servers to the list that shows it.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../tests/support/until.mjs";
import { MIN_TTL_MS } from "./lifetime.mjs";

const EVERY_MS = 20;
/** The tool whose description changes. */
const first = { filter: { namePatterns: ["s0_*_0"] } };

/** Changes what every server lists, and waits until the gateway lists it. Servers must state a `ttlMs` of 0. */
async function refresh({ client }, fleet, version) {
  await fleet.change();
  await until(
    async () => (await client.ask("tools/list", first)).text.includes(`Version ${version}.`),
    `version ${version} in the list`,
    { every: EVERY_MS },
  );
}

/**
 * The cost of a refresh: CPU milliseconds and requests to the servers, each the mean of `times` after one that is not
 * counted. The servers' listings last afterwards.
 */
export async function refreshes(gateway, fleet, times) {
  let requests = 0;
  let spent = 0;
  await fleet.set({ ttlMs: 0 });
  await gateway.client.ask("tools/list", first);
  for (let version = 1; version <= times + 1; version += 1) {
    await sleep(MIN_TTL_MS);
    // The last of them learns that listings last from here on.
    if (version === times + 1) await fleet.set({ ttlMs: 600_000 });
    await fleet.reset();
    const cost = await gateway.spent(() => refresh(gateway, fleet, version));
    if (version > 1) [spent, requests] = [spent + cost, requests + (await fleet.total())];
  }
  return { cpu: spent / times, requests: requests / times };
}
