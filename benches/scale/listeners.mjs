// Callers that listen for changes of the list of tools, each with its own token.
import http from "node:http";
import { once } from "node:events";
import { until } from "../../tests/support/until.mjs";
import { request } from "../../tests/support/raw-client.mjs";
import { each } from "./client.mjs";

const WIDTH = 16;
const WITHIN_MS = 120_000;
const CHANGED = "notifications/tools/list_changed";

async function listen(url, token, heard) {
  const { headers, body } = request("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const sent = http.request(url, {
    method: "POST",
    agent: false,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const [response] = await once(sent.end(body), "response");
  if (response.statusCode !== 200) throw new Error(`subscriptions/listen: ${response.statusCode}`);
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk) => {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop();
    for (const event of events) if (event.includes(CHANGED)) heard();
  });
  response.on("error", () => {});
  sent.on("error", () => {});
  await once(response, "data");
  return () => sent.destroy();
}

/** Opens the listeners. `change()` changes the list of the first server and waits until all of them are notified. */
export async function openListeners(gateway, fleet, count) {
  let heard = 0;
  const leave = [];
  await each(count, WIDTH, async (at) => {
    leave.push(await listen(gateway.mcp, `token-${at}`, () => (heard += 1)));
  });
  // Changes reach the gateway on its own stream, which it opens for the first listener.
  await until(async () => (await fleet.streams([0]))[0] > 0, "the gateway's stream at the server");
  return {
    async change() {
      heard = 0;
      await fleet.change({ notify: true }, [0]);
      await until(
        () => heard >= count,
        () => `${count} notifications, ${heard} so far`,
        { within: WITHIN_MS },
      );
    },
    close: () => leave.forEach((end) => end()),
  };
}
