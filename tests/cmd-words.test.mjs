// Words for cmd.exe. The rules of both readers are written down here: cmd.exe, which expands variables and splits commands outside
// of quotes, and the C runtime of the program, which splits words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cmdWord } from "../pkg/cli/stdio/cmd-words.js";

/** What cmd.exe makes of a line that is typed: variables between percent signs, where there is one of the name. */
function expanded(line, variables) {
  let [out, at] = ["", 0];
  while (at < line.length) {
    const end = line.indexOf("%", at + 1);
    const name = line[at] === "%" && end > at + 1 ? line.slice(at + 1, end) : undefined;
    const known = name === undefined ? undefined : name.startsWith("cd:~,") ? "" : variables[name];
    if (known === undefined) out += line[at++];
    else [out, at] = [out + known, end + 1];
  }
  return out;
}

/** Whether cmd.exe finds a sign outside of quotes that begins another command or opens a file. */
function isSplit(line) {
  let inside = false;
  for (const sign of line) {
    if (sign === '"') inside = !inside;
    else if (!inside && "&|<>^\n".includes(sign)) return true;
  }
  return inside;
}

/** The words that the C runtime makes of a line. */
function wordsOf(line) {
  const words = [];
  let [word, inside] = [undefined, false];
  for (let at = 0; at < line.length; at += 1) {
    const slashes = /^\\*/.exec(line.slice(at))[0].length;
    if (slashes > 0 && line[at + slashes] === '"') {
      word = (word ?? "") + "\\".repeat(slashes / 2);
      at += slashes;
      if (slashes % 2 === 1) {
        word += '"';
        continue;
      }
    }
    if (line[at] === '"') {
      word ??= "";
      if (inside && line[at + 1] === '"') {
        word += '"';
        at += 1;
      } else inside = !inside;
    } else if (line[at] === " " && !inside) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + line[at];
  }
  return word === undefined ? words : [...words, word];
}

const ROWS = [
  ["npx", "npx"],
  ["-y", "-y"],
  ["C:\\a\\b", "C:\\a\\b"],
  ["@scope/pkg", "@scope/pkg"],
  ["", '""'],
  ["a b", '"a b"'],
  ["a&calc", '"a&calc"'],
  ['"', '""""'],
  ['{"a":"b"}', '"{""a"":""b""}"'],
  ['" & calc & "', '""" & calc & """'],
  ["C:\\a b\\", '"C:\\a b\\\\"'],
  ['a\\"b', '"a\\\\""b"'],
  ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
  ["100%", '"100%%cd:~,%"'],
];

test("a word is quoted for cmd.exe", () => {
  for (const [word, expected] of ROWS) assert.equal(cmdWord(word), expected);
});

test("the program gets each word unchanged, and cmd.exe runs nothing else", () => {
  const more = [
    '%SECRET%" & calc & "%SECRET%',
    "%%SECRET%%",
    "%SECRET:~0,3%",
    "%cd%",
    "a^b",
    "a|b",
    "a>b",
    "(x)",
    "a;b,c=d",
    "!x!",
    '\\\\"',
    "\\\\\\",
    'x\\\\" y',
    "ü ñ",
    "'a'",
    '""',
    '"""&"',
    "^%SECRET^%",
  ];
  const words = [...ROWS.map(([word]) => word), ...more];
  for (const each of [...words.map((word) => [word]), words]) {
    const line = ["run", ...each].map(cmdWord).join(" ");
    const read = expanded(line, { SECRET: "of the user", PATH: "C:\\bin", "SECRET:~0,3": "of ", cd: "C:\\" });
    // A batch file hands the words on as they are, and cmd.exe reads them again.
    assert.ok(!isSplit(line) && !isSplit(read), line);
    assert.deepEqual(wordsOf(read).slice(1), each, line);
  }
});
