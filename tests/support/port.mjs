// Ports of this machine.
import { once } from "node:events";
import { createServer } from "node:net";

/** A port on 127.0.0.1 that is free now. */
export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}
