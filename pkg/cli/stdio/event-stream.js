// @ts-check
// The messages of an event stream.

/**
 * Yields the data of each event of a response that has some. An event with an id alone begins a stream.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* events(body) {
  const decoder = new TextDecoder();
  // The pieces of an event that has not ended. Joining them at each piece would take quadratic time.
  let pending = [];
  for await (const chunk of body) {
    const piece = decoder.decode(chunk, { stream: true });
    const last = pending.at(-1) ?? "";
    pending.push(piece);
    // The end of an event may be spread over two pieces.
    if (!/\r?\n\r?\n/.test(last.slice(-3) + piece)) continue;
    const blocks = pending.join("").split(/\r?\n\r?\n/);
    pending = [String(blocks.pop())];
    for (const block of blocks) {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""))
        .join("\n");
      if (data !== "") yield data;
    }
  }
}
