// Assertions of the proposals' rows about the package: with the printed blocks if this machine has them, and with
// Sieve's own.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { installTarball } from "./support/tarball.mjs";

const SEEDS = new URL("../../shared/seeds/", import.meta.url);
let consumer;
let api;

before(async () => {
  consumer = await installTarball();
  api = await consumer.load();
});
after(() => consumer?.remove());

/** Returns JSON with sorted keys and no white space, as rows hash it. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
};
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Returns the row of this name and its JSON blocks: Sieve's own, and the printed one if it is available. */
function blocks(t, name) {
  const document = name.slice(0, 3);
  const rows = JSON.parse(readFileSync(new URL(`fixtures/proposals/${document}.json`, import.meta.url), "utf8"));
  const row = rows.find((row) => row.name === name);
  assert.ok(row, `no row is called ${name}`);
  if (!existsSync(SEEDS)) {
    t.diagnostic("skipped: the printed texts of the proposals are not at ../shared/seeds");
    return [row.own];
  }
  const file = readdirSync(SEEDS).find((file) => file.startsWith(document));
  const text = readFileSync(new URL(file, SEEDS), "utf8");
  const fenced = [...text.matchAll(/```json\n([^]*?)```/g)].map(([, json]) => JSON.parse(json));
  const printed = fenced.find((block) => sha256(canonical(block)) === row.sha256);
  assert.ok(printed, `${name}: the printed block is there`);
  return [row.own, printed];
}

test("the capability of a client is the printed one", (t) => {
  const [own, printed] = blocks(t, "002 client capability");
  for (const block of [own, printed].filter(Boolean)) {
    const { list } = block.capabilities.tasks;
    const declared = api.TaskRegistry.capability(list.filter.methods).list;
    if (block === printed) {
      assert.deepEqual(declared, list);
      assert.deepEqual(api.TaskRegistry.capability().list, list, "it is the default");
    } else assert.deepEqual(declared.filter.methods, list.filter.methods);
  }
});
