// Searches through the packed package: the rows of rank.json, rankers, positions and scores.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { searches } from "./support/package-corpus.mjs";
import { installTarball } from "./support/tarball.mjs";

const consumer = await installTarball();
after(() => consumer.remove());
const { Sieve } = await consumer.load();

describe("searches: rank.json", () => {
  const { lists, rows } = searches;
  for (const row of rows) {
    test(row.name, () => {
      const found = Sieve.compile(row.lists ?? lists, { rules: row.rules ?? [] }).search(row.query, {
        limit: Math.max(1, row.first.length),
      });
      assert.deepEqual(
        found.map(({ name }) => name),
        row.first,
      );
    });
  }
});

test("a search takes the order of a ranker, and shows it no other names than those of the filter", () => {
  const { lists } = searches;
  const hidden = lists.tools[0].name;
  const sieve = Sieve.compile(lists, { policies: [{ name: "one less", show: { not: { name: hidden } } }] });
  const filter = { namePatterns: ["*_*"] };
  const asked = [];
  const ranker = (query, names) => {
    asked.push({ query, names });
    return Float64Array.from(names, (name) => (name === "rotate_secret" ? 1 : NaN));
  };
  const found = sieve.search("list the issues", { filter, ranker, limit: 3 });
  assert.deepEqual(asked, [{ query: "list the issues", names: sieve.names({ filter }) }]);
  assert.ok(!asked[0].names.includes(hidden));
  // First in one of two orders: half of the maximum score.
  assert.deepEqual([found[0].name, found[0].score], ["list_issues", 500]);
  assert.ok(
    found.some(({ name, score }) => name === "rotate_secret" && score === 500),
    JSON.stringify(found),
  );
  assert.deepEqual(sieve.search("list the issues", { ranker: null }), sieve.search("list the issues"));

  // A ranker may use the sieve, even so often that the cached filter is evicted.
  const busy = (_, names) => {
    for (let at = 0; at < 300; at += 1) sieve.count({ filter: { namePatterns: [`${at}*`] } });
    return names.map(() => 0);
  };
  const [first] = sieve.search("list the issues", { filter, ranker: busy });
  assert.deepEqual(first.name, "list_issues");

  const refused = (ranker, message) =>
    assert.throws(() => sieve.search("a", { filter, ranker }), { name: "SieveError", code: "ranker", message });
  const count = sieve.count({ filter });
  refused("model", "expected a function from a query and names to scores, got string");
  refused(
    async () => [],
    "expected scores, got a promise: wait for the model before the search, and return its scores",
  );
  refused(() => [1, 2], `expected an array of ${count} scores, one for each name`);
  refused(() => ({ length: count }), `expected an array of ${count} scores, one for each name`);
});

test("a search returns positions, names and falling scores of visible matches", () => {
  const { lists } = searches;
  const hidden = lists.tools[0].name;
  const sieve = Sieve.compile(lists, { policies: [{ name: "one less", show: { not: { name: hidden } } }] });
  const order = sieve.names();
  const all = sieve.search("list the issues of a repository", { limit: Infinity });
  assert.ok(all.length > 2 && !all.some(({ name }) => name === hidden), JSON.stringify(all));
  for (const [at, { index, name, score }] of all.entries()) {
    assert.equal(order[index], name);
    assert.ok(Number.isInteger(score) && score >= 0 && score <= (all[at - 1]?.score ?? 1000), `${name}: ${score}`);
  }
  for (const limit of [0, 1, 2])
    assert.deepEqual(sieve.search("list the issues of a repository", { limit }), all.slice(0, limit));
  // A filter with these words selects the same primitives, in the catalog's order.
  const query = "list the issues of a repository";
  const byPlace = all.map(({ index }) => index).sort((a, b) => a - b);
  assert.deepEqual([...sieve.select({ filter: { query } }).indices], byPlace);
  for (const filter of [{ tags: ["mail"] }, '{"tags":["mail"]}', sieve.filter({ tags: ["mail"] })]) {
    const mails = sieve.search("send a message", { filter, limit: 3 });
    assert.ok(
      mails.length > 0 && mails.every(({ name }) => sieve.names({ filter: { tags: ["mail"] } }).includes(name)),
      JSON.stringify(mails),
    );
  }
  assert.deepEqual(sieve.search("list", { kind: "prompts" }), []);
  assert.deepEqual(sieve.search(""), []);
  assert.deepEqual(sieve.search("list", null), sieve.search("list", { filter: null, kind: undefined, limit: 10 }));
  const resources = Sieve.compile({
    resources: [{ uri: "file:///weather.csv", name: "Measurements" }],
    prompts: [{ name: "weather" }],
  });
  assert.deepEqual(
    resources.search("weather", { kind: "resources" }).map(({ name }) => name),
    ["file:///weather.csv"],
  );
});

test("any text is a search", () => {
  const sieve = Sieve.compile(searches.lists);
  for (const text of [
    "\0",
    "\ud800",
    "😀".repeat(5_000),
    "x".repeat(1e6),
    "'\"\\ --;",
    "天气 погода طقس",
    "a ".repeat(5_000),
  ]) {
    assert.ok(sieve.search(text, { limit: 3 }).length <= 3);
  }
  assert.equal(sieve.search("weather")[0].name, "getWeatherForecast", "the next one is answered");
});
