// Forms of misbehaviour over stdio: what else a process writes, and how it writes its answers.
import { METHOD_NOT_FOUND, withError, withResult } from "../core.mjs";

const line = (message) => `${typeof message === "string" ? message : JSON.stringify(message)}\n`;
const every = (name, about, pieces, more = {}) => ({
  name: `stdio-${name}`,
  about,
  on: { "*": ({ answer, ...turn }) => pieces(answer, turn) },
  ...more,
});
const at = (name, about, method, pieces, more = {}) => ({
  name: `stdio-${name}`,
  about,
  on: { [method]: pieces },
  ...more,
});
const idAs = (name, about, idOf) =>
  every(name, about, ({ id, jsonrpc, ...rest }) =>
    line(`{"jsonrpc":"2.0","id":${idOf(id)},${JSON.stringify(rest).slice(1)}`),
  );
const discover = (name, about, pieces) =>
  at(`discover-${name}`, `\`server/discover\` ${about}`, "server/discover", pieces);
const fails = (kind, method) =>
  at(`${kind}-fails`, `\`${method}\` answers -32603`, method, ({ answer }) =>
    line(withError(answer, -32603, "crashed")),
  );

export const STDIO_FORMS = [
  { name: "stdio-plain", about: "nothing is wrong" },
  { name: "stdio-banner", about: "a text comes first", start: "Welcome to the server!\nListening on stdio\n" },
  {
    name: "stdio-banner-json",
    about: "JSON that is no message comes first",
    start: '{"level":"info","msg":"started"}\n[]\nnull\n7\n',
  },
  { name: "stdio-banner-blank", about: "empty lines come first", start: "\n\n\r\n  \n" },
  {
    name: "stdio-banner-escape",
    about: "a coloured text and a byte order mark come first",
    start: "\u001b[32mready\u001b[0m\n\ufeff\n",
  },
  {
    name: "stdio-notification-first",
    about: "a notification comes first",
    start: line({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "up" } }),
  },
  {
    name: "stdio-request-first",
    about: "a `ping` request comes first",
    start: line({ jsonrpc: "2.0", id: 0, method: "ping" }),
  },
  { name: "stdio-stderr", about: "standard error has 200 kB at the start", stderr: "e".repeat(200_000) },
  { name: "stdio-slow-start", about: "the process needs a second before it reads", start: [{ wait: 1_000 }] },
  every("text-between", "a text comes before each answer", (answer) => ["DEBUG handling request\n", line(answer)]),
  every("text-after", "a text comes after each answer", (answer) => [line(answer), "done in 3 ms\n"]),
  every("json-between", "JSON that is no message comes before each answer", (answer) => [
    '{"type":"heartbeat"}\n',
    "null\n",
    "[]\n",
    '{"jsonrpc":"2.0"}\n',
    line(answer),
  ]),
  every("notification-unknown", "an unknown notification comes before each answer", (answer) => [
    line({ jsonrpc: "2.0", method: "vendor/progress", params: { a: 1 } }),
    line(answer),
  ]),
  every("notification-odd", "notifications without their parameters come before each answer", (answer) => [
    line({ jsonrpc: "2.0", method: "notifications/progress" }),
    line({ jsonrpc: "2.0", method: "notifications/cancelled", params: {} }),
    line(answer),
  ]),
  every("notification-changed", "`tools/list_changed` comes before each answer", (answer) => [
    line({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
    line(answer),
  ]),
  every("ping", "a `ping` request comes before each answer", (answer) => [
    line({ jsonrpc: "2.0", id: "p", method: "ping" }),
    line(answer),
  ]),
  every("request-same-id", "a request of the server has the id of the client's", (answer) => [
    line({ jsonrpc: "2.0", id: answer.id, method: "ping" }),
    line(answer),
  ]),
  every("request-unknown", "an unknown request comes before each answer", (answer) => [
    line({ jsonrpc: "2.0", id: 1, method: "vendor/ask" }),
    line(answer),
  ]),
  every("answer-unknown", "an answer to no request comes before each answer", (answer) => [
    line({ jsonrpc: "2.0", id: 4_711, result: {} }),
    line(answer),
  ]),
  every("answer-twice", "each answer comes twice", (answer) => [line(answer), line(answer)]),
  idAs("id-text", "ids are texts", (id) => JSON.stringify(String(id))),
  idAs("id-float", "ids are written as `3.0`", (id) => (typeof id === "number" ? `${id}.0` : JSON.stringify(id))),
  idAs("id-null", "ids are `null`", () => "null"),
  every("array", "each answer is an array of one", (answer) => line([answer])),
  every("jsonrpc-missing", "answers have no member `jsonrpc`", ({ jsonrpc, ...answer }) => line(answer)),
  every("members-more", "answers have members that JSON-RPC does not have", (answer) => line({ ...answer, took: 3 })),
  every("error-null", 'results have `"error": null` beside them', (answer) =>
    line(answer.result ? { ...answer, error: null } : answer),
  ),
  every("crlf", "lines end with CRLF", (answer) => `${JSON.stringify(answer)}\r\n`),
  every("spaces", "lines have spaces around the JSON", (answer) => `  ${JSON.stringify(answer)} \t\n`),
  every("pretty", "answers have several lines", (answer) => line(JSON.stringify(answer, null, 2))),
  every("bom", "each line begins with a byte order mark", (answer) => `\ufeff${line(answer)}`),
  every("content-length", "answers have headers, as in the Language Server Protocol", (answer) => {
    const text = JSON.stringify(answer);
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}\n`;
  }),
  every("bytes", "answers come in parts of seven bytes", (answer) =>
    line(answer)
      .match(/[^]{1,7}/gu)
      .flatMap((part) => [part, { wait: 1 }]),
  ),
  every("not-utf8", "a line that is not UTF-8 comes before each answer", (answer) => [
    Buffer.from([0x67, 0xf6, 0xdf, 0x0a]),
    line(answer),
  ]),
  every("surrogate", "each result has a text that ends within an emoji (`\\ud83d`)", (answer) =>
    line(JSON.stringify(answer).replace('"result":{', '"result":{"_meta":{"note":"cut \\ud83d"},')),
  ),
  at("surrogate-call", "the text of a call ends within an emoji (`\\ud83d`)", "tools/call", ({ answer }) =>
    line(JSON.stringify(answer).replace('"well"', '"well"},{"type":"text","text":"cut \\ud83d"')),
  ),
  at("call-late", "a call is answered after a second and a half", "tools/call", ({ answer }) => [
    { wait: 1_500 },
    line(answer),
  ]),
  at("call-exit", "the process ends during a call", "tools/call", () => [{ exit: 3 }]),
  at("call-large", "the result of a call has 2 MB", "tools/call", ({ answer }) =>
    line({ ...answer, result: { content: [...answer.result.content, { type: "text", text: "x".repeat(2_000_000) }] } }),
  ),
  discover("never", "is never answered", () => []),
  discover("text", "is answered with a text", () => "unknown command\n"),
  discover("unknown", "is answered with -32601", ({ answer }) =>
    line(withError(answer, METHOD_NOT_FOUND, "Method not found")),
  ),
  discover("not-initialized", "is answered with -32002", ({ answer }) =>
    line(withError(answer, -32002, "Server not initialized")),
  ),
  discover("id-null", "is answered with an error whose id is `null`", ({ answer }) =>
    line({ ...withError(answer, -32600, "Invalid request"), id: null }),
  ),
  discover("exit", "ends the process", () => [{ exit: 1 }]),
  discover("empty", "is answered with the result `{}`", ({ answer }) => line(withResult(answer, {}))),
  fails("tools", "tools/list"),
  fails("resources", "resources/list"),
  fails("templates", "resources/templates/list"),
  fails("prompts", "prompts/list"),
  at("resources-never", "`resources/list` is never answered", "resources/list", () => []),
  at("prompts-never", "`prompts/list` is never answered", "prompts/list", () => []),
  at("prompts-no-list", "`prompts/list` has no array", "prompts/list", ({ answer }) =>
    line(withResult(answer, { prompts: null })),
  ),
  at("prompts-exit", "`prompts/list` ends the process", "prompts/list", () => [{ exit: 1 }]),
  at("version-2024", "`initialize` answers the version 2024-11-05", "initialize", ({ answer }) =>
    line(withResult(answer, { ...answer.result, protocolVersion: "2024-11-05" })),
  ),
  at("version-unknown", "`initialize` answers an unknown version", "initialize", ({ answer }) =>
    line(withResult(answer, { ...answer.result, protocolVersion: "2099-01-01" })),
  ),
  at(
    "supported",
    "`initialize` refuses with -32602 and older versions in `data.supported`",
    "initialize",
    ({ message, answer }) =>
      line(
        message.params.protocolVersion === "2024-11-05"
          ? withResult(answer, { ...answer.result, protocolVersion: "2024-11-05" })
          : withError(answer, -32602, "Unsupported protocol version", { supported: ["2024-11-05"] }),
      ),
  ),
  {
    name: "stdio-capabilities-none",
    about: "announces nothing, and has tools, resources and prompts",
    capabilities: {},
  },
  {
    name: "stdio-cursor-repeats",
    about: "each page has the same tools and cursor",
    pages: { tools: (_, tool) => ({ tools: [tool("one"), tool("two")], nextCursor: "again" }) },
  },
  {
    name: "stdio-deep",
    about: "a tool nests 100 levels",
    items: { tools: (good, tool) => [...good, tool("three", { _meta: nested(100) })] },
  },
  { name: "stdio-stateless", about: "speaks the stateless revision only", stateless: true },
  {
    ...every("stateless-text", "speaks the stateless revision, with a text before each answer", (answer) => [
      "DEBUG\n",
      line(answer),
    ]),
    stateless: true,
  },
];

function nested(levels) {
  let value = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}
