// @ts-check
// Reads request bodies, within the limits of size, time and memory.
import { failure, within } from "./ask.js";

/** Largest body that is read, in bytes: the core's own limit. A larger one is refused with 413. */
export const MAX_BODY = 4 * 1024 * 1024;
/** Milliseconds in which a body has to arrive. A slower one is refused with 408. */
export const MAX_BODY_MS = 30_000;
/**
 * Most bytes of bodies that requests hold at one time, until they are answered; a body beyond that is refused with 503. The
 * core and the handler have copies of each, and an isolate has 128 MB.
 */
export const MAX_BODIES = 16 * 1024 * 1024;
/** Length of a body that always finds room, in bytes, so that large bodies keep no ordinary request out. */
export const SMALL_BODY = 16 * 1024;
/** Maximum time for which a body counts, in milliseconds. A platform may stop a request without running `release`. */
export const MAX_HELD_MS = 5 * 60 * 1000;

/** The bodies that requests hold. */
export class Bodies {
  /** The bodies in memory, oldest first. */
  #held = new Set();
  #bytes = 0;

  /** Reads the body of a request. `Content-Length` decides nothing: it may be missing, and what arrives is counted. */
  async read(context) {
    const reader = context.request.body?.getReader();
    if (reader === undefined) return new Uint8Array(0);
    try {
      return await within(MAX_BODY_MS, "the body", () => this.#collect(reader, context));
    } finally {
      // The rest is for the server to drain or to cut off: cancelled, the connection could end before the refusal is sent.
      reader.releaseLock();
    }
  }

  /** The request was answered. */
  release(context) {
    if (context.held !== undefined) this.#free(context.held);
  }

  async #collect(reader, context) {
    // The buffer doubles, so that many small pieces take no more memory than few large ones.
    let [bytes, length] = [new Uint8Array(SMALL_BODY), 0];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bytes.subarray(0, length);
      const needed = length + value.byteLength;
      if (needed > MAX_BODY) throw failure("TooLargeError", `the body is larger than ${MAX_BODY} bytes`);
      if (needed > bytes.length) {
        const larger = Math.min(MAX_BODY, Math.max(bytes.length * 2, needed));
        this.#hold(context, larger);
        const before = bytes;
        bytes = new Uint8Array(larger);
        bytes.set(before);
      }
      bytes.set(value, length);
      length = needed;
    }
  }

  #hold(context, bytes) {
    if (this.#bytes + bytes > MAX_BODIES) this.#expire();
    context.held ??= { bytes: 0, since: Date.now() };
    const more = bytes - context.held.bytes;
    if (this.#bytes + more > MAX_BODIES) throw failure("CrowdedError", "too many large requests at one time");
    this.#held.add(context.held);
    context.held.bytes = bytes;
    this.#bytes += more;
  }

  #free(held) {
    if (this.#held.delete(held)) this.#bytes -= held.bytes;
    held.bytes = 0;
  }

  #expire() {
    for (const held of this.#held) {
      if (Date.now() - held.since < MAX_HELD_MS) return;
      this.#free(held);
    }
  }
}
