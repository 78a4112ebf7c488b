// Sessions of the revision 2025-11-25 at the gateway.
import { openSession } from "../../tests/support/raw-client.mjs";
import { each } from "./client.mjs";

const WIDTH = 16;

/** Opens sessions, and returns the headers of the requests in each. */
export async function openSessions({ mcp }, count) {
  const opened = [];
  await each(count, WIDTH, async () => opened.push(await openSession(mcp)));
  return opened;
}
