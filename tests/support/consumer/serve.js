// Serves each of the given worlds behind `gateway` on its own port, with the runtime's own server. Prints the ports.
import { behind } from "./behind.js";

const worlds = JSON.parse(process.env.WORLDS);

/** Serves `fetch` on this machine. Returns the port. */
async function serve(fetch) {
  if (globalThis.Deno) return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, fetch).addr.port;
  if (globalThis.Bun) return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch }).port;
  const { serve } = await import("@hono/node-server");
  return new Promise((done) => serve({ port: 0, hostname: "127.0.0.1", fetch }, ({ port }) => done(port)));
}

const ports = {};
for (const [name, env] of Object.entries(worlds)) {
  const { fetch } = behind(env);
  ports[name] = await serve((request) => fetch(request, env));
}
console.log(JSON.stringify(ports));
