// A person's preferences in the storage of a real browser: stored, full, forbidden; and in Node, which has no storage.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Preferences, Sieve } from "../pkg/loaders/node.js";
import { POLICY, launch, overheard, startSite } from "./support/site.mjs";

const SCRIPT = `import { Preferences, Sieve } from "/mcp-sieve/loaders/web.js";
const tool = (name) => ({ name, inputSchema: { type: "object" } });
globalThis.sieve = Sieve.compile({ tools: ["read", "write", "wipe"].map(tool) }, { concerns: [{ name: "cost", values: ["low", "high"] }] }, { tags: {} });
globalThis.open = (user, options) => new Preferences("https://mcp.example.com/mcp", { user, ...options });
await sieve.ready("picker");
globalThis.ready = true;`;
const pages = {
  "/": '<!doctype html><title>A host</title><link rel="icon" href="data:,"><script type="module" src="/host.js"></script>',
  "/host.js": SCRIPT,
};
const folders = { "/mcp-sieve/": fileURLToPath(new URL("../pkg/", import.meta.url)) };

let site, walled, browser;
before(async () => {
  site = await startSite({ folders, pages });
  // A page of an opaque origin, as in a sandboxed frame, in which storage is forbidden.
  walled = await startSite({ folders, pages, policy: `${POLICY}; sandbox allow-scripts`.replaceAll("'self'", "*") });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.stop();
  walled?.stop();
});

async function visit({ url }, look) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const mishaps = overheard(page, url);
  try {
    await page.goto(url);
    await page.waitForFunction(() => globalThis.ready);
    await look(page);
    assert.deepEqual(mishaps, []);
  } finally {
    await context.close();
  }
}

// C-20: a host stores the concerns of each user and applies them by itself.
test("favorites, names that are off and concerns outlive the page, for each user", async () => {
  await visit(site, async (page) => {
    const saved = await page.evaluate(() => {
      const picker = sieve.picker();
      picker.setDisabled("wipe");
      picker.setFavorite("read");
      picker.setConcern("cost", "low");
      picker.mark("gone tomorrow", "not");
      return open("alice").save(picker);
    });
    assert.equal(saved, true);
    await page.reload();
    await page.waitForFunction(() => globalThis.ready);
    const found = await page.evaluate(() => {
      const picker = sieve.picker();
      const applied = open("alice").apply(picker);
      const {
        filter,
        summary: { favorites, undo },
      } = picker;
      return {
        applied,
        filter,
        favorites,
        undo,
        other: open("bob").filter(sieve),
        mine: open("alice").filter(sieve, { tags: ["x"] }),
        keys: Object.keys(localStorage),
      };
    });
    const where = "-(kind:tool name=wipe)";
    assert.deepEqual(found, {
      applied: true,
      filter: { concerns: { cost: "low" }, where },
      favorites: [["tools", "read"]],
      undo: 0,
      other: {},
      mine: { concerns: { cost: "low" }, tags: ["x"], where },
      keys: ["mcp-sieve:alice:https%3A%2F%2Fmcp.example.com%2Fmcp"],
    });
  });
});

test("own tags outlive the page too, for each user", async () => {
  await visit(site, async (page) => {
    const saved = await page.evaluate(() => {
      const picker = sieve.picker();
      picker.setDisabled("wipe");
      return [
        open("alice").tag("read", ["favorites", "daily"]),
        open("alice").save(picker),
        open("alice").untag("read", "daily"),
      ];
    });
    assert.deepEqual(saved, [true, true, true]);
    await page.reload();
    await page.waitForFunction(() => globalThis.ready);
    const found = await page.evaluate(() => {
      const tagged = sieve.tagged(open("alice").tags);
      const filter = open("alice").filter(tagged, { tags: ["user:favorites"] });
      return { tags: open("alice").tags, other: open("bob").tags, filter, names: tagged.names({ filter }) };
    });
    assert.deepEqual(found, {
      tags: { favorites: { tools: ["read"] } },
      other: {},
      filter: { tags: ["user:favorites"], where: "-(kind:tool name=wipe)" },
      names: ["read"],
    });
  });
});

