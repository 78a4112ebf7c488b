// docs/narrowing.md, run as it stands: each block of its walk in order, with the command, in front of the server that it names,
// and the calls of the official clients of both generations.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { filesystem, makeFolders } from "./support/real-servers.mjs";
import { connect } from "./support/sdk-clients.mjs";
import { until } from "./support/until.mjs";

const page = readFileSync(new URL("../docs/narrowing.md", import.meta.url), "utf8");
const [, walk] = /^## One tool, step by step\n([^]*?)^## /m.exec(page);
/** The steps of the walk: their headings, and their blocks in order, each with its language and the comment before it. */
const steps = walk
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    heading: text.split("\n", 1)[0],
    blocks: [...text.matchAll(/^(?:<!-- (.+) -->\n)?```(\w+)\n([^]*?)^```$/gm)].map(([, comment, language, shown]) => ({
      comment,
      language,
      shown,
    })),
  }));

/** Clients with sessions and without. */
const GENERATIONS = ["v1", "v2, stateless"];
/** The tools by which a model calls the tools that it has found. */
const DISCOVERY = /^call_/;
const CONTENT = "Ship on Monday.\n";
/** Writes what the server writes, but with another parameter of `edit_file`: a later version of the server. */
const UPDATED = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const [command, ...args] = process.argv.slice(2);
const { stdout } = spawn(command, args, { stdio: ["inherit", "pipe", "inherit"] });
for await (const line of createInterface({ input: stdout })) {
  const message = JSON.parse(line);
  const tool = message.result?.tools?.find(({ name }) => name === "edit_file");
  if (tool) tool.inputSchema.properties.backup = { type: "boolean" };
  console.log(JSON.stringify(message));
}
`;

let command;
let folders;
let config = {};
/** The command of the server, in place of the one that the page shows. */
let server;
/** The running gateway and the clients that are connected to it. They end when the configuration changes. */
let gateway;
const clients = new Map();

before(async () => {
  folders = makeFolders("files");
  mkdirSync(join(folders.files, "drafts"));
  for (const file of ["drafts/plan.md", "index.md"]) writeFileSync(join(folders.files, file), CONTENT);
  server = filesystem(folders.files);
  command = await installCommand();
  command.install("workerd");
  command.write("updated.mjs", UPDATED);
});
after(async () => {
  await stop();
  await command?.remove();
  folders?.remove();
});

/** Text of the page with the folder of this test. */
const local = (text) => text.replaceAll("/srv/files", folders.files);
const inFolder = (name) => join(command.folder, name);

async function stop() {
  await Promise.all([...clients.values()].map(async (client) => (await client).close()));
  clients.clear();
  await (await gateway)?.started.stop();
  gateway = undefined;
}

/** Writes the configuration, with members that replace those of the same name. */
async function configure(members) {
  config = { ...config, ...members };
  const upstreams = config.upstreams.map((upstream) => ({ ...upstream, command: server }));
  const text = JSON.stringify({ ...config, upstreams });
  command.write("sieve.jsonc", text);
  if (Object.keys(config).length === 1) command.write("before.jsonc", text);
  await stop();
}

async function start() {
  const started = command.start(["run", "sieve.jsonc", "--port", "0", "--json"]);
  const { mcp } = JSON.parse(await started.line(/^\{"event":"ready"/));
  // The first lists of a server that takes long to start are an error.
  await started.line(/^\{"event":"server"/);
  return { started, mcp };
}

/** Returns a client of the gateway, which is started if it does not run. `more` follows its address. */
async function connected(generation, more) {
  gateway ??= start();
  const key = `${generation} ${more}`;
  if (!clients.has(key))
    clients.set(
      key,
      gateway.then(({ mcp }) => connect(generation, `${mcp}${more}`)),
    );
  return clients.get(key);
}
const each = (use, more = "") =>
  Promise.all(GENERATIONS.map(async (generation) => use(await connected(generation, more), generation)));

/** Compares the definition that the page shows in part: its title, its annotations, and its parameters by name. */
async function compareTool({ client }, shown) {
  const { tools } = await client.listTools();
  const { title, annotations, inputSchema } = tools.find(({ name }) => name === shown.name);
  assert.deepEqual({ title, annotations }, { title: shown.title, annotations: shown.annotations });
  const { properties } = shown.inputSchema;
  assert.deepEqual(Object.keys(inputSchema.properties), Object.keys(properties));
  for (const [name, members] of Object.entries(properties))
    for (const [key, value] of Object.entries(members))
      assert.deepEqual(inputSchema.properties[name][key], value, name);
}

/** Waits for a line of the request log with the members that the page shows, for the call of each client. */
async function compareLog(shown) {
  const { printed } = (await gateway).started;
  await until(() => {
    const lines = `${printed.stdout}${printed.stderr}`.match(/^\{.*\}$/gm).map((line) => JSON.parse(line));
    return (
      lines.filter((line) => Object.keys(shown).every((key) => line[key] === shown[key])).length >= GENERATIONS.length
    );
  }, JSON.stringify(shown));
}

/** What a client gets for a call, as the page writes it. The clients of the first generation repeat the code in the message. */
async function answer(client, tool, args) {
  return client.call(tool, args).then(
    ({ content: [{ text }], isError }) => `${isError ? "isError: " : ""}${text}`,
    ({ code, message }) => `error ${code}: ${message.replace(/^MCP error -?\d+: /, "")}`,
  );
}

/** Makes the calls of a transcript. Of a diff the page shows the lines that differ. */
async function compareCalls(text) {
  const calls = [...text.matchAll(/^> (\w+) (.+)\n((?:(?!> ).*\n)+)/gm)];
  assert.equal(calls.length, text.match(/^> /gm).length);
  for (const [, tool, args, expected] of calls)
    await each(
      async (client, generation) => {
        const got = await answer(client, tool, JSON.parse(args));
        const lines = got.startsWith("```diff\n") ? got.match(/^[+-](?![+-]).*$/gm) : [got];
        assert.equal(`${lines.join("\n")}\n`, expected, `${generation}: ${tool} ${args}`);
      },
      DISCOVERY.test(tool) ? "?disclosure=search" : "",
    );
}

