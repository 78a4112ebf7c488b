// `check --against`: what each role gains and loses between two configurations.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installCommand } from "./support/command.mjs";

const tool = (name, properties = {}) => ({
  name,
  description: `About ${name}.`,
  inputSchema: { type: "object", properties },
});
const LISTS = {
  tools: [
    tool("list_issues"),
    tool("delete_issue"),
    tool("create_issue", {
      title: {
        type: "string",
        description: "The title of the issue. A sentence that others understand without its text.",
        examples: ["The list is empty after a crash on start"],
      },
    }),
    tool("ping"),
  ],
  prompts: [{ name: "greet" }],
};
const OLD = {
  rules: [
    { match: "name:ping", hide: true },
    { match: "name:delete_*", tags: ["destructive"] },
  ],
  presets: [{ name: "reader", when: "claim.role:reader", filter: { namePatterns: ["list_*"] } }],
};
const NEW = {
  rules: [
    { match: "name:delete_*", tags: ["destructive"] },
    { match: "name:create_issue", name: "open_issue" },
  ],
  policies: [
    { name: "destroying", show: "-tag:destructive or claim.role:admin" },
    { name: "staff prompts", show: "claim.role:*", kinds: ["prompt"] },
  ],
  presets: [{ name: "reader", when: "claim.role:reader", filter: { namePatterns: ["list_*", "ping"] } }],
};

let command;
before(async () => {
  command = await installCommand();
  command.write("lists.json", JSON.stringify(LISTS));
  command.write("old.jsonc", `// before\n${JSON.stringify(OLD)}`);
  command.write("new.jsonc", JSON.stringify(NEW));
});
after(() => command?.remove());

const against = (...args) =>
  command.run(["check", "new.jsonc", "--against", "old.jsonc", "--catalog", "lists.json", ...args]);
/** The lines of each role, without sizes. */
const changes = (stdout) => stdout.split("\n").filter((line) => line.startsWith("  "));

test("everyone, each preset and each described caller are compared, with the reasons", async () => {
  const { status, stdout, stderr } = await against("--as", 'admin={"role":"admin"}');
  assert.deepEqual([status, stderr], [0, ""]);
  const heads = stdout
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .map((line) => line.replace(/:.*/, ""));
  assert.deepEqual(heads, ["everyone", "admin", "preset reader"]);
  assert.deepEqual(changes(stdout), [
    "  + tool ping: `rules[0]` hides it in old.jsonc",
    "  - tool delete_issue: the policy `destroying` (`policies[0]`) hides it in new.jsonc",
    "  - prompt greet: the policy `staff prompts` (`policies[1]`) hides it in new.jsonc",
    "  ~ tool open_issue: renamed from create_issue; `rules[1]`",
    "  + tool ping: `rules[0]` hides it in old.jsonc",
    "  ~ tool open_issue: renamed from create_issue; `rules[1]`",
    "  + tool ping: `rules[0]` hides it in old.jsonc",
  ]);
  assert.match(stdout, /^everyone: 3 tools, \d+ → \d+ tokens$/m);
  assert.match(stdout, /^preset reader: 1 → 2 tools, /m);
});

test("a pull request gets a table and a list for each role that changes", async () => {
  const { status, stdout } = await against("--markdown");
  const lines = stdout.split("\n");
  assert.deepEqual(
    [status, ...lines.slice(0, 2)],
    [0, "| role | tools | tokens | gains | loses | changes |", "|---|--:|--:|--:|--:|--:|"],
  );
  assert.match(lines[2], /^\| everyone \| 3 \| \d+ → \d+ \| 1 \| 2 \| 1 \|$/);
  assert.ok(lines.includes("- gains tool `ping`: `rules[0]` hides it in old.jsonc"));
  assert.ok(lines.includes("- changes tool `open_issue`: renamed from `create_issue`; `rules[1]`"));
});

test("a budget of definitions changes arguments and tokens", async () => {
  command.write("wordy.jsonc", "{}");
  command.write("short.jsonc", JSON.stringify({ definitions: { budget: 50 } }));
  const { status, stdout } = await command.run([
    "check",
    "short.jsonc",
    "--against",
    "wordy.jsonc",
    "--catalog",
    "lists.json",
    "--json",
  ]);
  const { roles } = JSON.parse(stdout);
  assert.equal(status, 0);
  assert.deepEqual(
    roles.map(({ role }) => role),
    ["everyone"],
  );
  const [{ before, after, gains, losses, changes }] = roles;
  assert.deepEqual([gains, losses, before.tools, after.tools], [[], [], 4, 4]);
  assert.ok(after.tokens < before.tokens);
  assert.equal(changes.length, 1);
  assert.equal(changes[0].name, "create_issue");
  assert.equal(changes[0].changes[0], "arguments ~title");
  assert.match(changes[0].changes[1], /^\d+ → \d+ tokens$/);
});

test("equal configurations change nothing, and a server that is new is named", async () => {
  const same = await command.run(["check", "new.jsonc", "--against", "new.jsonc", "--catalog", "lists.json"]);
  assert.deepEqual([same.status, changes(same.stdout)], [0, []]);
  assert.match(same.stdout, /^everyone: 3 tools, \d+ tokens; nothing changes$/m);
  const upstreams = ["mail", "wiki"].map((name) => ({ name, url: `https://${name}.example/mcp` }));
  command.write("one.jsonc", JSON.stringify({ upstreams: upstreams.slice(0, 1) }));
  command.write("two.jsonc", JSON.stringify({ upstreams }));
  command.write("wiki.json", JSON.stringify({ tools: [tool("search")] }));
  const lists = ["--catalog", "mail=lists.json", "--catalog", "wiki=wiki.json"];
  const { stdout } = await command.run(["check", "two.jsonc", "--against", "one.jsonc", ...lists]);
  assert.deepEqual(changes(stdout), ["  + tool search: the server `wiki` is not in one.jsonc"]);
});

test("options that do not fit are refused, and so is an invalid file", async () => {
  const refused = async (...args) => {
    const { status, stderr } = await against(...args);
    assert.equal(status, 2);
    return stderr;
  };
  assert.match(
    await refused("--lock", "l.json"),
    /^--lock: --against compares what roles see, expected one of the two/,
  );
  assert.match(await refused("--markdown", "--json"), /^--markdown: expected one of --markdown and --json/);
  const alone = await command.run(["check", "new.jsonc", "--markdown"]);
  assert.match(alone.stderr, /^--markdown: expected the file to compare with: --against old\.jsonc/);
  const without = await command.run(["check", "new.jsonc", "--against", "old.jsonc"]);
  assert.match(without.stderr, /^--against: expected the lists to compare: --live/);
  command.write("bad.jsonc", '{"rulez": []}');
  const bad = await command.run(["check", "new.jsonc", "--against", "bad.jsonc", "--catalog", "lists.json"]);
  assert.deepEqual([bad.status, /^bad\.jsonc:1:11: /.test(bad.stderr)], [2, true]);
});
