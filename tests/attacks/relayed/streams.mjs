// Event streams with messages that are not for the caller of the request, and events in unusual forms.
import { FOREIGN, OTHER_ID } from "./envelopes.mjs";

const PAD = "x".repeat(70_000);
const note = (method, params) => `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
const about = `{"about":"${FOREIGN}"}`;
const answer = (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const foreignResult = `{"resultType":"complete","content":[{"type":"text","text":"${FOREIGN}"}]}`;

/** Messages that must not reach the client. Each is written for the id of the request. */
export const STRAYS = {
  "another answer": () => answer(OTHER_ID, foreignResult),
  "another answer, its id last": () => `{"jsonrpc":"2.0","result":${foreignResult},"id":${OTHER_ID}}`,
  "another answer behind 70 KB": () => `{"jsonrpc":"2.0","result":{"pad":"${PAD}","of":"${FOREIGN}"},"id":${OTHER_ID}}`,
  "an answer under an escaped key": () => `{"jsonrpc":"2.0","\\u0069d":${OTHER_ID},"result":${foreignResult}}`,
  "an answer without an id": () => `{"jsonrpc":"2.0","result":${foreignResult}}`,
  "another error": () => `{"jsonrpc":"2.0","id":${OTHER_ID},"error":{"code":-1,"message":"${FOREIGN}"}}`,
  "an answer with the id in an array": (id) => answer(`[${id}]`, foreignResult),
  "progress of another": () =>
    note("notifications/progress", `{"progressToken":"${FOREIGN}","progress":1,"message":"${FOREIGN}"}`),
  "progress under a token of another type": (_, token) =>
    note(
      "notifications/progress",
      `{"progressToken":${typeof token === "number" ? `"${token}"` : 7},"progress":1,"message":"${FOREIGN}"}`,
    ),
  "progress without a token": () => note("notifications/progress", `{"progress":1,"message":"${FOREIGN}"}`),
  "progress of another behind 70 KB": () =>
    note("notifications/progress", `{"message":"${PAD}${FOREIGN}","progress":1,"progressToken":"${FOREIGN}"}`),
  "progress under its own token, then another's": (_, token) =>
    note(
      "notifications/progress",
      `{"progressToken":${JSON.stringify(token)},"progress":1,"message":"${FOREIGN}","progressToken":"x"}`,
    ),
  "changed tools": () => note("notifications/tools/list_changed", about),
  "changed resources": () => note("notifications/resources/list_changed", about),
  "changed prompts behind 70 KB": () =>
    `{"jsonrpc":"2.0","params":{"pad":"${PAD}","of":"${FOREIGN}"},"method":"notifications/prompts/list_changed"}`,
  "a changed list under an escaped key": () =>
    `{"jsonrpc":"2.0","m\\u0065thod":"notifications/tools/list_changed","params":${about}}`,
  "a changed list under an escaped method": () => note("notifications\\/tools\\/list_chang\\u0065d", about),
  "an update of a hidden resource": () =>
    note("notifications/resources/updated", `{"uri":"doc://secret","of":"${FOREIGN}"}`),
  "the state of a task": () => note("notifications/tasks/status", `{"taskId":"${FOREIGN}","status":"working"}`),
  "an answered question": () => note("notifications/elicitation/complete", `{"elicitationId":"${FOREIGN}"}`),
  "a cancelled request": () => note("notifications/cancelled", `{"requestId":"${FOREIGN}"}`),
  "a log message": () => note("notifications/message", `{"level":"emergency","data":"${FOREIGN}"}`),
  "a notification of a vendor": () => note("com.example/news", about),
  sampling: () => `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${about}}`,
  "sampling behind 70 KB": () =>
    `{"jsonrpc":"2.0","params":{"pad":"${PAD}","of":"${FOREIGN}"},"id":1,"method":"sampling/createMessage"}`,
  "a question under the id of the request": (id) =>
    `{"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":{"message":"${FOREIGN}"}}`,
  "a request for roots": () => `{"jsonrpc":"2.0","id":"r","method":"roots/list","params":${about}}`,
  "a request of a vendor": () => `{"jsonrpc":"2.0","id":"v","method":"com.example/ask","params":${about}}`,
  "a ping": () => `{"jsonrpc":"2.0","id":"p","method":"ping","params":${about}}`,
  "a request with a result": (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":${foreignResult},"method":"sampling/createMessage"}`,
  "an answer with an error and a result": (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":${foreignResult},"error":{"code":-1,"message":"x"}}`,
  "a batch of others": () => `[${note("notifications/tools/list_changed", about)},${answer(OTHER_ID, foreignResult)}]`,
  "no JSON": () => FOREIGN,
  "half a message": () => `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${FOREIGN}"`,
  "two messages": () => `${note("notifications/message", about)}${answer(OTHER_ID, foreignResult)}`,
  "another version": () => `{"jsonrpc":"1.0","method":"notifications/progress","params":${about}}`,
};

const event = (message, end = "\n") => `data: ${message}${end}${end}`;
/** Forms of a stream: the texts of its events, for messages in order. */
export const FRAMES = {
  plain: (messages) => messages.map((message) => event(message)).join(""),
  "CRLF lines": (messages) => messages.map((message) => event(message, "\r\n")).join(""),
  "CR lines": (messages) => messages.map((message) => event(message, "\r")).join(""),
  "a byte order mark": (messages) => `\ufeff${messages.map((message) => event(message)).join("")}`,
  "event names": (messages) => messages.map((message) => `event: message\n${event(message)}`).join(""),
  "ids and times": (messages) => messages.map((message, at) => `id: ${at}\nretry: 1\n${event(message)}`).join(""),
  "no space": (messages) => messages.map((message) => `data:${message}\n\n`).join(""),
  "several lines of data": (messages) =>
    messages
      .map((message) => `data: ${message.replace(/^(.)/, "$1\ndata: ").replace(/(.)$/, "\ndata: $1")}\n\n`)
      .join(""),
  "70 KB of comments": (messages) => messages.map((message) => `: ${PAD}\n\n${event(message)}`).join(""),
  "one batch": (messages) => event(`[${messages.join(",")}]`),
};

/** Forms in which the strays are in parts of a stream that are no messages, and must not become some. */
export const ASIDE = {
  "in comments": (stray, own) => `: ${stray}\n\n${event(own)}`,
  "under another event": (stray, own) => `event: news\n${event(stray)}${event(own)}`,
  "in the name of the event": (stray, own) => `event: ${stray}\n${event(own)}`,
  "in the id": (stray, own) => `id: ${stray}\n${event(own)}`,
  "in an unknown field": (stray, own) => `news: ${stray}\n${event(own)}`,
  "in data without a blank line": (stray, own) => `${event(own)}data: ${stray}\n`,
};
