// A refresh of every server's list, from the change at the servers to the list that shows it.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../tests/support/until.mjs";
import { MIN_TTL_MS } from "./lifetime.mjs";

const EVERY_MS = 20;
/** A filter for the tool whose description changes. */
const first = { filter: { namePatterns: ["s0_*_0"] } };

/**
 * Changes the list of every server, and waits until the gateway returns the new one. Servers must state a `ttlMs` of 0.
 */
async function refresh({ client }, fleet, version) {
  await fleet.change();
  await until(
    async () => (await client.ask("tools/list", first)).text.includes(`Version ${version}.`),
    `version ${version} in the list`,
    { every: EVERY_MS },
  );
}

/**
 * Returns the cost of a refresh: CPU milliseconds and requests to the servers, each the mean of `times` refreshes after
 * one that does not count. Afterwards the servers state a long lifetime.
 */
export async function refreshes(gateway, fleet, times) {
  let requests = 0;
  let spent = 0;
  await fleet.set({ ttlMs: 0 });
  await gateway.client.ask("tools/list", first);
  for (let version = 1; version <= times + 1; version += 1) {
    await sleep(MIN_TTL_MS);
    // The last refresh receives the long lifetime.
    if (version === times + 1) await fleet.set({ ttlMs: 600_000 });
    await fleet.reset();
    const cost = await gateway.spent(() => refresh(gateway, fleet, version));
    if (version > 1) [spent, requests] = [spent + cost, requests + (await fleet.total())];
  }
  return { cpu: spent / times, requests: requests / times };
}
