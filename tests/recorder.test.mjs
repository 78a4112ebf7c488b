// Everything that servers of other projects answer is recorded directly and through the gateway. The recordings differ where
// docs/pass-through.md says so, and nowhere else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { NAMED, nameOf } from "./recorder/named.mjs";
import { startRecorder } from "./recorder/record.mjs";
import { SERVERS } from "./recorder/servers.mjs";
import { eachOf } from "./support/each.mjs";

/** Maximum length of a difference in the message of a failure. */
const SHOWN_CHARS = 300;
/** Number of servers that are recorded at a time. Each has six clients, and a process of its own for each if it is local. */
const AT_A_TIME = 2;
/** The servers to record, where `RECORD` names some. */
const names = Object.keys(SERVERS).filter((name) => !process.env.RECORD || name === process.env.RECORD);

const found = {};
let recorder;
before(async () => {
  recorder = await startRecorder(names);
  const record = async (name) => (found[name] = await recorder.differencesOf(name).catch((error) => error));
  await eachOf(names, record, AT_A_TIME);
});
after(() => recorder?.stop());

for (const name of names)
  test(`${name} answers the same through the gateway`, () => {
    if (found[name] instanceof Error) throw found[name];
    const unexplained = found[name].filter((difference) => nameOf(difference) === undefined);
    assert.deepEqual(
      unexplained.map((difference) => difference.slice(0, SHOWN_CHARS)),
      [],
    );
  });

test("each named difference occurs", { skip: process.env.RECORD && "not all servers are recorded" }, () => {
  const occurred = new Set(Object.values(found).flat().map(nameOf));
  assert.deepEqual(
    Object.keys(NAMED).filter((name) => !occurred.has(name)),
    [],
  );
});

test("the page has a row for each named difference", () => {
  const page = readFileSync(new URL("../docs/pass-through.md", import.meta.url), "utf8");
  const section = page.split(/^## /m).find((text) => text.startsWith("Differences from a direct connection"));
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| \S/gm)].map(([, name]) => name);
  assert.deepEqual(rows.sort(), Object.keys(NAMED).sort());
});
