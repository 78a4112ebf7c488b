// @ts-check
// Server-sent events: the data of each event of a stream, whatever its line breaks and however it arrives in pieces.

/**
 * Yields the text of a body as it arrives.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* decoded(body) {
  const decoder = new TextDecoder();
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
}

/**
 * Yields the `data` of each complete event that has some. An event with only an id begins a stream.
 * @param {AsyncIterable<string>} texts the text of the stream in pieces
 * @param {{ id?: string, retry?: number }} [place] gets the id of the last event, and the milliseconds until the stream may be resumed
 */
export async function* events(texts, place = {}) {
  // The pieces of a line that has not ended. Joining them at each piece would take quadratic time.
  let unfinished = [];
  let data = [];
  let returned = false;
  for await (const piece of texts) {
    // A piece may begin with the second half of a line break.
    const text = returned && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") returned = piece.endsWith("\r");
    unfinished.push(text);
    if (!/[\r\n]/.test(text)) continue;
    const lines = unfinished.join("").split(/\r\n|\n|\r/);
    unfinished = [lines.pop()];
    for (const line of lines) {
      const [, name, value] = /^(data|id|retry): ?(.*)$/.exec(line) ?? [];
      if (name === "data") data.push(value);
      if (name === "id") place.id = value;
      if (name === "retry" && /^\d+$/.test(value)) place.retry = Number(value);
      if (line !== "") continue;
      const event = data.join("\n");
      if (event !== "") yield event;
      data = [];
    }
  }
}
