// The Worker in front of the misbehaving server, for one scenario at a time.
import { startWorkers } from "../support/workerd.mjs";
import { startVices } from "./upstream.mjs";
import { watch } from "./watch.mjs";

const TIMEOUT_MS = 3_000;

export async function setStage() {
  const vices = await startVices();
  const config = { upstream: { timeoutMs: TIMEOUT_MS, callTimeoutMs: TIMEOUT_MS } };
  const workers = await startWorkers([{ name: "stage", upstream: vices.url, config }]);
  const mcp = `${workers.urls.stage}/mcp`;
  return {
    /** Runs a scenario at one of its sizes (0 small, 1 full), while other requests are sent. */
    play: ({ counts, run }, size) => watch({ pid: workers.pid, mcp }, () => run({ mcp, vices }, counts[size])),
    stop: async () => {
      await workers.stop();
      await vices.stop();
    },
  };
}
