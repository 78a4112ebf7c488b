// @ts-check
/**
 * A body that is read in pieces. Each is read into the buffer of the one before, which the module has copied.
 * @typedef {{ reader: ReadableStreamBYOBReader, buffer: ArrayBuffer }} Body
 */

/**
 * Opens a body that is read in pieces of at most `length` bytes.
 * @type {(stream: ReadableStream<Uint8Array>, length: number) => Body}
 */
export function open(stream, length) {
  return { reader: stream.getReader({ mode: "byob" }), buffer: new ArrayBuffer(length) };
}

/**
 * Returns the next piece of a body; nothing at its end.
 * @type {(body: Body) => Promise<Uint8Array | undefined>}
 */
export async function next(body) {
  const { done, value } = await body.reader.read(new Uint8Array(body.buffer));
  if (done) return undefined;
  body.buffer = value.buffer;
  return value;
}

/**
 * Ends a body of which no more is wanted, so that the runtime lets its sender read the answer.
 * @type {(body: Body) => void}
 */
export function cancel({ reader }) {
  reader.cancel().catch(() => {});
}
