// Learns of hidden resources from notifications that a server sends on the stream of a call.
import { clientsOf, stateless } from "../client.mjs";
import { simple, stream, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "notifications about hidden items on the stream of a call";

const SECRET = "doc://secret";
const SAID = [
  { method: "notifications/resources/updated", params: { uri: SECRET } },
  { method: "notifications/resources/updated", params: { uri: "DOC://secret" } },
  { method: "notifications/tasks/status", params: { taskId: "secret-task", status: "working" } },
  { method: "notifications/vendor/unknown", params: { about: SECRET } },
  { method: "notifications/secret", params: {} },
  { method: "notifications/elicitation/complete", params: { elicitationId: "secret-elicitation" } },
  { method: "notifications/cancelled", params: { requestId: "secret-request" } },
  { method: "notifications/subscriptions/acknowledged", params: { subscriptions: [SECRET] } },
  { method: "notifications/progress", params: { progressToken: "secret-token-of-another", progress: 1 } },
  { method: "notifications/roots/list_changed", params: { about: SECRET } },
  { method: "notifications/prompts/list_changed", params: { about: SECRET } },
  { method: "notifications/tools/list_changed", params: { about: SECRET } },
  { method: "notifications/resources/list_changed", params: { about: SECRET } },
];
const COUNT = [1, 6];

export async function* attempt(stage, size) {
  let said = [];
  const call = (params, { message: { id } }) => {
    const progressToken = params._meta?.progressToken;
    const progress =
      progressToken === undefined ? [] : [{ method: "notifications/progress", params: { progressToken, progress: 1 } }];
    return stream([
      ...progress,
      ...said,
      { id, result: { resultType: "complete", content: [{ type: "text", text: "done" }] } },
    ]);
  };
  const lists = {
    tools: [tool("open")],
    resources: [
      { uri: "doc://open", name: "open" },
      { uri: SECRET, name: "secret" },
    ],
  };
  const config = { policies: [{ name: "open", show: "name:open or claim.role:hr" }] };
  const answer = { "tools/call": call };
  const worlds = await stage.fronts({
    stateless: { behind: simple({ lists, answer }), config },
    sessions: { behind: simple({ lists, answer, sessions: true }), config },
  });
  for (const [era, fronts] of Object.entries(worlds)) {
    for (const front of fronts) {
      for (const [client, ask] of Object.entries(await clientsOf(front))) {
        said = [];
        await stateless(front)("tools/list");
        const heard = await ask("tools/call", { name: "open", arguments: {}, _meta: { progressToken: 7 } });
        const works =
          heard.messages.some(({ method }) => method === "notifications/progress") && heard.text.includes("done");
        yield control(`${front.name}, ${era}, ${client}: its own progress arrives`, works, heard.text);
        for (let round = COUNT[size]; round > 0; round -= 1) {
          for (const message of SAID) {
            said = [message];
            const { text } = await ask("tools/call", { name: "open", arguments: {}, _meta: { progressToken: 7 } });
            yield tried(
              `${front.name}, ${era}, ${client}: the server says ${JSON.stringify(message)} on a call's stream`,
              !/secret/i.test(text) && text.includes("done"),
              text,
            );
          }
          said = SAID;
          const { text } = await ask("tools/call", { name: "open", arguments: {}, _meta: { progressToken: 7 } });
          yield tried(
            `${front.name}, ${era}, ${client}: the server says all of it at once`,
            !/secret/i.test(text) && text.includes("done"),
            text,
          );
        }
      }
    }
  }
}
