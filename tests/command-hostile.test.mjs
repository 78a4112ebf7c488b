// Text of hostile servers in the command's output and files: no terminal sequence, and no line that imitates its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../pkg/cli/lib/input.js";
import { referred } from "../pkg/cli/lib/environment.js";
import "./support/home.mjs";
import { HOSTILE, READABLE, imitationsIn, marksIn } from "./support/hostile.mjs";
import { send } from "./support/raw-client.mjs";
import { startRawServer } from "./support/raw-server.mjs";
import { installTarball } from "./support/tarball.mjs";

const NAME = `${HOSTILE} ${READABLE}`;
const inputSchema = { type: "object" };
const META = { "dev.mcpsieve/groups": [NAME] };
const serverInfo = { name: NAME, title: NAME, version: NAME };
const LISTS = {
  tools: [
    { name: NAME, title: NAME, description: NAME, inputSchema, _meta: META },
    { name: `delete_${NAME}`, description: NAME, inputSchema },
    { name: `delete_${NAME}`, description: "left out: another has its name", inputSchema },
  ],
  resources: [
    { uri: `docs://${NAME}`, name: NAME },
    { uri: "docs://b", name: "b" },
    { uri: `x-${HOSTILE}://c`, name: "c" },
    { uri: "wiki://a", name: "a" },
  ],
  resourceTemplates: [{ uriTemplate: `docs://{${NAME}}`, name: NAME }],
  prompts: [{ name: NAME, description: NAME }],
};
let consumer;
let hostile;
let broken;