test("an exported choice can be imported elsewhere, and deleted", async () => {
  await visit(site, async (page) => {
    const found = await page.evaluate(() => {
      const picker = sieve.picker();
      picker.setDisabled("wipe");
      open("alice").save(picker);
      const text = open("alice").export();
      const other = sieve.picker();
      const imported = open("bob").import(text, other);
      let code;
      try {
        open("bob").import('{"version":9}', other);
      } catch (error) {
        code = error.code;
      }
      return {
        imported,
        names: sieve.names({ filter: other.filter }),
        code,
        kept: open("bob").export() === text,
        forgotten: open("bob").forget(),
        left: open("bob").export(),
      };
    });
    assert.deepEqual(found, {
      imported: true,
      names: ["read", "write"],
      code: "preferences",
      kept: true,
      forgotten: true,
      left: undefined,
    });
  });
});

test("a storage that is full costs what would be kept, and nothing else", async () => {
  await visit(site, async (page) => {
    const found = await page.evaluate(() => {
      const full = "x".repeat(1 << 19);
      try {
        for (let at = 0; ; at += 1) localStorage.setItem(`filler ${at}`, full);
      } catch {
        /* no space for another of this size */
      }
      try {
        for (let at = 0; ; at += 1) localStorage.setItem(`crumb ${at}`, "x".repeat(50));
      } catch {
        /* no space at all */
      }
      const picker = sieve.picker();
      picker.setDisabled("wipe");
      const preferences = open("alice");
      const saved = preferences.save(picker);
      const { problem } = preferences;
      localStorage.removeItem("filler 0");
      return {
        saved,
        problem,
        filter: picker.filter.where,
        again: preferences.save(picker),
        afterwards: preferences.problem,
      };
    });
    assert.deepEqual(found, {
      saved: false,
      problem: "full",
      filter: "-(kind:tool name=wipe)",
      again: true,
      afterwards: undefined,
    });
  });
});

test("a storage that is forbidden is none", async () => {
  await visit(walled, async (page) => {
    const found = await page.evaluate(() => {
      const picker = sieve.picker();
      picker.setDisabled("wipe");
      const preferences = open("alice");
      return [
        preferences.apply(picker),
        preferences.save(picker),
        preferences.problem,
        preferences.export(),
        preferences.forget(),
        sieve.names({ filter: preferences.filter(sieve) }).length,
      ];
    });
    assert.deepEqual(found, [false, false, "forbidden", undefined, false, 3]);
  });
});

/** Returns a storage, and what is in it. */
function inMemory() {
  const kept = new Map();
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  return { kept, storage };
}

test("what a later version kept is left alone, and what is damaged is written anew", () => {
  const { kept, storage } = inMemory();
  const sieve = Sieve.compile({
    tools: [
      { name: "read", inputSchema: {} },
      { name: "wipe", inputSchema: {} },
    ],
  });
  for (const [text, problem, saved] of [
    ['{"version":2,"off":["wipe"]}', "preferences", false],
    ["{", "json", true],
  ]) {
    const preferences = new Preferences("server", { storage });
    storage.setItem(preferences.key, text);
    const picker = sieve.picker();
    assert.deepEqual([preferences.apply(picker), preferences.problem], [false, problem]);
    picker.setDisabled("wipe");
    assert.equal(preferences.save(picker), saved);
    assert.equal(kept.get(preferences.key) === text, !saved);
    // Once they are deleted, nothing is in the way.
    assert.deepEqual([preferences.forget(), preferences.problem], [true, undefined]);
    assert.equal(preferences.save(picker), true);
    assert.match(kept.get(preferences.key), /wipe/);
  }
});

