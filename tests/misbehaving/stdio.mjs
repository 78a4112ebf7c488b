// An MCP server over stdio that misbehaves in one form: `node stdio.mjs FORM`. It ends with its input.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOf } from "./core.mjs";
import { STDIO_FORMS } from "./forms/stdio.mjs";

const form = STDIO_FORMS.find(({ name }) => name === process.argv[2]);
if (form === undefined) throw new Error(`no form is called ${process.argv[2]}`);
const on = form.on ?? {};
const state = {};
const write = async (pieces) => {
  for (const piece of [pieces].flat()) {
    if (piece.wait) await sleep(piece.wait);
    else if (piece.exit !== undefined) process.exit(piece.exit);
    else process.stdout.write(piece);
  }
};

/** The answers so far. Each is written whole before the next. */
let written = Promise.resolve();

if (form.stderr) process.stderr.write(form.stderr);
await write(form.start ?? []);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    const { method = "answer" } = message;
    const answer = message.id === undefined || message.method === undefined ? undefined : answerOf(form, message);
    const deviation = on[method] ?? (answer === undefined ? undefined : on["*"]);
    const pieces =
      deviation?.({ message, answer, state }) ?? (answer === undefined ? [] : `${JSON.stringify(answer)}\n`);
    written = written.then(() => write(pieces));
  })
  // A server that an answer keeps busy ends as well.
  .on("close", () => process.exit(0));
