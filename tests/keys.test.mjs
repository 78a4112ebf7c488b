// A change of keys, in workerd: values sealed with the old key stay valid while the configuration names it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

const [old, fresh] = ["the old key of the tests", "the new key of the tests"];
const places = {
  before: old,
  during: `\n${JSON.stringify([fresh, old])}`,
  behind: fresh,
  // Programs that write secrets to files end them with a line end.
  line: `${old}\n`,
  blank: " ".repeat(20),
  empty: JSON.stringify([fresh, ""]),
  none: "[]",
  short: "fifteen bytes..",
  both: JSON.stringify([fresh, "fifteen bytes.."]),
};

let workers;
before(async () => {
  workers = await startWorkers(
    Object.entries(places).map(([name, key]) => ({ name, key, config: { pageSize: 2 }, assets: "none" })),
  );
});
after(() => workers?.stop());

async function page(name, cursor) {
  const [{ message }] = await ask(`${workers.urls[name]}/mcp`, "tools/list", cursor === undefined ? {} : { cursor });
  return message.error?.data.reason ?? message.result;
}

test("a cursor survives a change of keys for as long as the old one is named", async () => {
  const before = (await page("before")).nextCursor;
  assert.equal((await page("during", before)).tools.length, 2);
  assert.equal(await page("behind", before), "invalid_cursor");
  const after = (await page("during")).nextCursor;
  assert.equal((await page("behind", after)).tools.length, 2);
  assert.equal(await page("before", after), "invalid_cursor");
});

test("a line end behind a key does not belong to it", async () => {
  assert.equal((await page("during", (await page("line")).nextCursor)).tools.length, 2);
});

test("keys that anyone could guess, and none at all, are refused with every request", async () => {
  for (const name of ["empty", "none", "short", "both", "blank"]) {
    assert.equal(await page(name), "config");
    const [{ message }] = await ask(`${workers.urls[name]}/mcp`, "tools/list");
    assert.equal(
      message.error.message,
      "SIEVE_KEY: expected a secret of at least 16 bytes, or a JSON array of 1 to 8 of them",
    );
  }
});
