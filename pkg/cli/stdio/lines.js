// @ts-check
// A stream of text as lines.

/** Maximum length of a line, in characters: a message may be as long as the largest answer that the gateway reads. */
export const MAX_LINE = 16 * 1024 * 1024;

/**
 * Calls `line` for each line of a stream, and `tooLong` once if a line is longer than `MAX_LINE`; what follows is not read.
 * @param {import("node:stream").Readable} stream
 * @param {{ line: (text: string) => void, tooLong: () => void }} to
 */
export function eachLine(stream, { line, tooLong }) {
  /** @type {string[]} */
  let parts = [];
  let length = 0;
  stream.setEncoding("utf8").on("data", (chunk) => {
    if (length > MAX_LINE) return;
    const [first, ...rest] = chunk.split("\n");
    parts.push(first);
    length += first.length;
    for (const next of rest) {
      const whole = parts.join("");
      [parts, length] = [[next], next.length];
      if (whole.trim() !== "") line(whole);
    }
    if (length > MAX_LINE) tooLong();
  });
}