test("more names than can be kept are refused, and nothing that is stored is lost", () => {
  const { storage } = inMemory();
  const names = Array.from({ length: 1_001 }, (_, at) => `tool_${at}`);
  const sieve = Sieve.compile({ tools: names.map((name) => ({ name, inputSchema: {} })) });
  const opened = () => new Preferences("server", { storage });
  const [one, other, here, there] = [opened(), opened(), sieve.picker(), sieve.picker()];
  for (const [preferences, picker] of [
    [one, here],
    [other, there],
  ])
    preferences.apply(picker);
  for (const name of names.slice(0, 200)) here.setDisabled(name);
  for (const name of names.slice(200, 400)) there.setDisabled(name);
  assert.equal(one.save(here), true);
  const stored = one.export();
  assert.deepEqual([other.save(there), other.problem, one.export()], [false, "filter_limit", stored]);
  for (const name of names.slice(255, 400)) there.setDisabled(name, false);
  assert.deepEqual([other.save(there), other.problem], [true, undefined]);
  assert.equal(JSON.parse(one.export()).disabled.tools.length, 255);

  for (const name of names.slice(1)) here.setFavorite(name);
  assert.throws(() => here.setFavorite(names[0]), { code: "filter_limit", path: "favorites" });
  assert.equal(one.save(here), true);
  const again = sieve.picker();
  assert.equal(opened().apply(again), true);

  // The favorites of two tabs together.
  for (const name of names) there.setFavorite(`other ${name}`, there.summary.favorites.length < 600);
  assert.deepEqual([other.save(there), other.problem], [false, "filter_limit"]);

  // What an earlier version stored, and what this one cannot use.
  const off = { tools: names.slice(0, 400) };
  storage.setItem(one.key, JSON.stringify({ version: 1, disabled: off }));
  const last = opened();
  assert.deepEqual([last.apply(again), last.problem], [false, "expression"]);
  again.setFavorite(names[5], false);
  assert.deepEqual([last.save(again), JSON.parse(last.export()).disabled], [false, off]);
});

test("tabs keep each other's changes", () => {
  const { storage } = inMemory();
  const tools = ["a", "b", "c"].map((name) => ({ name, inputSchema: {} }));
  const sieve = Sieve.compile({ tools }, { concerns: [{ name: "cost", values: ["low", "high"] }] });
  const preferences = new Preferences("server", { storage });
  const open = () => {
    const picker = sieve.picker();
    preferences.apply(picker);
    return picker;
  };
  const change = (picker, edit) => {
    edit(picker);
    assert.equal(preferences.save(picker), true);
    const { version, ...stored } = JSON.parse(preferences.export());
    return stored;
  };
  const [one, other] = [open(), open()];
  const nothing = { disabled: {}, concerns: {} };
  assert.deepEqual(
    change(one, (picker) => picker.setFavorite("b")),
    { ...nothing, favorites: { tools: ["b"] } },
  );
  assert.deepEqual(
    change(other, (picker) => picker.setFavorite("a")),
    { ...nothing, favorites: { tools: ["a", "b"] } },
  );
  preferences.tag("a", "mine");
  change(one, (picker) => picker.setConcern("cost", "low"));
  change(one, (picker) => picker.setDisabled("c"));
  change(other, (picker) => picker.setLimit({ count: 2 }));
  const all = {
    disabled: { tools: ["c"] },
    favorites: { tools: ["b"] },
    concerns: { cost: "low" },
    limit: { count: 2 },
    tags: { mine: { tools: ["a"] } },
  };
  assert.deepEqual(
    change(other, (picker) => picker.setFavorite("a", false)),
    all,
  );
  // What a tab opened later removes is removed, whatever the first ones still show.
  const later = open();
  change(later, (picker) => picker.setConcern("cost", null));
  change(later, (picker) => picker.setDisabled("c", false));
  change(later, (picker) => picker.setLimit({}));
  const { limit: _, ...left } = { ...all, ...nothing };
  assert.deepEqual(
    change(one, (picker) => picker.setFavorite("b", false)),
    { ...left, favorites: {} },
  );
  // The others no longer show what one has removed.
  change(other, (picker) => picker.setConcern("cost", "high"));
  change(other, (picker) => picker.setLimit({ count: 3 }));
  preferences.apply(one);
  assert.deepEqual(one.filter, { limit: { count: 3 }, concerns: { cost: "high" } });
  change(other, (picker) => picker.setConcern("cost", null));
  change(other, (picker) => picker.setLimit({}));
  assert.equal(preferences.apply(one), true);
  assert.deepEqual([one.filter, preferences.apply(one)], [{}, false]);
});

test("without a browser there is no storage, unless one is given", () => {
  const sieve = Sieve.compile({ tools: [{ name: "read", inputSchema: {} }] });
  const preferences = new Preferences("server");
  if (globalThis.localStorage === undefined)
    assert.deepEqual([preferences.save(sieve.picker()), preferences.problem], [false, "forbidden"]);
  assert.throws(() => new Preferences(), { name: "SieveError", code: "invalid_name" });
});
