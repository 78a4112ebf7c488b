// Carries personal data past a mandatory chain: in parts of responses that a model reads, and in unusual forms of
// requests.
import { request } from "../../support/raw-client.mjs";
import { session, stateless } from "../client.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, stream, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "personal data that bypasses mandatory chains";

const MAIL = "jane@example.com";
const SAY = `write to ${MAIL}`;
const base64 = (text) => Buffer.from(text).toString("base64");
/** Results of a tool with the address in a part that a model reads. */
const ANSWERS = {
  "a text": { content: [{ type: "text", text: SAY }] },
  "an error's text": { content: [{ type: "text", text: SAY }], isError: true },
  "structured content": { content: [], structuredContent: { deep: [{ who: SAY }] } },
  "the title of a link": { content: [{ type: "resource_link", uri: "doc://a", name: "a", title: SAY }] },
  "the description of a link": { content: [{ type: "resource_link", uri: "doc://a", name: "a", description: SAY }] },
  "an embedded text": {
    content: [{ type: "resource", resource: { uri: "doc://a", mimeType: "text/plain", text: SAY } }],
  },
  "the title of an embedded resource": {
    content: [{ type: "resource", resource: { uri: "doc://a", mimeType: "text/plain", text: "x", title: SAY } }],
  },
  "a blob of text": {
    content: [{ type: "resource", resource: { uri: "doc://a", mimeType: "text/plain", blob: base64(SAY) } }],
  },
  "a blob of JSON": {
    content: [
      {
        type: "resource",
        resource: { uri: "doc://a", mimeType: "application/json", blob: base64(JSON.stringify({ who: MAIL })) },
      },
    ],
  },
  "a blob of no type": { content: [{ type: "resource", resource: { uri: "doc://a", blob: base64(SAY) } }] },
  "an unknown content type": { content: [{ type: "vendor/card", body: { who: SAY } }] },
  "an unknown member of a text": { content: [{ type: "text", text: "x", caption: SAY }] },
  "an unknown member of the result": { content: [], summary: SAY },
  "a text with escapes": { content: [{ type: "text", text: `a\u0000b ${SAY}` }] },
};
/** Requests whose address must not reach the server. */
const REQUESTS = {
  "an argument": { arguments: { who: MAIL } },
  "deep arguments": { arguments: { a: [{ b: { c: SAY } }] } },
  "an argument twice": '{"name":"open","arguments":{"who":"x","who":"jane@example.com"}}',
  "arguments twice": '{"name":"open","arguments":{"who":"x"},"arguments":{"who":"jane@example.com"}}',
  "an escaped argument": '{"name":"open","arguments":{"who":"jane\\u0040example.com"}}',
  "input responses": { arguments: {}, inputResponses: { q: { action: "accept", content: { who: MAIL } } } },
  "a task": { arguments: { who: MAIL }, task: { ttl: 1_000 } },
};
const COUNT = [1, 12];

export async function* attempt(stage, size) {
  let answer = {};
  const call = (_, { message: { id } }) =>
    answer.stream
      ? stream([
          { method: "notifications/progress", params: { progressToken: 7, progress: 1, message: SAY } },
          { method: "notifications/message", params: { level: "info", data: { who: SAY } } },
          { id, result: { resultType: "complete", content: [{ type: "text", text: SAY }] } },
        ])
      : { ...answer };
  const lists = {
    tools: [tool("open")],
    prompts: [{ name: "open" }],
    resources: [{ uri: "doc://open", name: "open" }],
  };
  const servers = {
    stateless: record(simple({ lists, answer: { "tools/call": call } })),
    sessions: record(simple({ lists, answer: { "tools/call": call }, sessions: true })),
  };
  const redact = { on: ["tools/call"], response: ["pii_redaction"] };
  const hide = { on: ["tools/call"], request: ["pii_redaction"] };
  const worlds = {};
  for (const [era, behind] of Object.entries(servers)) {
    for (const [way, chain] of Object.entries({ out: redact, in: hide }))
      worlds[`${era}-${way}`] = { behind, config: { middleware: { chains: [chain] } }, workerOnly: true };
  }
  const fronts = await stage.fronts(worlds);
  for (const [name, [front]] of Object.entries(fronts)) {
    const behind = servers[name.split("-")[0]];
    const clients = { stateless: stateless(front), session: await session(front) };
    await clients.stateless("tools/list");
    for (const [client, ask] of Object.entries(clients)) {
      answer = { content: [{ type: "text", text: SAY }] };
      if (name.endsWith("out")) {
        const seen = await ask("tools/call", { name: "open", arguments: {} });
        yield control(`${name}, ${client}: the chain redacts a text`, seen.text.includes("[EMAIL_1]"), seen.text);
        for (const [what, made] of Array.from({ length: COUNT[size] }, () => [
          ...Object.entries(ANSWERS),
          ["a stream with progress and log", { stream: true }],
        ]).flat()) {
          answer = made;
          const { text } = await ask("tools/call", {
            name: "open",
            arguments: {},
            _meta: { progressToken: 7, "io.modelcontextprotocol/logLevel": "info" },
          });
          const decoded = [...text.matchAll(/"blob":"([^"]*)"/g)]
            .map(([, blob]) => Buffer.from(blob, "base64").toString())
            .join();
          yield tried(
            `${name}, ${client}: the answer holds the address in ${what}`,
            !text.includes(MAIL) && !decoded.includes(MAIL),
            text,
          );
        }
        continue;
      }
      answer = { content: [] };
      const reached = async (params) => {
        const from = behind.seen.length;
        if (typeof params === "string") {
          const headers = ask.headers ?? request("tools/call", { name: "open" }).headers;
          const meta = ask.headers
            ? ""
            : ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}';
          await (
            await front.fetch("/mcp", {
              method: "POST",
              headers,
              body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${meta ? params.replace(/\}$/, meta) : params}}`,
            })
          ).text();
        } else {
          await ask("tools/call", { name: "open", ...params });
        }
        return behind.seen.slice(from).filter(({ message }) => message?.method === "tools/call");
      };
      const plain = await reached({ arguments: { who: MAIL } });
      yield control(
        `${name}, ${client}: the redacted call arrives`,
        plain.some(({ text }) => text.includes("[EMAIL_1]")),
        plain,
      );
      for (const [what, params] of Array.from({ length: COUNT[size] }, () => Object.entries(REQUESTS)).flat()) {
        const calls = await reached(params);
        yield tried(
          `${name}, ${client}: ${what}`,
          !calls.some(({ text }) => text.includes(MAIL) || text.includes("\\u0040")),
          calls.map(({ text }) => text),
        );
      }
    }
    if (name.endsWith("in")) {
      const batched = await session(front, { revision: "2025-03-26" });
      const from = behind.seen.length;
      await batched.batch(Array.from({ length: 3 }, () => ["tools/call", { name: "open", arguments: { who: MAIL } }]));
      const calls = behind.seen.slice(from).filter(({ message }) => message?.method === "tools/call");
      yield tried(
        `${name}: a batch`,
        calls.length > 0 && !calls.some(({ text }) => text.includes(MAIL)),
        calls.map(({ text }) => text),
      );
    }
  }
}
