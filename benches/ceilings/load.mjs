// Load on one object: from a Worker beside it, or from clients of the gateway.
import http from "node:http";
import { cpu } from "../../tests/support/process.mjs";

/** Number of requests that are under way at once. */
export const WIDTH = 32;

/** Measures `work()`, which returns `{answered, ms}`. Returns requests a second and CPU milliseconds of each. */
async function measured(pid, work) {
  const before = cpu(pid);
  const { answered, ms } = await work();
  return { rate: (answered / ms) * 1_000, cpuMs: (cpu(pid) - before) / answered };
}

/** Has the driver send requests to an object, and returns its result. */
export async function drive(workers, request) {
  const body = JSON.stringify({ width: WIDTH, ...request });
  const response = await fetch(workers.urls.driver, { method: "POST", body });
  if (!response.ok) throw new Error(`${request.path}: ${await response.text()} ${workers.log()}`);
  return response.json();
}

/** Measures requests to one object for `ms` milliseconds, after a quarter of that. */
export async function onObject(workers, request, ms) {
  const warm = await drive(workers, { ...request, ms: ms / 4 });
  return measured(workers.pid, () => drive(workers, { ...request, first: warm.answered + WIDTH, ms }));
}

/** Measures `ask(agent, lane)` from several lanes in the same way. */
export async function onGateway({ pid }, ask, ms) {
  const agent = new http.Agent({ keepAlive: true });
  const run = async (ms) => {
    const began = performance.now();
    let answered = 0;
    const lane = async (number) => {
      while (performance.now() - began < ms) {
        await ask(agent, number);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, (_, number) => lane(number)));
    return { answered, ms: performance.now() - began };
  };
  await run(ms / 4);
  const result = await measured(pid, () => run(ms));
  agent.destroy();
  return result;
}