before(async () => {
  consumer = await installTarball();
  for (const name of ["workerd", "gpt-tokenizer"]) {
    const place = join(consumer.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    const from = name === "gpt-tokenizer" ? "tokenizer/node_modules/" : "node_modules/";
    symlinkSync(fileURLToPath(new URL(from + name, import.meta.url)), place);
  }
  hostile = await startRawServer({ lists: LISTS, serverInfo });
  broken = await startRawServer({ serverInfo, error: { code: -32000, message: `refused: ${NAME}` } });
  consumer.write("lists.json", JSON.stringify(LISTS));
  // Rules that cause findings which quote the server's text.
  const rules = [
    { match: `name:${JSON.stringify(READABLE)}`, hide: true },
    { match: "kind:tool", groups: [NAME], name: NAME },
    { match: "name:x", tags: [NAME] },
  ];
  consumer.write("hostile.jsonc", JSON.stringify({ rules, policies: [{ name: NAME, show: "kind:tool" }] }));
  consumer.write("result.json", JSON.stringify({ tools: [], _meta: { "dev.mcpsieve/filter": { resultHash: NAME } } }));
});
after(async () => {
  hostile?.stop();
  broken?.stop();
  await consumer?.remove();
});

function start(...args) {
  const child = spawn(process.execPath, [join(consumer.package, "cli/main.js"), ...args], {
    cwd: consumer.folder,
    timeout: 60_000,
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  const over = once(child, "close").then(([status]) => ({ status, ...said }));
  return { child, over, said };
}
const sieve = (...args) => start(...args).over;

/** Asserts that the server's text is escaped wherever it appears, and that printable text stays readable. */
function harmless(text, command) {
  assert.deepEqual([marksIn(text), imitationsIn(text)], [[], []], command);
  assert.match(text, /\\u(\{1b\}|001b)\[2J/, `${command}: ${text}`);
  assert.ok(text.includes(READABLE), command);
}

const live = () => ["--upstream", hostile.url];

test("the command escapes the text of a hostile server", async () => {
  const rows = [
    ["check", "hostile.jsonc", ...live()],
    ["check", "hostile.jsonc", "--catalog", "lists.json"],
    ["check", "hostile.jsonc", "--upstream", broken.url],
    ["check", "hostile.jsonc", ...live(), "--filter", JSON.stringify({ groups: [NAME], tags: [`${NAME}s`] })],
    ["explain", NAME, ...live(), "--config", "hostile.jsonc"],
    ["explain", NAME, ...live(), "--filter", JSON.stringify({ groups: [`not ${NAME}`] })],
    ["explain", `no ${NAME}`, ...live()],
    ["init", "-o", "-", ...live()],
    ["init", "-o", "-", "--upstream", `one=${hostile.url}`, "--catalog", "two=lists.json"],
    ["init", "-o", "-", "--upstream", broken.url],
    ["verify", "result.json", "--catalog", "lists.json"],
    ["verify", `no ${NAME}`, "--catalog", "lists.json"],
    ["snapshot", "lists.json", "--tokens", `no ${NAME}`, "-o", "x.sieve"],
    [NAME],
  ];
  // Arguments cannot contain NUL.
  for (const args of rows.map((row) => row.map((arg) => arg.replaceAll("\0", "")))) {
    const { stdout, stderr } = await sieve(...args);
    harmless(stdout + stderr, args.slice(0, 2).join(" "));
  }
});

test("a fault of the command is reported on lines of its own, escaped, with status 2", async () => {
  const faults = ["throw new Error(text)", "Promise.reject(new Error(text))", "setTimeout(() => { throw text; })"];
  for (const fault of faults) {
    consumer.write(
      "fault.mjs",
      `const text = ${JSON.stringify(NAME)}; process.argv[2] = "help"; await import(${JSON.stringify(join(consumer.package, "cli/main.js"))}); ${fault};`,
    );
    const child = spawn(process.execPath, [join(consumer.folder, "fault.mjs")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [status] = await once(child, "close");
    assert.equal(status, 2, stderr);
    harmless(stderr, fault);
  }
});

test("files that init writes are escaped", async () => {
  const { status, stderr } = await sieve("init", "-o", "made.jsonc", ...live());
  assert.equal(status, 0, stderr);
  harmless(readFileSync(join(consumer.folder, "made.jsonc"), "utf8"), "init");
});

test("JSON for programs has the same values, and prints as harmlessly", async () => {
  const name = NAME.replaceAll("\0", "");
  const check = await sieve("check", "hostile.jsonc", ...live(), "--json");
  harmless(check.stdout, "check");
  assert.ok(JSON.parse(check.stdout).findings.some(({ message }) => message.includes(NAME)));
  const refused = await sieve("check", "hostile.jsonc", "--upstream", broken.url, "--json");
  harmless(refused.stdout, "check");
  assert.ok(JSON.parse(refused.stdout).error.message.includes(NAME));
  const explained = await sieve("explain", name, ...live(), "--json");
  harmless(explained.stdout, "explain");
  assert.equal(JSON.parse(explained.stdout).name, name);
  const tokens = await sieve("tokens", "lists.json");
  harmless(tokens.stdout, "tokens");
  assert.ok(Object.hasOwn(JSON.parse(tokens.stdout).tokens.tool, NAME));
  const verified = await sieve("verify", "result.json", "--catalog", "lists.json", "--json");
  harmless(verified.stdout, "verify");
  assert.equal(JSON.parse(verified.stdout).hashes.resultHash.stated, NAME);
});

test("dev escapes the text that it finds and that the Worker prints", async () => {
  consumer.write(
    "dev.jsonc",
    JSON.stringify({
      rules: [{ match: "kind:tool", groups: [NAME] }],
      upstreams: [
        { name: "a", url: hostile.url },
        { name: "b", url: broken.url },
      ],
    }),
  );
  const { child, over, said } = start("dev", "dev.jsonc", "--port", "0");
  while (!said.stdout.includes("Ctrl-C"))
    await Promise.race([once(child.stdout, "data"), over.then((ended) => assert.fail(JSON.stringify(ended)))]);
  const [, mcp] = /MCP +(\S+)/.exec(said.stdout);
  const response = await send(mcp, "tools/list");
  assert.ok((await response.text()).includes("owned"));
  child.kill("SIGINT");
  const { status, stdout, stderr } = await over;
  assert.equal(status, 0, stderr);
  harmless(stdout, "dev, standard output");
  harmless(stderr, "dev, standard error");
});

test("init: its file for any name passes the check and has the effect that it states", async () => {
  const named = [
    "*/ end",
    "// line",
    "/* block",
    'quote "',
    "back\\slash",
    "a*b",
    "a?b",
    "`tick`",
    "or",
    " ",
    "${AWS_SECRET_ACCESS_KEY}",
    "__proto__",
    "\ud800",
    "x".repeat(256 - "delete ".length),
    '"'.repeat(240),
    NAME,
  ];
  const long = ["y".repeat(257), "z".repeat(10 * 1024), "🎉".repeat(257)];
  const names = [...named, ...long].map((name) => `delete ${name}`);
  // More names than one expression may contain.
  const many = Array.from({ length: 600 }, (_, at) => `delete ${at} ${"é*".repeat(20)}`);
  const tools = [...names, ...many].map((name) => ({ name, inputSchema, _meta: { "dev.mcpsieve/tags": [name] } }));
  consumer.write(
    "names.json",
    JSON.stringify({
      tools: [...tools, { name: "deleted", inputSchema }, null, { name: 5 }],
      resources: [
        { uri: `${"s".repeat(10 * 1024)}://x`, name: "x" },
        { uri: "docs://x", name: "x" },
      ],
    }),
  );
  const made = await sieve("init", "--catalog", "names.json", "-o", "names.jsonc");
  assert.equal(made.status, 0, made.stderr);
  const checked = await sieve("check", "names.jsonc", "--catalog", "names.json", "--json");
  const own = JSON.parse(checked.stdout).findings.filter(({ code }) => code !== "left_out");
  assert.deepEqual(own, []);
  const text = readFileSync(join(consumer.folder, "names.jsonc"), "utf8");
  assert.match(
    text,
    /\/\/ a guess from names, since the servers do not annotate these tools; without 3 whose names are too long for a rule$/m,
  );
  const { Sieve } = await consumer.load();
  const catalog = Sieve.compile(readFileSync(join(consumer.folder, "names.json"), "utf8"), text);
  // Long names are shortened, but still lead to their tools.
  const listed = catalog.names({ filter: { tags: ["destructive"] } });
  assert.ok(
    listed.every((name) => [...name].length <= 48),
    "each fits in hosts",
  );
  const tagged = listed.map((name) => catalog.origin(name).name);
  catalog.free();
  assert.deepEqual(
    tagged.map((name) => name.slice(0, 300)),
    [...named.filter((name) => name !== "\ud800").map((name) => `delete ${name}`), ...many],
  );
});

test("variables are expanded in headers alone, and comments end as they do for the engine", () => {
  const rows = [
    [
      '{ "rules": [{ "match": "name:\\"${AWS}\\"", "name": "${B}" }], "server": { "instructions": "${C}" } } // ${D}',
      [],
    ],
    [
      '{ "upstream": { "url": "https://${A}.example", "headers": { "X": "${ONE} ${ONE} $${NO} $$${TWO}", "${B}": "" } } }',
      ["ONE", "TWO"],
    ],
    [
      '{ "upstreams": [{ "name": "${A}", "headers": { "X": "${ONE}" } }, {}, { "headers": { "Y": "a${TWO}", "Z": "" } }] }',
      ["ONE", "TWO"],
    ],
    ["{}", []],
  ];
  for (const [config, names] of rows) assert.deepEqual(referred(config), names, config);
  for (const end of ["\u2028", "\u2029", "\r"])
    assert.deepEqual(parseConfig(`{ "a": 1 // b${end}, "c": 2\n}`), { a: 1 });
});

test("a reference in the name of a tool is plain text", async () => {
  consumer.write(
    "reference.json",
    JSON.stringify({
      tools: [
        { name: "delete_${AWS_SECRET_ACCESS_KEY}", inputSchema },
        { name: "ping", inputSchema },
      ],
    }),
  );
  const made = await sieve("init", "--catalog", "reference.json", "-o", "reference.jsonc");
  assert.equal(made.status, 0, made.stderr);
  assert.match(readFileSync(join(consumer.folder, "reference.jsonc"), "utf8"), /\$\{AWS_SECRET_ACCESS_KEY\}/);
  const { child, over, said } = start("dev", "reference.jsonc", "--port", "0");
  while (!said.stdout.includes("Ctrl-C"))
    await Promise.race([once(child.stdout, "data"), over.then(({ stderr }) => assert.fail(stderr))]);
  child.kill("SIGINT");
  assert.equal((await over).status, 0);
});
