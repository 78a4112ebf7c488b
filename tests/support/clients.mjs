// Clients that others wrote, each asked the same and each answering in one shape:
// {all, filtered, called, isError, read, messages, resources, templates, prompts, refused, protocol}.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const python = fileURLToPath(new URL("../../.tools/venv/bin/python", import.meta.url));
const script = fileURLToPath(new URL("peer.py", import.meta.url));
const identity = { name: "peer", version: "1.0.0" };
const PYTHON_MS = 60_000;

/** What both TypeScript clients can be asked in the same words. */
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

async function session(client, transport, questions, protocol) {
  await client.connect(transport);
  try {
    return { ...(await ask(client, questions)), protocol: protocol(client, transport) };
  } finally {
    await client.close();
  }
}

const typescript1 = (url, questions) =>
  session(new ClientV1(identity), new TransportV1(new URL(url)), questions, (_, { protocolVersion }) => protocolVersion);

const typescript2 = (mode) => (url, questions) => {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  return session(client, new TransportV2(new URL(url)), questions, () => client.getNegotiatedProtocolVersion());
};

const pythonClient = (mode) => async (url, { filter, tool, args, uri, prompt, promptArguments }) => {
  const call = { tool, arguments: args, uri, prompt, promptArguments };
  const words = [script, url, mode, JSON.stringify(filter), JSON.stringify(call)];
  const { stdout } = await promisify(execFile)(python, words, { timeout: PYTHON_MS });
  const { meta: _, ...seen } = JSON.parse(stdout);
  return seen;
};

/** Name → (client, the revision it should settle on). */
export const clients = {
  "TypeScript v1": { look: typescript1, protocol: "2025-11-25" },
  "TypeScript v2, stateless": { look: typescript2("auto"), protocol: "2026-07-28" },
  "TypeScript v2, handshake": { look: typescript2("legacy"), protocol: "2025-11-25" },
  "Python, stateless": { look: pythonClient("auto"), protocol: "2026-07-28" },
  "Python, handshake": { look: pythonClient("legacy"), protocol: "2025-11-25" },
};
