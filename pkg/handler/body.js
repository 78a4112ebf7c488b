// The body of a request, read no further than the core takes it.
import { failure, within } from "./ask.js";

/** Largest body that is read, in bytes: the core's own limit. A larger one is refused with 413. */
export const MAX_BODY = 4 * 1024 * 1024;
/** Milliseconds in which a body has to arrive. A slower one is refused with 408. */
export const MAX_BODY_MS = 30_000;
/** Bytes that are held ready at first; the buffer doubles from there, so that many small pieces cost no more than few. */
const FIRST_BYTES = 16 * 1024;

/** `Content-Length` decides nothing: it may be missing, and what arrives is counted either way. */
export async function bodyOf(request) {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  try {
    return await within(MAX_BODY_MS, "the body", () => read(reader));
  } finally {
    // The rest is for the server to drain or to cut off: cancelled, the connection could end before the refusal is sent.
    reader.releaseLock();
  }
}

async function read(reader) {
  let [bytes, length] = [new Uint8Array(FIRST_BYTES), 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.byteLength > MAX_BODY) throw failure("TooLargeError", `the body is larger than ${MAX_BODY} bytes`);
    if (length + value.byteLength > bytes.length) {
      const larger = new Uint8Array(Math.min(MAX_BODY, Math.max(bytes.length * 2, length + value.byteLength)));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(value, length);
    length += value.byteLength;
  }
}
