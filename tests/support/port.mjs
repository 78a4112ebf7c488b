// Ports of this machine.
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port on 127.0.0.1 that is currently free. */
export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}
