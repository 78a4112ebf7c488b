// @ts-check
/** Maximum length of a piece, in bytes. The runtime's default readers return 4,096 at most, and each piece costs a turn. */
const PIECE = 65_536;

/**
 * Opens a body that is read in pieces.
 * @type {(stream: ReadableStream<Uint8Array>) => ReadableStreamBYOBReader}
 */
export function open(stream) {
  return stream.getReader({ mode: "byob" });
}

/**
 * Returns the next piece of a body; nothing at its end.
 * @type {(reader: ReadableStreamBYOBReader) => Promise<Uint8Array | undefined>}
 */
export async function next(reader) {
  const { done, value } = await reader.read(new Uint8Array(PIECE));
  return done ? undefined : value;
}

/**
 * Ends a body of which no more is wanted, so that the runtime lets its sender read the answer.
 * @type {(reader: ReadableStreamBYOBReader) => void}
 */
export function cancel(reader) {
  reader.cancel().catch(() => {});
}
