// What a client may receive in reply to a request: messages for itself alone, whole or visibly broken off.
import { FOREIGN } from "./envelopes.mjs";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Members of results that only the stateless revision defines. */
const STATELESS_MEMBERS = ["resultType", "ttlMs", "cacheScope"];
const OUTER = new Set(["jsonrpc", "id", "result", "error", "method", "params"]);
const PAUSED = "upstream_paused";

/** Reads a reply. `ended` is false if the connection broke off. */
export async function receive(response) {
  const { status, headers, body } = response;
  const pieces = [];
  let ended = true;
  try {
    if (body !== null) for await (const piece of body) pieces.push(piece);
  } catch {
    ended = false;
  }
  return { status, headers, text: new TextDecoder().decode(Buffer.concat(pieces)), ended };
}

/** Returns a text without the escapes of JSON, in which a marker could be written differently. */
const unescaped = (text) =>
  text.includes("\\u")
    ? text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** Returns the keys of the outermost object of a JSON text, repeated ones as often as they are written. */
export function outerKeys(text) {
  const keys = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if ("[{".includes(token)) depth += 1;
    else if ("]}".includes(token)) depth -= 1;
    else if (depth === 1 && token.endsWith(":")) keys.push(JSON.parse(token.slice(0, -1)));
  }
  return keys;
}

/** Returns the complete texts of data in an event stream. A last event without its blank line is none. */
function dataOf(text) {
  const parts = text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .split("\n\n");
  return parts.slice(0, -1).flatMap((part) => {
    const lines = part.split("\n").filter((line) => /^data(:|$)/.test(line));
    const data = lines.map((line) => line.replace(/^data:? ?/, "")).join("\n");
    return data === "" ? [] : [data];
  });
}

/** Length from which a reply may be cut off after a part of it has passed, in bytes. */
const HELD = 65_536;

/** Returns whether a JSON text was cut off. A Durable Object ends such a body as if it were whole. */
function isCut(text) {
  if (text.length < HELD) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** Returns the texts of the messages in a reply. */
function textsOf({ headers, text, ended }) {
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return dataOf(text);
  return ended && !isCut(text) ? [text] : [];
}

const isAbout = (message, token) =>
  message.method === "notifications/progress" && message.params?.progressToken === token;

/** Returns what is wrong with one message, if anything. */
function faultOf(text, { id, token, era, isPrivate }) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return "a message that is no JSON";
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) return "no message";
  const keys = outerKeys(text);
  if (new Set(keys).size < keys.length) return "a repeated member";
  if (keys.some((key) => !OUTER.has(key))) return "an unknown outer member";
  if (message.jsonrpc !== "2.0") return "no version";
  if ("method" in message) {
    if ("id" in message) return "a request";
    return isAbout(message, token) ? undefined : `a notification that is not its own, ${message.method}`;
  }
  if (message.id !== id) return `the id ${JSON.stringify(message.id)}`;
  if ("result" in message === "error" in message) return "not one of result and error";
  if ("error" in message) return undefined;
  const { result } = message;
  if (typeof result !== "object" || result === null || Array.isArray(result)) return "a result that is no object";
  if (era === "session") {
    const found = STATELESS_MEMBERS.filter((member) => member in result);
    return found.length > 0 ? `members of another revision: ${found}` : undefined;
  }
  if (isPrivate && result.cacheScope === "public") return "a private result that caches may share";
  if (!("resultType" in result)) return "a result without resultType";
  return result._meta?.[SERVER_INFO] === undefined ? "a result without serverInfo" : undefined;
}

/**
 * Returns what is wrong with a reply, if anything. `asked` has the request's `id`, its progress `token`, the `era` of the
 * client, `secrets`, which must not arrive even in a message that breaks off, and `isPrivate` if no cache may share results.
 */
export function fault(reply, asked) {
  const { headers, text, ended } = reply;
  if (text.includes(PAUSED)) return "not attempted, the server is paused";
  for (const [name, value] of headers) {
    if (value.includes(FOREIGN)) return `the header ${name} of the server`;
  }
  const plain = unescaped(text);
  const secret = asked.secrets.find((marker) => plain.includes(marker));
  if (secret !== undefined) return `the marker ${secret}`;
  const texts = textsOf(reply);
  if (texts.some((one) => unescaped(one).includes(FOREIGN))) return "content of another";
  const wrong = texts.map((one) => faultOf(one, asked)).find(Boolean);
  if (wrong !== undefined) return wrong;
  const answers = texts.filter((one) => !outerKeys(one).includes("method")).length;
  if (answers > 1) return "two answers";
  return ended && answers === 0 ? "no answer" : undefined;
}
