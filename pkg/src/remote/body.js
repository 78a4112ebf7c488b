// @ts-check
// The JSON-RPC messages in the body of a response, as JSON or as a stream of events.
import { events } from "./event-stream.js";
import { Failure } from "./failure.js";

/** Maximum number of bytes of one answer. */
export const MAX_ANSWER = 16 * 1024 * 1024;

/** The text of a body in pieces, as they arrive. */
async function* pieces(response, tooLarge) {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    // Not every browser iterates over a stream by itself.
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.byteLength;
      if (bytes > MAX_ANSWER) throw tooLarge();
      yield decoder.decode(read.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Closes the connection of a body that was not read to its end.
    reader.cancel().catch(() => {});
  }
}

/** Parses one message, or the several of an array. */
function parsed(text) {
  try {
    return [JSON.parse(text)].flat().filter((message) => message?.jsonrpc === "2.0");
  } catch {
    return [];
  }
}

/**
 * Reads the response to a request: the message with its id, or an error without an id. Returns `undefined` if there
 * is none.
 */
export async function readResponse(response, id, server, method) {
  const large = `middleware server \`${server}\` sent more than ${MAX_ANSWER} bytes in answer to \`${method}\``;
  const texts = pieces(response, () => new Failure(large));
  const ends = (message) =>
    message.method === undefined && (message.id === id || (message.error && message.id == null));
  if (/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
    for await (const data of events(texts)) {
      const found = parsed(data).find(ends);
      if (found) return found;
    }
    return undefined;
  }
  const whole = [];
  for await (const text of texts) whole.push(text);
  return parsed(whole.join("")).find(ends);
}
