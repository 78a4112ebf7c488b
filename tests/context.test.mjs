// The simulation of benches/context: its arithmetic, the behaviour of its model, and its figures in the README.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ANSWER, ARGUMENTS, PROMPT, RESULT } from "../benches/context/assumptions.mjs";
import { Conversation } from "../benches/context/conversation.mjs";
import { MODES } from "../benches/context/modes.mjs";
import { connected } from "../benches/context/server.mjs";
import { tokensOf, tokensOfList } from "../benches/context/tokens.mjs";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("every turn pays for all that was sent before it", () => {
  const conversation = new Conversation({ shared: 1000, request: "Add two numbers" });
  conversation.call("add");
  conversation.end();
  const first = PROMPT + 1000 + tokensOf("Add two numbers");
  const call = ARGUMENTS + tokensOf({ name: "add", arguments: {} });
  const second = first + call + RESULT;
  assert.equal(conversation.turns, 2);
  assert.equal(conversation.tokens, first + call + second + ANSWER);
  const later = 0.1 * first + 1.25 * (call + RESULT) + 5 * ANSWER;
  assert.equal(conversation.cold, 1.25 * first + 5 * call + later);
  // With a warm cache, only the request is new.
  const request = first - PROMPT - 1000;
  const warm = 0.1 * (PROMPT + 1000) + 1.25 * request + 5 * call + later;
  assert.ok(Math.abs(conversation.warm - warm) < 1e-9, `${conversation.warm} ${warm}`);
});

test("a list of its own leaves a warm cache nothing", () => {
  const conversation = new Conversation({ own: 1000, request: "Add two numbers" });
  conversation.end();
  assert.equal(conversation.warm, conversation.cold);
});

const tool = (name, description, group) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
  groups: [group],
});
const TOOLS = [
  tool("paint_wall", "Paints a wall.", "house"),
  tool("paint_picture", "Paints a picture of a wall.", "art"),
  ...Array.from({ length: 40 }, (_, at) => tool(`other_${at}`, "Does another thing with numbers.", "numbers")),
];
const task = (query, name, group) => ({ steps: [{ query, wanted: [name], group }], groups: [group] });

test("a model that searches pays for each result that it tries", async () => {
  const server = connected(TOOLS);
  const first = await MODES.search(server, task("paint a wall", "paint_wall", "house"));
  assert.deepEqual([first.found, first.conversation.turns], [1, 4]);
  const second = await MODES.search(server, task("paint a wall", "paint_picture", "art"));
  assert.deepEqual([second.found, second.conversation.turns], [1, 6]);
  const chosen = await MODES["search, best case"](server, task("paint a wall", "paint_picture", "art"));
  assert.deepEqual([chosen.found, chosen.conversation.turns], [1, 4]);
  const narrowed = await MODES["filters and search"](server, task("paint a wall", "paint_picture", "art"));
  assert.deepEqual([narrowed.found, narrowed.conversation.turns], [1, 4]);
  const lost = await MODES.search(server, task("sing a song", "paint_picture", "art"));
  assert.deepEqual([lost.found, lost.conversation.turns], [0, 2]);
});

test("the other modes list, open groups and call", async () => {
  const server = connected(TOOLS);
  const asked = task("paint a wall", "paint_wall", "house");
  const flat = await MODES.flat(server, asked);
  assert.deepEqual([flat.found, flat.conversation.turns], [1, 2]);
  const filters = await MODES.filters(server, asked);
  const left = tokensOfList(TOOLS.slice(1));
  assert.equal(flat.conversation.tokens - filters.conversation.tokens, 2 * left);
  const groups = await MODES.groups(server, asked);
  assert.deepEqual([groups.found, groups.conversation.turns], [1, 5]);
  const outline = await MODES.outline(server, asked);
  assert.deepEqual([outline.found, outline.conversation.turns], [1, 3]);
});

test("a model pays for shortened definitions, and at worst for a refused call with the full one", async () => {
  const long = tool("paint_wall", `Paints a wall. ${"It takes a while, so be patient. ".repeat(40)}`, "house");
  const server = connected([long, ...TOOLS.slice(1)]);
  const asked = task("paint a wall", "paint_wall", "house");
  const flat = await MODES.flat(server, asked);
  const short = await MODES["definitions of 150"](server, asked);
  const worst = await MODES["definitions of 150, worst case"](server, asked);
  assert.deepEqual([short.conversation.turns, worst.conversation.turns], [2, 3]);
  assert.ok(short.conversation.tokens < flat.conversation.tokens);
  const [listed] = await server.shortened(150);
  const sent = { name: listed.name, description: listed.description, inputSchema: listed.inputSchema };
  assert.ok(tokensOf(sent) <= 150 && listed.description.startsWith("Paints a wall. It takes a while"));
  const other = await MODES["definitions of 150, worst case"](server, task("numbers", "other_1", "numbers"));
  assert.equal(other.conversation.turns, 2);
});

test("the README has the figures of the results", () => {
  const [, section] = /^## Context\n([^]*?)(?=^## |$(?![^]))/m.exec(read("benches/RESULTS.md"));
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split(" | "));
  const search = rows.filter(([, mode]) => mode === "search");
  assert.equal(search.length, 5);
  const change = (cell) => /\((.+)\)/.exec(cell)[1];
  const readme = read("README.md");
  for (const [label, place] of [
    ["no prompt cache", 3],
    ["tools in the prompt cache", 5],
  ])
    assert.ok(readme.includes(`| ${label} | ${search.map((row) => change(row[place])).join(" | ")} |`), label);
  for (const mode of ["outline", "definitions of 150"])
    for (const [label, place] of [
      ["no prompt cache", 3],
      ["tools in the prompt cache", 5],
    ]) {
      const cells = rows.filter((row) => row[1] === mode).map((row) => change(row[place]));
      assert.equal(cells.length, 5);
      assert.ok(readme.includes(`| ${mode}, ${label} | ${cells.join(" | ")} |`), `${mode}, ${label}`);
    }
  const found = search.map((row) => row.at(-1));
  assert.ok(readme.includes(`| steps that found their tool | ${found.join(" | ")} |`), found.join());
});
