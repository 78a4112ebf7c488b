// @ts-check
// Server-sent events: the data of each event of a response, whatever its line breaks.

/** @param {ReadableStream<any>} body */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let data = [];
  try {
    for (let done = false; !done; ) {
      const chunk = await reader.read();
      done = chunk.done;
      // Some servers end the last event with the stream.
      rest += done ? "\n\n" : chunk.value;
      if (!done && !/[\r\n]/.test(chunk.value)) continue;
      // A `\r` at the end may be the first half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = String(lines.pop());
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(5).trim());
        if (line !== "") continue;
        const event = data.join("\n");
        if (event) yield event;
        data = [];
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
