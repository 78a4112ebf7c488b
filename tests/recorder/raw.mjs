// What a raw client gets: the bytes of every answer, and its HTTP status.
import { setTimeout as sleep } from "node:timers/promises";
import { steady } from "./steady.mjs";
import { SESSION, overHttp, overStdio } from "./wire.mjs";

/** How long a client waits for notifications that no answer promises, in milliseconds. */
const LAST_MS = 1_500;

const LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

/** Returns the requests of a raw client, as `[method, parameters]`. */
function requests({ calls, reads = [], prompts = [], completions = [] }, revision) {
  const [tool, args] = calls[0];
  return [
    ...LISTS.map((method) => [method]),
    ...LISTS.map((method) => [method, { cursor: "no-such-cursor" }]),
    ...[...calls, ["no-such-tool", {}]].map(([name, args]) => ["tools/call", { name, arguments: args }]),
    ["tools/call", {}],
    ["tools/call", { name: tool, arguments: "text" }],
    ["tools/call", { name: 1, arguments: args }],
    ...[...reads, "test://no/such/resource"].map((uri) => ["resources/read", { uri }]),
    ["resources/read", {}],
    ...[...prompts, ["no-such-prompt", {}]].map(([name, args]) => ["prompts/get", { name, arguments: args }]),
    ...completions.map((params) => ["completion/complete", params]),
    ["no/such/method"],
    ...(revision === SESSION
      ? [
          ["ping"],
          ["logging/setLevel", { level: "no-such-level" }],
          ["resources/subscribe", { uri: "test://no/such/resource" }],
        ]
      : []),
  ];
}

/** Bodies that are no requests of a client, by name. */
const BODIES = {
  "no JSON": "{",
  "an empty body": "",
  "no JSON-RPC": { hello: 1 },
  "an unknown notification": { jsonrpc: "2.0", method: "notifications/no-such" },
};

/** Connects a raw client to a server and makes every request of its script. Returns what it got. */
export async function recordRaw(revision, place, script, { env } = {}) {
  const client = await (Array.isArray(place) ? overStdio(place, revision, { env }) : overHttp(place, revision));
  try {
    const recording = { introduction: client.about };
    for (const [method, params] of requests(script, revision)) {
      const name = `${method}${params ? ` ${JSON.stringify(params)}` : ""}`;
      const key = name in recording ? `${name} again` : name;
      recording[key] = await client.request(method, params).catch(({ message }) => ({ failed: message }));
    }
    if (client.post)
      for (const [name, body] of Object.entries(BODIES)) {
        const method = revision === SESSION ? {} : { "mcp-method": "notifications/no-such" };
        recording[name] = await client.post(body, method).catch(({ message }) => ({ failed: message }));
      }
    await sleep(LAST_MS);
    // A call and the session have streams of their own, whose messages arrive in any order.
    const source = ({ method, params }) => `${method} ${params?.logger}`;
    const notes = client.notes.toSorted((one, other) => source(one).localeCompare(source(other)));
    const heard = notes.map(({ method, params = {} }) => `${method} ${steady(JSON.stringify(params))}`);
    recording.notifications = Object.fromEntries(heard.map((note) => [note, true]));
    return recording;
  } finally {
    await client.stop();
  }
}
