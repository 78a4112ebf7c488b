// What an official client gets: its recording of one server, from the connection to the last notification.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { connect, rootsOf } from "../support/sdk-clients.mjs";
import { readLexemes } from "./lexemes.mjs";
import { shown } from "./differences.mjs";
import { steady } from "./steady.mjs";

/** How long a client waits for notifications that no answer promises, and for one more, in milliseconds. */
const LAST_MS = 1_500;

/** What the clients answer to a server. The members are not in the order of the alphabet. */
const answers = (root) => ({
  "elicitation/create": ({ requestedSchema }) => ({
    action: "accept",
    content: Object.fromEntries(
      Object.entries(requestedSchema?.properties ?? {})
        .map(filled)
        .reverse(),
    ),
  }),
  "roots/list": { roots: rootsOf(root) },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "a-model" },
});
const SAMPLES = { string: "Ada", integer: 36, number: 1.5, boolean: true, array: [] };
const filled = ([key, schema]) => [
  key,
  schema.default ?? schema.enum?.[0] ?? schema.oneOf?.[0]?.const ?? SAMPLES[schema.type],
];

/** The clients that are recorded: the generation of the SDK, and whether the client declares all capabilities. */
export const CLIENTS = {
  "v1, nothing": ["v1", false],
  "v1, all": ["v1", true],
  "v2, nothing": ["v2", false],
  "v2, all": ["v2", true],
};

/** Returns a value without what differs between any two runs, as lexemes. */
function recorded(value) {
  const named = (key, inner) => (key === "progressToken" || key === "elicitationId" ? "ID" : inner);
  return value === undefined ? undefined : readLexemes(steady(JSON.stringify(value, named)));
}

/** Records a request of a client: its result, or its error. */
async function outcome(request) {
  try {
    return { result: await request() };
  } catch ({ code, message, data }) {
    // Clients of the second generation report errors with an HTTP status of their own as errors of the transport.
    if (data?.status && data.text?.startsWith("{")) return { http: data.status, error: JSON.parse(data.text).error };
    return { error: { code, message: message.replace(/^(?:MCP error -?\d+: )+/, ""), data } };
  }
}

/** Returns the requests of a client, by name. */
function steps(
  { client, stateless, subscribe, call },
  { calls, reads = [], prompts = [], completions = [], subscription },
) {
  const named = {
    "tools/list": () => client.listTools(),
    "resources/list": () => client.listResources(),
    "resources/templates/list": () => client.listResourceTemplates(),
    "prompts/list": () => client.listPrompts(),
    "tools/list with a bad cursor": () => client.listTools({ cursor: "no-such-cursor" }),
  };
  const add = (name, request) => {
    named[name in named ? `${name} again` : name] = request;
  };
  for (const [name, args] of [...calls, ["no-such-tool", {}]])
    add(`tools/call ${name} ${JSON.stringify(args)}`, () => call(name, args, { onprogress: () => {} }));
  for (const uri of [...reads, "test://no/such/resource"])
    add(`resources/read ${uri}`, () => client.readResource({ uri }));
  for (const [name, args] of [...prompts, ["no-such-prompt", {}]])
    add(`prompts/get ${name} ${JSON.stringify(args)}`, () => client.getPrompt({ name, arguments: args }));
  const absent = { ref: { type: "ref/prompt", name: "no-such-prompt" }, argument: { name: "a", value: "" } };
  for (const params of [...completions, absent])
    add(`completion/complete ${params.ref.name ?? params.ref.uri}`, () => client.complete(params));
  add("no/such/method", () => client.request({ method: "no/such/method", params: {} }, z.looseObject({})));
  if (!stateless) {
    add("ping", () => client.ping());
    add("logging/setLevel", () => client.setLoggingLevel("info"));
  }
  if (subscription) {
    add("subscription", async () => void (await subscribe(subscription.uri)));
    add("subscription, a change", () =>
      client.callTool({ name: subscription.call[0], arguments: subscription.call[1] }),
    );
  }
  return named;
}

/** Connects a client to a server and makes every request of its script. Returns what it got. */
export async function recordClient([generation, all], place, script, { root = "/work", env } = {}) {
  const connected = await connect(generation, place, { answers: all ? answers(root) : {}, env });
  const { client, stateless, notes, asked } = connected;
  try {
    const recording = {
      connect: {
        stateless,
        serverInfo: client.getServerVersion(),
        capabilities: client.getServerCapabilities(),
        instructions: client.getInstructions(),
      },
    };
    for (const [name, request] of Object.entries(steps(connected, script))) {
      const before = asked.length;
      const got = await outcome(request);
      const questions = asked.slice(before).map(({ method, params }) => ({ method, params }));
      recording[name] = questions.length > 0 ? { ...got, questions } : got;
    }
    await sleep(LAST_MS);
    // How often a change is announced is not recorded: one announcement may stand for several.
    const heard = notes.map(({ method, params = {} }) => `${method} ${shown(recorded(params))}`);
    recording.notifications = Object.fromEntries(heard.map((note) => [note, true]));
    return Object.fromEntries(Object.entries(recording).map(([name, value]) => [name, recorded(value)]));
  } finally {
    await connected.close();
  }
}
