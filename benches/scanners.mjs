// Compares the scanners with other tools that find personal data, in one run: redact-pii in JavaScript, and the pattern
// recognizers of presidio in Python, without a language model. Prints a section and writes it to RESULTS.md.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Middleware } from "../pkg/loaders/middleware-node.js";
import { median } from "./measure.mjs";

const require = createRequire(import.meta.url);
const { Text } = require("../build/bench-scanners/bench_scanners.js");
const ROUNDS = 5;
const [SMALL, LARGE] = [1 << 16, 1 << 20];
const WARM_MS = 200;
/** Length of a hostile text, in bytes: as much as the slowest contender can process. */
const HOSTILE = 1 << 12;

const ORDINARY =
  "The quarterly report is ready for review, and we moved the release to next week. Please see the attached summary before the meeting on Monday; this function returns a list of 12 items, newest first. It was a bright cold day in April, and the clocks were striking thirteen. All tests passed on Linux and Windows.\n";
/** Texts whose repetition takes one contender or another the longest. */
const PIECES = [
  "11 ",
  "1 ",
  "0012 ",
  "12345678 ",
  "12345678901 ",
  "GB82 WEST 1234 ",
  "AB 12 ",
  "1;1234567,1234567\n",
  "01632 960 123 or ",
  "ssn 12345678 ",
  "1 Main ",
  "1 Aa Aa Aa Aa ",
  "1:",
  "a:",
  "::",
  "Aa ",
  "Mr. ",
  "John ",
  "[a1]",
  "[SSN_1]",
  "@",
  "a@",
  "a@b.c ",
  "Dear ",
  "a",
  "1-",
  "http://",
  "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 ",
  "+1 ",
  "1.1.1.",
  "0 0",
  "12 112",
  "1:AA",
  "GB82 ",
  "x12is ",
  "1passwort ",
  "Aa ssn 12 123456789, ",
  "ssn? it's 12345678 ",
  "phone.\nuser: 0123 4567 ",
  "  phone 5551234",
  "<b>Phone</b>1234567 ",
  "Rua Aa, 1 - ",
  "Aa 1/2, 110 00 ",
  "1051 Aa, Aa ",
  "me llamo ",
  "my name is anna ",
  "contact: tom ",
  "token:",
  "password=",
  'password="',
  "sk-ant-",
  "AKIAABCDEFGHIJKLMN01.",
  "eyJ",
  "-----BEGIN ",
  "Bearer ",
];
const sized = (piece, bytes) => piece.repeat(Math.ceil(bytes / piece.length));
const version = (name) => {
  const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  return devDependencies[name];
};

/** Returns the milliseconds that a call takes. */
async function time(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Starts a process that answers each text with the seconds that it took. */
function presidio() {
  const python = new URL("../.tools/presidio/bin/python", import.meta.url).pathname;
  if (!existsSync(python)) return undefined;
  const child = spawn(python, [new URL("presidio_patterns.py", import.meta.url).pathname], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const ask = async (text) => {
    child.stdin.write(`${JSON.stringify(text)}\n`);
    return (await next()) * 1000;
  };
  return { ready: next, ask, end: () => child.stdin.end() };
}

const middleware = new Middleware();
const peer = presidio();
const about = await peer?.ready();
let redactor;
try {
  redactor = new (require("redact-pii").SyncRedactor)();
} catch {}

/** Returns the contenders for a text. Each returns the milliseconds that it took. */
function contenders(text) {
  const ours = new Text(text);
  const lanes = {
    find: () => time(() => ours.find()),
    redact: () => time(() => ours.redact()),
    package: () => time(() => middleware.invoke("pii_redaction", [{ type: "text", text }])),
  };
  if (redactor) lanes["redact-pii"] = () => time(() => redactor.redact(text));
  if (peer) lanes.presidio = () => peer.ask(text);
  return { lanes, free: () => ours.free() };
}

/** Returns the median of each contender, measured in turn. */
async function race(text, rounds = ROUNDS) {
  const { lanes, free } = contenders(text);
  const samples = Object.fromEntries(Object.keys(lanes).map((name) => [name, []]));
  // Warms up each contender, at least once, so that the JavaScript engine has compiled its code.
  for (const run of Object.values(lanes)) for (let spent = 0; spent < WARM_MS; spent += Math.max(0.01, await run()));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(lanes)) samples[name].push(await run());
  }
  free();
  return Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, median(times)]));
}

/** Returns the shortest time of several calls, because a pause of the machine is not the scanner's. */
function least(run, times = 7) {
  return Math.min(
    ...Array.from({ length: times }, () => {
      const start = performance.now();
      run();
      return performance.now() - start;
    }),
  );
}

const rate = (bytes, ms) =>
  ms === undefined
    ? "–"
    : bytes / ms / 1000 >= 10
      ? (bytes / ms / 1000).toFixed(0)
      : (bytes / ms / 1000).toPrecision(2);
