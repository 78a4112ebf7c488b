// Behaviours of a server. Each returns what the server does with the next request: `answer`, `refuse` or `hang`.
import { setTimeout as sleep } from "node:timers/promises";

export const behaviours = {
  healthy: () => "answer",
  /** Answers after `delayMs`. */
  slow: async ({ delayMs }) => {
    await sleep(delayMs);
    return "answer";
  },
  /** Accepts the request and never answers. */
  hanging: () => "hang",
  /** Answers with 503. */
  refusing: () => "refuse",
  /** Alternates between refusing and answering, each for `everyMs`. */
  flapping: ({ everyMs }) => (Math.floor(Date.now() / everyMs) % 2 === 0 ? "refuse" : "answer"),
};
