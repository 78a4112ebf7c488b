// Text that a hostile server sends for people to read, and the characters in it that must be escaped.

/** Control characters, line separators, bidirectional marks, and characters by which two names look the same. */
const MARKS = [
  ...Array.from({ length: 0x20 }, (_, at) => at),
  0x7f,
  ...Array.from({ length: 0x20 }, (_, at) => 0x80 + at),
  0x061c,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0x00ad,
  0x200b,
  0x200d,
  0x3164,
  0xfe0f,
  0xfeff,
  0xe0041,
].map((code) => String.fromCodePoint(code));

/** A sequence that clears a terminal, a line that imitates the command, and each mark once. */
export const HOSTILE = `a\u001b[2J\u001b]0;owned\u0007\nsieve: all clear\n${MARKS.join("")}`;
/** Text that must stay unchanged. */
export const READABLE = "café 日本語 Ελλάδα עברית 🎉";

/** Returns the marks in a text, as hexadecimal code points, except for line feeds. */
export const marksIn = (text) =>
  MARKS.filter((mark) => mark !== "\n" && text.includes(mark)).map((mark) => mark.codePointAt(0).toString(16));

/** Returns the lines that imitate the command or the Worker. */
export const imitationsIn = (text) => text.split("\n").filter((line) => line.startsWith("sieve: all clear"));
