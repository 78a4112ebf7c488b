// The escapes of the command's output: no character acts on a terminal, and names that look the same are told apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { json, printable } from "../pkg/cli/lib/print.js";

/** Controls, and each kind of character without a shape: joiners, marks of direction, selectors, fillers and tags. */
const MARKS = [
  ...[0x00, 0x1b, 0x7f, 0x80, 0x9f, 0xad, 0x34f, 0x600, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d],
  ...[0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2064, 0x2066, 0x206f, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0x110bd, 0x13430, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe01ef],
].map((code) => String.fromCodePoint(code));

test("characters that are not shown are escaped", () => {
  for (const mark of MARKS) assert.equal(printable(`send${mark}`), `send\\u{${mark.codePointAt(0).toString(16)}}`);
});

test("JSON has the same characters escaped, and keeps its value", () => {
  const value = { [`send${MARKS.join("")}`]: MARKS };
  const line = json(value);
  assert.equal(printable(line), line);
  assert.deepEqual(JSON.parse(line), value);
});

test("text stays as it is", () => {
  const text = ' ~\u00a0\u2010\u202f\u2070\ufffc\ufffd café 日本語 Ελλάδα עברית 🎉 \\u{1b} `"';
  assert.equal(printable(text), text);
  assert.equal(json(text), JSON.stringify(text));
});
