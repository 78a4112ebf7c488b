// The official TypeScript clients of both generations, over HTTP and stdio, with everything that the server sends outside its answers.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import "./home.mjs";
import { until } from "./until.mjs";

const identity = { name: "test", version: "1" };
const STATELESS = "2026-07-28";
/** The schemas by which clients of the first generation name the requests of a server. */
const SCHEMAS = {
  "elicitation/create": ElicitRequestSchema,
  "roots/list": ListRootsRequestSchema,
  "sampling/createMessage": CreateMessageRequestSchema,
};
/** Clients by name: how each is made, and the transports that it has. */
const GENERATIONS = {
  v1: { make: (options) => new ClientV1(identity, options), http: HttpV1, stdio: StdioV1 },
  v2: {
    make: (options) => new ClientV2(identity, { versionNegotiation: { mode: "auto" }, ...options }),
    http: HttpV2,
    stdio: StdioV2,
  },
  "v2, sessions": {
    make: (options) => new ClientV2(identity, { versionNegotiation: { mode: "legacy" }, ...options }),
    http: HttpV2,
    stdio: StdioV2,
  },
  "v2, stateless": {
    make: (options) => new ClientV2(identity, { versionNegotiation: { mode: { pin: STATELESS } }, ...options }),
    http: HttpV2,
    stdio: StdioV2,
  },
};
/** Names of the clients that `connect` makes. One that speaks the stateless revision alone is of no use at many servers. */
export const STATELESS_ALONE = "v2, stateless";
export const CLIENTS = Object.keys(GENERATIONS).filter((name) => name !== STATELESS_ALONE);

/** Calls `seen` with each message that arrives, before the client gets it. */
function observe(transport, seen) {
  let receive;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set(handler) {
      receive = handler && ((message, extra) => (seen(message), handler(message, extra)));
    },
  });
}

/** Returns the roots of folders, as `roots/list` has them. */
export const rootsOf = (...folders) => folders.map((folder) => ({ uri: `file://${folder}`, name: folder }));

/**
 * Connects a client to `place`: the URL of a server, or the command of a local one. `headers` are those of its HTTP requests.
 * `answers` has what the client answers to
 * each method of the server, as a value or a function of the parameters; without an entry, the client does not declare the
 * capability.
 *
 * Returns the SDK's `client`; whether it is `stateless`; `notes`, the notifications that arrived; `asked`, the requests of the
 * server, also those in results; `call(tool, args, options)`; `text(tool, args)`, which returns the text of the result or the
 * message of the error; `textOf(tool, args, pattern)`, which repeats the call until its text matches; `subscribe(uri)`;
 * `updates(uri)`, how often its update was heard; `logs()`, the log messages; and `close()`.
 */
export async function connect(name, place, { answers = {}, env, headers } = {}) {
  const { make, http: Http, stdio: Stdio } = GENERATIONS[name];
  const declared = {
    ...(answers["elicitation/create"] && { elicitation: { form: {} } }),
    ...(answers["sampling/createMessage"] && { sampling: {} }),
    ...(answers["roots/list"] && { roots: { listChanged: true } }),
  };
  const client = make({ capabilities: declared });
  const [notes, asked] = [[], []];
  for (const [method, answer] of Object.entries(answers)) {
    const respond = ({ params }) => {
      asked.push({ method, params });
      return typeof answer === "function" ? answer(params) : answer;
    };
    client.setRequestHandler(name === "v1" ? SCHEMAS[method] : method, respond);
  }
  const transport = Array.isArray(place)
    ? new Stdio({ command: place[0], args: place.slice(1), env: { ...process.env, ...env }, stderr: "ignore" })
    : new Http(new URL(place), { requestInit: { headers } });
  observe(transport, (message) => {
    if (message.method === undefined) return;
    if (message.id === undefined) notes.push(message);
    else if (!(message.method in answers)) asked.push(message);
  });
  await client.connect(transport);
  const protocol = name === "v1" ? transport.protocolVersion : client.getNegotiatedProtocolVersion();
  const stateless = protocol === STATELESS;
  const call = (tool, args, options) => {
    const params = { name: tool, arguments: args };
    return name === "v1" ? client.callTool(params, undefined, options) : client.callTool(params, options);
  };
  return {
    client,
    notes,
    asked,
    stateless,
    call,
    async text(tool, args = {}) {
      return call(tool, args).then(
        ({ content }) => content.map(({ text }) => text).join("\n"),
        ({ message }) => message,
      );
    },
    subscribe: (uri) =>
      stateless ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }),
    updates: (uri) =>
      notes.filter(({ method, params }) => method === "notifications/resources/updated" && params.uri === uri).length,
    logs: () => notes.filter(({ method }) => method === "notifications/message").map(({ params }) => params),
    textOf(tool, args, pattern) {
      let last;
      const matches = async () => pattern.test((last = await this.text(tool, args)));
      return until(matches, () => `${tool} answers ${pattern}, not ${last}`, { every: 100 });
    },
    async close() {
      // A client of the first generation ends its session only if it is told to.
      await transport.terminateSession?.().catch(() => {});
      await client.close();
    },
  };
}
