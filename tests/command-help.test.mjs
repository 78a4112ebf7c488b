// Help, the version, and suggestions for mistyped names, run as a user runs them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { installCommand } from "./support/command.mjs";

const NAMES = [
  "init",
  "import",
  "dev",
  "run",
  "stdio",
  "login",
  "logout",
  "connections",
  "check",
  "explain",
  "verify",
  "tokens",
  "snapshot",
  "access",
  "deploy",
];
let command;

before(async () => {
  command = await installCommand();
});
after(() => command?.remove());

const sieve = (...args) => command.run(args);
const module = (name) => import(pathToFileURL(join(command.package, "cli/lib", name)));

test("the version", async () => {
  const { version } = JSON.parse(readFileSync(join(command.package, "package.json"), "utf8"));
  for (const args of [["--version"], ["-V"], ["version"]])
    assert.deepEqual(await sieve(...args), { status: 0, stdout: `mcp-sieve ${version}\n`, stderr: "" });
});

test("the overview has one line for each command", async () => {
  const help = await sieve("--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  const listed = [...help.stdout.matchAll(/^ {2}(\w+) +\w.*\.$/gm)].map(([, name]) => name);
  assert.deepEqual(listed, NAMES);
  for (const args of [["-h"], ["help"]]) assert.deepEqual(await sieve(...args), help);
  assert.deepEqual(await sieve(), { ...help, status: 2 });
});

test("the help of a command has its usage, a line for each option, and an example", async () => {
  for (const name of NAMES) {
    const help = await sieve(name, "--help");
    assert.deepEqual([help.status, help.stderr], [0, ""], name);
    assert.match(help.stdout, new RegExp(`^Usage: npx mcp-sieve ${name}\\b.*\\[options\\]\\n\\n`));
    const [, options] = /\nOptions:\n([^]*?)\n\nExamples?:\n {2}npx mcp-sieve /.exec(help.stdout);
    for (const line of options.split("\n")) assert.match(line, /^ {2}(-\w, | {4})--[\w-]+( \S.*?)? {2,}\S.*\.$/, name);
    for (const line of help.stdout.split("\n")) assert.ok(line.length <= 132, line);
    for (const args of [
      [name, "-h"],
      ["help", name],
      [name, "--nonsense", "--help"],
    ])
      assert.deepEqual(await sieve(...args), help, args.join(" "));
  }
});

test("a command accepts the options that its help names, and no others", async () => {
  const [{ usages }, { parse }] = [await module("commands.js"), await module("options.js")];
  const declared = await usages();
  const all = new Set(declared.flatMap(([, { options }]) => Object.keys(options)));
  assert.ok(all.size > 10);
  for (const [name, usage] of declared) {
    const { stdout } = await sieve(name, "--help");
    const named = [...stdout.matchAll(/^ +(?:-\w, )?--([\w-]+)( \S.*?)? {2}/gm)].filter(
      ([, option]) => option !== "help",
    );
    const takes = new Map(named.map(([, option, value]) => [option, value !== undefined]));
    for (const option of all) {
      const accepts = (...args) =>
        parse(name, args, usage).then(
          (values) => Object.hasOwn(values, option),
          () => false,
        );
      assert.equal(await accepts(`--${option}=x`), takes.get(option) === true, `${name} --${option}=x`);
      assert.equal(await accepts(`--${option}`), takes.get(option) === false, `${name} --${option}`);
    }
  }
});

test("a mistyped name is reported with the name that was probably meant", async () => {
  const rows = [
    [["chekc"], "unknown command `chekc` (did you mean `check`?); `npx mcp-sieve --help` lists the commands"],
    [["help", "chek"], "unknown command `chek` (did you mean `check`?); `npx mcp-sieve --help` lists the commands"],
    [["frobnicate"], "unknown command `frobnicate`; `npx mcp-sieve --help` lists the commands"],
    [
      ["https://a.example/mcp"],
      "expected a command, got an address: `npx mcp-sieve init https://a.example/mcp` looks at the server there",
    ],
    [
      ["--upstream", "https://a.example/mcp"],
      "expected a command before `--upstream`, such as `npx mcp-sieve init --upstream`; `npx mcp-sieve --help` lists the commands",
    ],
    [
      ["init", "--upsteam", "https://a.example/mcp"],
      "unknown option `--upsteam` of `init` (did you mean `--upstream`?); `npx mcp-sieve init --help` lists its options",
    ],
    [
      ["check", "--filtre=x"],
      "unknown option `--filtre` of `check` (did you mean `--filter`?); `npx mcp-sieve check --help` lists its options",
    ],
    [
      ["check", "--frobnicate"],
      "unknown option `--frobnicate` of `check`; `npx mcp-sieve check --help` lists its options",
    ],
    [
      ["init", "--port", "1"],
      "`--port` is an option of `dev`, `run` and `login`, not of `init`; `npx mcp-sieve init --help` lists its options",
    ],
    [
      ["dev", "--tokens", "x"],
      "`--tokens` is an option of `snapshot`, not of `dev`; `npx mcp-sieve dev --help` lists its options",
    ],
    [
      ["dev", "-o", "x"],
      "`-o` is an option of `init`, `import`, `tokens`, `snapshot`, `access` and `deploy`, not of `dev`; `npx mcp-sieve dev --help` lists its options",
    ],
    [["check", "--filter"], "--filter: expected a value: `--filter FILTER`"],
    [
      ["check", "--filter", "--json"],
      "--filter: expected a value, got the option `--json`; write `--filter=--json` if the value begins with `-`",
    ],
    [["check", "--json=yes"], "--json: expected no value, got `yes`"],
    [
      ["check", "a.jsonc", "b.jsonc"],
      "`check` expects one CONFIG, got `a.jsonc` and `b.jsonc`; `npx mcp-sieve check --help` lists its options",
    ],
    [
      ["check", "a.jsonc", "Bearer", "s3cret"],
      "`check` expects one CONFIG, got `a.jsonc` and `Bearer` and 1 more; `npx mcp-sieve check --help` lists its options",
    ],
    [
      ["--header=X: s3cret"],
      "expected a command before `--header`, such as `npx mcp-sieve init --header`; `npx mcp-sieve --help` lists the commands",
    ],
  ];
  for (const [args, message] of rows)
    assert.deepEqual(await sieve(...args), { status: 2, stdout: "", stderr: `${message}\n` }, args.join(" "));
});

test("suggestions are those of the engine", async () => {
  const { nearest } = await module("suggest.js");
  const rows = [
    ["upsteam", "upstream"],
    ["jsno", "json"],
    ["cat", "catalog"],
    ["xyz", undefined],
    ["", undefined],
    ["UPSTREAM", "upstream"],
    ["😀😀", undefined],
    ["x".repeat(65), undefined],
  ];
  for (const [word, meant] of rows)
    assert.equal(nearest(word, ["upstream", "json", "catalog", "x".repeat(64)]), meant, word);
});

test("everything that the command prints says `npx mcp-sieve`: `sieve` is a package of others", async () => {
  const { bin } = JSON.parse(readFileSync(join(command.package, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(bin), ["mcp-sieve"]);
  const words = /(?<![-\w.])sieve [\w-]+/g;
  const folder = join(command.package, "cli");
  const texts = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".js"))
    .map((file) => [file, readFileSync(join(folder, file), "utf8").replaceAll(/^\s*(\/\/|\/\*|\*).*$/gm, "")]);
  for (const name of NAMES) texts.push([`${name} --help`, (await sieve(name, "--help")).stdout]);
  texts.push(["--help", (await sieve("--help")).stdout]);
  for (const [name, text] of texts) {
    assert.deepEqual(text.match(words), null, name);
    // A command is printed in a form that can be run.
    assert.deepEqual(text.match(new RegExp(`(?<!npx )mcp-sieve (${NAMES.join("|")})\\b`, "g")), null, name);
  }
  // The messages of the engine.
  const engine = readFileSync(join(command.package, "dist/command_bg.wasm"), "latin1");
  assert.deepEqual(engine.match(new RegExp(`(?<!npx mcp-)sieve (${NAMES.join("|")})\\b`, "g")), null);
});
