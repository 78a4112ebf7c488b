// Goals: limits that the gateway promises under load. Each goal measures, and returns rows `{what, measured, limit,
// unit}`. It is met if `measured` is at most `limit`. A row without a limit is for information.
import { announced } from "./goals/announced.mjs";
import { callers } from "./goals/callers.mjs";
import { cold } from "./goals/cold.mjs";
import { concurrent } from "./goals/concurrent.mjs";
import { changing, faulty } from "./goals/faulty.mjs";
import { hanging } from "./goals/hanging.mjs";
import { listening } from "./goals/listeners.mjs";
import { oversized } from "./goals/oversized.mjs";
import { comesBack } from "./goals/return.mjs";
import { idleSessions } from "./goals/sessions.mjs";

/** Goals that count requests or changes. They are tested in every build; the others concern time and memory. */
export const counted = [hanging, comesBack, concurrent, oversized, announced];
export const goals = [
  faulty,
  changing,
  announced,
  hanging,
  comesBack,
  concurrent,
  cold,
  callers,
  listening,
  oversized,
  idleSessions,
];

export const holds = ({ measured, limit }) => limit === undefined || measured <= limit;
