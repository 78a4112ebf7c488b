// `init` with a configuration that exists: what is missing is added to its text, and nothing else changes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseConfig } from "../pkg/cli/lib/input.js";
import { installCommand } from "./support/command.mjs";
import { startRawServer } from "./support/raw-server.mjs";

const SERVER = new URL("support/stdio-server.mjs", import.meta.url).pathname;
const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
const toolsNamed = (...names) => ({ tools: names.map((name) => tool(name)) });
const ISSUES = ["list_issues", "get_issue", "create_issue", "list_labels", "create_label", "ping"];
let command;

before(async () => {
  command = await installCommand();
});
after(() => command?.remove());

const at = (name) => join(command.folder, name);
const read = (name) => readFileSync(at(name), "utf8");
const run = (...args) => command.run(args);

/** Whether a text is another one with additions: without a part of it, the rest is the same, byte for byte. */
function isWithin(before, after) {
  let from = 0;
  for (const character of before) {
    from = after.indexOf(character, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

test("a local server of a file is started, and its groups are added once", async () => {
  const text = `// Mine.
{
  "log": true, // kept
  "upstreams": [
    { "name": "local", "command": ["node", ${JSON.stringify(SERVER)}], "env": { "KEY": "\${LOCAL_KEY}" } },
    { "name": "down", "url": "http://127.0.0.1:9/mcp" }
  ],
  /* "groups": [] */
  "groups": [
    { "name": "own" }, // ] mine
  ],
  "rules": [{ "match": "name:e*", "groups": ["own"] } // last
  ]
}
`;
  command.write("local.jsonc", text);
  command.write(".env", "LOCAL_KEY=x\n");
  const first = await run("init", "local.jsonc", "--env-file", ".env", "--save", "lists");
  assert.equal(first.status, 1, first.stderr);
  assert.match(first.stderr, /^local\.jsonc: added \d+ groups?, \d+ tags?, \d+ rules?$/m);
  assert.match(first.stderr, /^down \(http:\/\/127\.0\.0\.1:9\/mcp\): nothing answers there/m);
  assert.match(first.stderr, /^one server was not listed: no suggestions are made for missing primitives$/m);
  const once = read("local.jsonc");
  assert.ok(isWithin(text, once), once);
  const { groups, rules } = parseConfig(once);
  assert.deepEqual(groups[0], { name: "own" });
  assert.ok(groups.some(({ name }) => name === "local"));
  assert.deepEqual(rules[0], parseConfig(text).rules[0]);
  assert.ok(rules.some(({ match }) => match === "server:local"));
  for (const lines of text.split("\n")) assert.ok(once.includes(lines.replace(/ } \/\/ last$/, " }")), lines);

  const again = await run("init", "local.jsonc", "--env-file", ".env");
  assert.match(again.stderr, /^local\.jsonc: nothing is added: /m);
  assert.equal(read("local.jsonc"), once);

  // What was saved is what --catalog reads.
  const saved = await run("check", "local.jsonc", "--catalog", "local=lists/local.json");
  assert.match(saved.stdout, /^0 findings in /m, saved.stdout);
  command.write("fresh.jsonc", text);
  await run("init", "fresh.jsonc", "--catalog", "local=lists/local.json");
  const withoutTitle = (config) => config.groups.map(({ title, ...group }) => group);
  assert.deepEqual(withoutTitle(parseConfig(read("fresh.jsonc"))), withoutTitle(parseConfig(once)));
});

/** Files and the texts that they begin and end with after additions, or contain. */
const FORMS = [
  ["{}", /^\{\n {2}"groups": \[\n {4}\{ "name": "issues"/, "strict"],
  ['{"log":true}\n', /^\{"log":true,\n {2}"groups": \[\n/, "strict"],
  ['{ "groups": [], "rules": [] }', /^\{ "groups": \[\n/, "strict"],
  [
    '{\n\t"groups": [\n\t\t{ "name": "labels" }\n\t]\n}',
    /\n\t\t\{ "name": "labels" \},\n\t\t\{ "name": "issues"/,
    "strict",
  ],
  ['{\r\n  "groups": [\r\n  ], // c\r\n}\r\n', /"groups": \[\r\n {4}\{ "name": "issues", .*\},\r\n/],
  [
    '{\n  "groups": [{ "name": "labels" }, /* x */],\n}',
    /\{ "name": "labels" \}, \/\* x \*\/\n {4}\{ "name": "issues"/,
  ],
  ["\u{feff}{\n  // nothing yet\n}\n", /^\u{feff}\{\n {2}\/\/ nothing yet\n {2}"groups": \[\n/u],
];

test("every form of file keeps its own: indentation, ends of lines, commas and plain JSON", async () => {
  command.write("issues.json", JSON.stringify(toolsNamed(...ISSUES)));
  for (const [text, pattern, form] of FORMS) {
    writeFileSync(at("form.jsonc"), text);
    const made = await run("init", "form.jsonc", "--catalog", "issues.json");
    assert.equal(made.status, 0, `${text}: ${made.stderr}`);
    const changed = read("form.jsonc");
    assert.match(changed, pattern);
    assert.ok(isWithin(text, changed), changed);
    if (form === "strict") assert.doesNotThrow(() => JSON.parse(changed), changed);
    const { stdout } = await run("check", "form.jsonc", "--catalog", "issues.json");
    assert.doesNotMatch(stdout.replace(/.*`labels`.*\n/, ""), /\[\w+\]$/m);
    await run("init", "form.jsonc", "--catalog", "issues.json");
    assert.equal(read("form.jsonc"), changed);
  }
});

test("groups, tags and rules of the file win over suggestions of the same name", async () => {
  const forge = await startRawServer({ lists: toolsNamed(...ISSUES) });
  try {
    const own = {
      upstream: { url: forge.url },
      groups: [{ name: "issues", description: "Mine." }],
      rules: [{ match: "name:ping", tags: ["reads"] }],
    };
    const text = `${JSON.stringify(own, undefined, 2)}\n`;
    command.write("mine.json", text);
    const { mtimeMs } = statSync(at("mine.json"));
    const other = await run("init", "mine.json", "-o", "other.json");
    assert.equal(other.status, 0, other.stderr);
    const { upstream, groups, tags, rules } = JSON.parse(read("other.json"));
    assert.deepEqual(upstream, own.upstream);
    assert.deepEqual(groups, [...own.groups, { name: "labels", description: "Tools about labels." }]);
    assert.equal(tags, undefined);
    assert.deepEqual(rules, [...own.rules, { match: "kind:tool name:*_label*", groups: ["labels"] }]);
    assert.deepEqual([read("mine.json"), statSync(at("mine.json")).mtimeMs], [text, mtimeMs]);
    const refused = await run("init", "mine.json", "-o", "other.json");
    assert.deepEqual([refused.status, refused.stderr.slice(0, 26)], [2, "other.json exists already:"]);
    const printed = await run("init", "mine.json", "-o", "-", "--json");
    assert.equal(printed.status, 0);
  } finally {
    forge.stop();
  }
});

test("findings that the file has already are no reason to leave a suggestion out, and are not repeated", async () => {
  command.write("issues.json", JSON.stringify(toolsNamed(...ISSUES)));
  command.write("odd.jsonc", '{ "rules": [{ "match": "name:nothing_*", "groups": ["nothing"] }] }');
  const made = await run("init", "odd.jsonc", "--catalog", "issues.json");
  assert.equal(made.status, 0, made.stderr);
  assert.doesNotMatch(made.stderr, /finding/);
  assert.deepEqual(
    parseConfig(read("odd.jsonc")).groups.map(({ name }) => name),
    ["issues", "labels"],
  );
});

test("a folder for the lists that cannot be made is an error, and nothing is written", async () => {
  command.write("issues.json", JSON.stringify(toolsNamed(...ISSUES)));
  const forge = await startRawServer({ lists: toolsNamed(...ISSUES) });
  mkdirSync(at("taken"));
  writeFileSync(at("taken/file"), "");
  try {
    const { status, stderr } = await run("init", forge.url, "-o", "x.jsonc", "--save", "taken/file/lists");
    assert.equal(status, 2);
    assert.match(stderr, /^taken\/file\/lists: the folder cannot be made: /);
  } finally {
    forge.stop();
  }
});
