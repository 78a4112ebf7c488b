// @ts-check
// The messages of an event stream.

/**
 * Yields the data of each event of a response that has some. An event with an id alone begins a stream.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* events(body) {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of body) {
    const blocks = (pending + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    pending = String(blocks.pop());
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
