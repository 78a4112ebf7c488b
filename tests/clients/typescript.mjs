// The official TypeScript clients, both generations.
import { once } from "node:events";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import "../support/home.mjs";

const identity = { name: "peer", version: "1.0.0" };
/** Returns a connection to the server that a command starts. */
const stdio = (Transport, [command, ...args]) => new Transport({ command, args, stderr: "ignore" });
const UPDATED = "notifications/resources/updated";

/** Runs the questions that both generations support in the same form. */
async function ask(client, { filter, tool, args, uri, prompt, promptArguments }) {
  const names = ({ tools }) => tools.map(({ name }) => name);
  const all = names(await client.listTools());
  const filtered = names(await client.listTools({ filter }));
  const result = await client.callTool({ name: tool, arguments: args });
  const refused = await client.callTool({ name: "no-such-tool", arguments: {} }).then(
    () => null,
    ({ code, message }) => ({ code, message: message.replace(/^MCP error -?\d+: /, "") }),
  );
  return {
    all,
    filtered,
    called: result.content.filter(({ type }) => type === "text").map(({ text }) => text),
    isError: Boolean(result.isError),
    read: (await client.readResource({ uri })).contents.map((content) => content.uri),
    messages: (await client.getPrompt({ name: prompt, arguments: promptArguments })).messages.length,
    resources: (await client.listResources()).resources.map((resource) => resource.uri),
    templates: (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: (await client.listPrompts()).prompts.map(({ name }) => name),
    refused,
  };
}

/**
 * Returns a client of the suite. `connect(url, requestInit)` opens a connection, `call` calls a tool with options, and
 * `subscribe` subscribes to a resource.
 */
const client = ({ connect, protocol, call, subscribe, elicit }) => ({
  async look(url, questions) {
    const connection = await connect(url);
    try {
      return { ...(await ask(connection, questions)), protocol: protocol(connection) };
    } finally {
      await connection.close();
    }
  },
  async use(url, { token, tool, args }) {
    const connection = await connect(url, { headers: { Authorization: `Bearer ${token}` } });
    try {
      const names = (await connection.listTools()).tools.map(({ name }) => name);
      const answer = await connection.callTool({ name: tool, arguments: args }).then(
        ({ content }) => content[0].text,
        ({ message }) => message,
      );
      return { names, answer };
    } finally {
      await connection.close();
    }
  },
  async task(url, { token, command, steps, answer }) {
    const headers = { Authorization: `Bearer ${token}` };
    const connection = await connect(command ?? url, { headers }, { elicitation: {} });
    let asked = 0;
    elicit(connection, () => {
      asked += 1;
      return { action: "accept", content: answer };
    });
    try {
      const names = (await connection.listTools()).tools.map(({ name }) => name);
      const answers = [];
      for (const { tool, args } of steps) {
        const said = connection.callTool({ name: tool, arguments: args });
        answers.push(
          await said.then(
            ({ content }) => content[0].text,
            ({ message }) => message.replace(/^MCP error -?\d+: /, ""),
          ),
        );
      }
      return { names, answers, asked };
    } finally {
      await connection.close();
    }
  },
  async hear(url, uri) {
    const connection = await connect(url);
    const heard = new Promise((done) => subscribe.notice(connection, ({ params }) => done(params.uri)));
    await subscribe.begin(connection, uri);
    return { heard, close: () => connection.close() };
  },
  async leave(url, { tool, args }) {
    const connection = await connect(url);
    const over = new AbortController();
    const progressed = new Promise((done) => {
      call(connection, { name: tool, arguments: args }, { signal: over.signal, onprogress: done }).catch(() => {});
    });
    await progressed;
    const aborted = once(over.signal, "abort");
    over.abort();
    await aborted;
    return { close: () => connection.close() };
  },
});

const bySession = (notice) => ({ notice, begin: (connection, uri) => connection.subscribeResource({ uri }) });

export const version1 = client({
  async connect(url, requestInit, capabilities = {}) {
    const connection = new ClientV1(identity, { capabilities });
    await connection.connect(Array.isArray(url) ? stdio(StdioV1, url) : new TransportV1(new URL(url), { requestInit }));
    return connection;
  },
  protocol: ({ transport }) => transport.protocolVersion,
  elicit: (connection, answer) => connection.setRequestHandler(ElicitRequestSchema, answer),
  call: (connection, params, options) => connection.callTool(params, undefined, options),
  subscribe: bySession((connection, then) =>
    connection.setNotificationHandler(ResourceUpdatedNotificationSchema, then),
  ),
});

export const version2 = (mode) =>
  client({
    async connect(url, requestInit, capabilities = {}) {
      const connection = new ClientV2(identity, { versionNegotiation: { mode }, capabilities });
      await connection.connect(
        Array.isArray(url) ? stdio(StdioV2, url) : new TransportV2(new URL(url), { requestInit }),
      );
      return connection;
    },
    protocol: (connection) => connection.getNegotiatedProtocolVersion(),
    elicit: (connection, answer) => connection.setRequestHandler("elicitation/create", answer),
    call: (connection, params, options) => connection.callTool(params, options),
    subscribe: {
      ...bySession((connection, then) => connection.setNotificationHandler(UPDATED, then)),
      ...(mode === "auto" && { begin: (connection, uri) => connection.listen({ resourceSubscriptions: [uri] }) }),
    },
  });
