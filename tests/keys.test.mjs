// A change of keys, in workerd: what the old one sealed is good for as long as it is named.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

const places = { before: "the old key", during: '["the new key", "the old key"]', behind: "the new key", empty: '["the new key", ""]', none: "[]" };

let workers;
before(async () => {
  workers = await startWorkers(Object.entries(places).map(([name, key]) => ({ name, key, config: { pageSize: 2 }, assets: "none" })));
});
after(() => workers?.stop());

async function page(name, cursor) {
  const [{ message }] = await ask(`${workers.urls[name]}/mcp`, "tools/list", cursor === undefined ? {} : { cursor });
  return message.error?.data.reason ?? message.result;
}

test("a cursor survives a change of keys for as long as the old one is named", async () => {
  const old = (await page("before")).nextCursor;
  assert.equal((await page("during", old)).tools.length, 2);
  assert.equal(await page("behind", old), "invalid_cursor");
  const fresh = (await page("during")).nextCursor;
  assert.equal((await page("behind", fresh)).tools.length, 2);
  assert.equal(await page("before", fresh), "invalid_cursor");
});

test("keys that nobody could open anything with are refused, and every request is told", async () => {
  for (const name of ["empty", "none"]) assert.equal(await page(name), "config");
});
