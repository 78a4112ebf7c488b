// How a server treats its requests. Each behaviour returns what to do with the next one: `answer`, `refuse` or `hang`.
import { setTimeout as sleep } from "node:timers/promises";

export const behaviours = {
  healthy: () => "answer",
  /** Answers late. */
  slow: async ({ delayMs }) => {
    await sleep(delayMs);
    return "answer";
  },
  /** Takes the request and never answers. */
  hanging: () => "hang",
  /** Answers with 503. */
  refusing: () => "refuse",
  /** Answers and refuses in turn, for a while each. */
  flapping: ({ everyMs }) => (Math.floor(Date.now() / everyMs) % 2 === 0 ? "refuse" : "answer"),
};