const ratio = (theirs, ours) =>
  theirs === undefined ? "–" : `${(theirs / ours).toPrecision(2).replace(/e\+(\d+)/, (_, zeros) => `e${zeros}`)}×`;
const ms = (value) => (value === undefined ? "–" : value < 10 ? value.toFixed(2) : value.toFixed(0));

const dense = Text.dense(SMALL).text();
const speeds = [];
for (const [name, text] of [
  ["ordinary", sized(ORDINARY, SMALL)],
  ["dense", dense],
]) {
  const bytes = Buffer.byteLength(text);
  const times = await race(text);
  const cells = ["find", "redact", "package", "redact-pii", "presidio"].map((lane) => rate(bytes, times[lane]));
  speeds.push(
    `| ${name} | ${cells.join(" | ")} | ${ratio(times["redact-pii"], times.package)} | ${ratio(times.presidio, times.package)} |`,
  );
}
const alone = [
  ["ordinary", new Text(sized(ORDINARY, LARGE))],
  ["dense", Text.dense(LARGE)],
].map(([name, text]) => {
  const bytes = Buffer.byteLength(text.text());
  return `| ${name} | ${["find", "redact", "secrets"]
    .map((what) =>
      rate(
        bytes,
        least(() => text[what](), 15),
      ),
    )
    .join(" | ")} |`;
});

const hostile = [];
for (const piece of PIECES) {
  const text = sized(piece, HOSTILE);
  const times = await race(text, 3);
  const [one, four] = [new Text(sized(piece, LARGE)), new Text(sized(piece, 4 * LARGE))];
  const own = ["find", "secrets"].map((what) => {
    const [small, large] = [least(() => one[what]()), least(() => four[what](), 5)];
    return { small, growth: large / small };
  });
  one.free();
  four.free();
  hostile.push({ piece, times, own });
}
const worst = (of) => Math.max(...hostile.flatMap(({ own }) => own).map(of));
hostile.sort(
  (left, right) => Math.max(...right.own.map(({ small }) => small)) - Math.max(...left.own.map(({ small }) => small)),
);
const rows = hostile.map(
  ({ piece, times, own: [pii, secrets] }) =>
    `| \`${piece.replaceAll("|", "\\|").replaceAll("\n", "\\n")}\` | ${ms(pii.small)} (${pii.growth.toFixed(1)}×) | ${ms(secrets.small)} (${secrets.growth.toFixed(1)}×) | ${[times.find, times["redact-pii"], times.presidio].map(ms).join(" | ")} | ${ratio(times["redact-pii"], times.find)} | ${ratio(times.presidio, times.find)} |`,
);
peer?.end();

const missing = [
  redactor ? [] : ["redact-pii is not installed here (`npm ci --prefix benches`): it was left out."],
  peer ? [] : ["presidio-analyzer is not installed here (`scripts/setup-presidio`): it was left out."],
].flat();
const section = `## Scanners

MB/s, contenders in turn on the same 64 KB; medians of ${ROUNDS}. *Package* is \`invoke("pii_redaction")\` of the npm package, from an
object to an object; \`find\` and \`redact\` are the same scanner in WebAssembly on a text that is in its memory.
redact-pii ${version("redact-pii")}; presidio-analyzer ${about?.version ?? "–"}, its ${about?.recognizers ?? "–"} pattern recognizers for English without a model.${missing.length ? `\n${missing.join(" ")}` : ""}

| text | ours, find | ours, redact | ours, package | redact-pii | presidio | redact-pii ÷ package | presidio ÷ package |
|---|---|---|---|---|---|---|---|
${speeds.join("\n")}

MB/s of ours alone on 1 MB, the best of 15; the aims are 400 and 150.

| text | find | redact | secrets |
|---|---|---|---|
${alone.join("\n")}

Hostile texts, one piece again and again: milliseconds of ours for 1 MB, how many times as long for 4 MB, and of all
for 4 KB. The aims are 20 ms and 4.5×; the worst here took ${ms(worst(({ small }) => small))} ms, and of those above 5 ms (what is faster is
scatter and the caches) the worst grew ${worst(({ small, growth }) => (small < 5 ? 0 : growth)).toFixed(1)}×.

| piece | personal data, 1 MB | secrets, 1 MB | ours, 4 KB | redact-pii | presidio | redact-pii ÷ ours | presidio ÷ ours |
|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
console.log(section);
const results = new URL("RESULTS.md", import.meta.url);
if (existsSync(results)) {
  const text = readFileSync(results, "utf8").replace(/\n## Scanners\n[^]*?(?=\n## |$)/, "");
  const [before, edge] = text.split("\n## At the edge\n");
  writeFileSync(results, `${before.trimEnd()}\n\n${section}${edge === undefined ? "" : `\n## At the edge\n${edge}`}`);
}
