// Servers and a gateway for the duration of a measurement.
import { startGateway } from "./gateway.mjs";

/** Starts servers and the gateway, measures, and stops them. */
export async function staged({ fleets }, specs, options, measure) {
  const fleet = await fleets.fleet(specs);
  let gateway;
  try {
    gateway = await startGateway(fleet, options);
    return await measure(gateway, fleet);
  } finally {
    await gateway?.close();
    await fleet.behave({ name: "dead" });
  }
}
