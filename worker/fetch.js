// @ts-check
// The requests to upstream servers. The crate `worker` crosses into JavaScript for each header. Here a request is one call, and so is the response to it, if it is short.

/** Maximum length of a body that is read whole, in bytes. Longer ones, and those of unknown length, arrive in pieces. */
const WHOLE = 1_048_576;

/** @typedef {{ status: number, head: string, whole?: Uint8Array, rest?: ReadableStream<Uint8Array> }} Answer */

/**
 * Sends a request. `head` has two lines for each header, its name and its value; the head of the response has one, `name:value`.
 * `body` is in the memory of the module. It is copied here, because in a Durable Object the runtime reads it later.
 * The answer has a body that was read whole, one to read, the beginning of one before the rest to read, or none.
 * @type {(method: string, url: string, head: string, body: Uint8Array<ArrayBuffer> | undefined, signal: AbortSignal) => Promise<Answer>}
 */
export async function send(method, url, head, body, signal) {
  const sent = head.split("\n");
  const headers = new Headers();
  for (let at = 0; at + 1 < sent.length; at += 2) headers.append(sent[at], sent[at + 1]);
  // A redirect could lead to a host that the operator never named.
  const response = await fetch(url, { method, headers, body: body?.slice(), redirect: "manual", signal });
  return answerOf(response);
}

/** @type {(response: Response) => { status: number, head: string }} */
export function headOf(response) {
  const lines = [];
  for (const [name, value] of response.headers) lines.push(`${name}:${value}`);
  return { status: response.status, head: lines.join("\n") };
}

/**
 * Returns the length that a response states. That of a compressed body says nothing of what it holds.
 * @type {(response: Response) => number}
 */
export function statedLength(response) {
  const { headers } = response;
  return headers.has("content-encoding") ? Number.NaN : Number.parseInt(headers.get("content-length") ?? "", 10);
}

/**
 * Resolves with the answer in a response.
 * @type {(response: Response) => Promise<Answer>}
 */
export async function answerOf(response) {
  const answer = headOf(response);
  if (!response.body) return answer;
  if (statedLength(response) <= WHOLE) return { ...answer, whole: new Uint8Array(await response.arrayBuffer()) };
  return { ...answer, rest: response.body };
}