/** Runs the commands of a transcript. The page shows some lines of their output, in order. */
async function compareCommands(text) {
  const commands = [...text.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)];
  for (const [, line, shown] of commands) {
    const words = line.split(" ");
    assert.deepEqual(words.slice(0, 2), ["npx", "mcp-sieve"]);
    const { stdout, stderr } = await command.run(words.slice(2));
    const expected = shown.split("\n").filter(Boolean);
    const lines = stdout.split("\n").filter((printed) => expected.includes(printed));
    assert.deepEqual(lines, expected, `${line}\n${stdout}${stderr}`);
  }
}

const RUN = {
  jsonc: (text) => configure(JSON.parse(text.replaceAll(/ \/\/ .*$/gm, ""))),
  console: async (text) => {
    await compareCommands(text);
    // What is accepted counts from the next start on.
    await stop();
  },
  text: compareCalls,
  json: (text) => {
    const shown = JSON.parse(text);
    return shown.inputSchema ? each((client) => compareTool(client, shown)) : compareLog(shown);
  },
};

test("the walk has its steps, and the version of the server that is tested", () => {
  assert.ok(steps.length >= 7);
  for (const { heading, blocks } of steps) assert.ok(blocks.length > 0, heading);
  const { version } = JSON.parse(readFileSync(new URL("../package.json", pathToFileURL(filesystem()[1])), "utf8"));
  assert.ok(walk.includes(`"@modelcontextprotocol/server-filesystem@${version}"`), version);
});

for (const { heading, blocks } of steps)
  test(heading, async () => {
    for (const { comment, language, shown } of blocks) {
      if (comment === "the server is updated") {
        server = [process.execPath, inFolder("updated.mjs"), ...server];
        await configure({});
      }
      await RUN[language](local(shown));
    }
    for (const file of ["drafts/plan.md", "index.md"])
      assert.equal(readFileSync(join(folders.files, file), "utf8"), CONTENT);
  });

test("the preset for tools that only read includes the tool", () =>
  each(async ({ client }) => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual([names.includes("edit_file"), names.includes("write_file")], [true, false]);
  }, "/read-only"));

test("once it is accepted, the tool works again; without the gateway, its call changes the file", async () => {
  const path = join(folders.files, "drafts/plan.md");
  const edit = { path, edits: [{ oldText: "Monday", newText: "Friday" }] };
  await each(async (client) => assert.match(await answer(client, "edit_file", edit), /^\+Ship on Friday\.$/m));
  assert.equal(readFileSync(path, "utf8"), CONTENT);
  const direct = await connect("v1", server);
  await direct.call("edit_file", edit);
  await direct.close();
  assert.equal(readFileSync(path, "utf8"), CONTENT.replace("Monday", "Friday"));
});
