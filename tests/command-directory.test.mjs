// `check --directory`: the tools that a vendor's directory would refuse, and the rules that answer it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installCommand } from "./support/command.mjs";

const LONG = `find_${"a".repeat(60)}`;
const inputSchema = { type: "object" };
const LISTS = {
  tools: [
    {
      name: "list_issues",
      title: "List issues",
      annotations: { readOnlyHint: true },
      description: "Lists.",
      inputSchema,
    },
    {
      name: "drop",
      description: "Drops.",
      annotations: { title: "Drop", readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      inputSchema,
    },
    { name: "add note", title: " ", annotations: { readOnlyHint: false, destructiveHint: null }, inputSchema },
    { name: LONG, title: "Find", description: "Finds.", annotations: { destructiveHint: false }, inputSchema },
    { name: "internal", inputSchema },
  ],
};
const CONFIG = {
  toolNames: "original",
  rules: [{ match: "name:internal", hide: true }],
  policies: [{ name: "notes", show: '-name:"add note" or claim.role:writer' }],
};
const HINT = "<true or false>";

let command;
before(async () => {
  command = await installCommand();
  command.write("lists.json", JSON.stringify(LISTS));
  command.write("sieve.jsonc", JSON.stringify(CONFIG));
});
after(() => command?.remove());

const check = (config, ...args) => command.run(["check", config, "--catalog", "lists.json", ...args]);
/** What the directory refuses, and the status. */
async function refused(config, vendor, ...args) {
  const { status, stdout } = await check(config, "--directory", vendor, "--json", ...args);
  const { findings, directory } = JSON.parse(stdout);
  const found = findings.filter(({ code }) => code === "directory");
  assert.equal(directory.refused, found.length);
  return { status, directory, found: found.map(({ code, ...finding }) => finding) };
}

test("each refused tool comes with what it lacks and a rule, as Sieve lists it", async () => {
  const anthropic = await refused("sieve.jsonc", "anthropic");
  assert.equal(anthropic.status, 1);
  assert.deepEqual([anthropic.directory.name, anthropic.directory.tools], ["anthropic", 4]);
  assert.match(anthropic.directory.source, /^https:\/\/claude\.com\//);
  assert.match(anthropic.directory.read, /^\d{4}-\d{2}-\d{2}$/);
  assert.deepEqual(anthropic.found, [
    {
      place: "tool `add note`",
      message: "the directory of anthropic refuses it: no `title`, neither `readOnlyHint: true` nor `destructiveHint`",
      rule: { match: 'name="add note"', title: "<title>", annotations: { readOnlyHint: HINT, destructiveHint: HINT } },
    },
    {
      place: `tool \`${LONG}\``,
      message: "the directory of anthropic refuses it: a name of more than 64 characters",
      rule: { match: `name:${LONG}`, name: "<shorter name>" },
    },
  ]);
  const openai = await refused("sieve.jsonc", "openai");
  assert.deepEqual(
    openai.found.map(({ rule }) => rule),
    [
      { match: "name:list_issues", annotations: { destructiveHint: HINT, openWorldHint: HINT } },
      {
        match: 'name="add note"',
        annotations: { destructiveHint: HINT, openWorldHint: HINT },
        description: "<description>",
      },
      { match: `name:${LONG}`, annotations: { readOnlyHint: HINT, openWorldHint: HINT } },
    ],
  );
});

test("a rule that is written removes the finding, and a placeholder is refused", async () => {
  for (const vendor of ["anthropic", "openai"]) {
    const { found } = await refused("sieve.jsonc", vendor);
    const rules = found.map(({ rule }) => rule);
    const answered = JSON.parse(
      JSON.stringify(rules).replaceAll(`"${HINT}"`, "false").replace("<shorter name>", "find"),
    );
    command.write("answered.jsonc", JSON.stringify({ ...CONFIG, rules: [...CONFIG.rules, ...answered] }));
    const { found: left, directory } = await refused("answered.jsonc", vendor);
    assert.deepEqual([left, directory.tools], [[], 4]);
    command.write("pasted.jsonc", JSON.stringify({ ...CONFIG, rules }));
    const { status, stderr } = await check("pasted.jsonc", "--directory", vendor);
    assert.deepEqual([status, /^pasted\.jsonc:1:\d+: /.test(stderr)], [2, true]);
  }
});

test("with callers, the tools that they see are judged, and servers are told apart", async () => {
  const { directory, found } = await refused("sieve.jsonc", "anthropic", "--as", "{}");
  assert.deepEqual([directory.tools, found.map(({ place }) => place)], [3, [`tool \`${LONG}\``]]);
  const both = await refused("sieve.jsonc", "anthropic", "--as", "{}", "--as", '{"role":"writer"}');
  assert.equal(both.directory.tools, 4);
  const upstreams = ["mail", "wiki"].map((name) => ({ name, url: `https://${name}.example/mcp` }));
  command.write("two.jsonc", JSON.stringify({ upstreams }));
  command.write("wiki.json", JSON.stringify({ tools: [{ name: "search", inputSchema }] }));
  const { stdout } = await command.run([
    "check",
    "two.jsonc",
    ...["--catalog", "mail=lists.json", "--catalog", "wiki=wiki.json", "--directory", "anthropic", "--json"],
  ]);
  const { rule } = JSON.parse(stdout).findings.find(({ place }) => place === "tool `search`");
  assert.equal(rule.match, "server:wiki name:search");
});

test("words name the rule and where the directory's rules are published", async () => {
  const { status, stdout } = await check("sieve.jsonc", "--directory", "anthropic");
  assert.equal(status, 1);
  const lines = stdout.split("\n");
  const at = lines.indexOf(
    `tool \`${LONG}\`: the directory of anthropic refuses it: a name of more than 64 characters [directory]`,
  );
  assert.equal(lines[at + 1], `  rule: {"match":"name:${LONG}","name":"<shorter name>"}`);
  assert.match(
    stdout,
    /^the directory of anthropic would refuse 2 of 4 tools, by its rules as read on [\d-]+: https:\/\/claude\.com\/\S+$/m,
  );
});

test("an unknown directory, no lists and `--against` are refused", async () => {
  const refusal = async (...args) => {
    const { status, stderr } = await command.run(["check", "sieve.jsonc", ...args]);
    assert.equal(status, 2);
    return stderr;
  };
  assert.match(await refusal("--directory", "none"), /^--directory: expected `anthropic` or `openai`, got `none`/);
  assert.match(await refusal("--directory", "openai"), /^--directory: expected the tools to judge: --live/);
  assert.match(
    await refusal("--directory", "openai", "--against", "sieve.jsonc", "--catalog", "lists.json"),
    /^--directory: --against compares what roles see, expected one of the two/,
  );
});
