// Idle sessions: the memory and the open files that they cost.
import { setTimeout as sleep } from "node:timers/promises";
import { openSessions } from "../sessions.mjs";
import { staged } from "../staged.mjs";

const SESSIONS = 5_000;
/** Wait for workerd, which ends an object ten seconds after its last request. */
const IDLE_MS = 15_000;
const MB = 1024 * 1024;

export const idleSessions = {
  name: "5,000 sessions",
  run: (stage) =>
    staged(stage, [{ tools: 66 }], {}, async (gateway) => {
      await openSessions(gateway, 100);
      await sleep(IDLE_MS);
      const before = { memory: gateway.memory(), descriptors: gateway.descriptors() };
      await openSessions(gateway, SESSIONS);
      const opened = { memory: gateway.memory(), descriptors: gateway.descriptors() };
      await sleep(IDLE_MS);
      const idle = { memory: gateway.memory(), descriptors: gateway.descriptors() };
      return [
        { what: "memory when the last was opened", measured: (opened.memory - before.memory) / MB, unit: "MB" },
        {
          what: "open files when the last was opened",
          measured: opened.descriptors - before.descriptors,
          unit: "files",
        },
        { what: "memory when idle", measured: (idle.memory - before.memory) / MB, limit: 200, unit: "MB" },
        { what: "open files when idle", measured: idle.descriptors - before.descriptors, unit: "files" },
      ];
    }),
};
