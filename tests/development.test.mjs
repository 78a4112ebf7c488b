// The package of `make package`: it has everything that the command needs, and its mark tells it from a release.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ownCommand } from "../pkg/cli/lib/own-command.js";
import { developmentTarball, newcomer } from "./support/development.mjs";
import "./support/home.mjs";
import { send } from "./support/raw-client.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "pkg/package.json"), "utf8"));
let tarball, user, unpacked;

before(async () => {
  tarball = await developmentTarball();
  user = newcomer();
  unpacked = mkdtempSync(join(tmpdir(), "sieve-unpacked-"));
  await run("tar", ["-xzf", tarball, "-C", unpacked]);
});
after(() => {
  user?.remove();
  if (unpacked) rmSync(unpacked, { recursive: true, force: true });
});

test("it is the package, with every file and with its mark", async () => {
  const inPackage = join(unpacked, "package");
  const { private: isPrivate, sieve, ...rest } = JSON.parse(readFileSync(join(inPackage, "package.json"), "utf8"));
  assert.deepEqual([isPrivate, sieve], [true, { build: "development" }]);
  assert.deepEqual(rest, manifest);
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const files = stdout.split("\n");
  for (const path of manifest.files.filter((path) => /^dist\/.*\.\w+$/.test(path)))
    assert.ok(files.includes(`package/${path}`), path);
  for (const folder of ["cli", "loaders", "src", "types", "dist/docs"])
    assert.ok(
      files.some((path) => path.startsWith(`package/${folder}/`)),
      folder,
    );
});

test("the README begins with commands that exist, and every page names this version of the file", () => {
  const page = (path) => readFileSync(join(root, path), "utf8");
  const [, block] = /^## Start from a clone\n[^]*?```console\n([^]*?)```/m.exec(page("README.md"));
  const commands = block.split("\n").map((line) => /^\$ (\S+) (\S+)/.exec(line)?.slice(1));
  const targets = /^\.PHONY: (.*)$/m.exec(page("Makefile"))[1].split(" ");
  for (const [program, target] of commands.filter(Boolean))
    if (program === "make") assert.ok(targets.includes(target), target);
    else assert.deepEqual([program, target], ["npx", `./build/${manifest.name}-${manifest.version}.tgz`]);
  const examples = ["host", "pii-server"].map((name) => `examples/${name}/README.md`);
  for (const path of ["README.md", "CONTRIBUTING.md", "docs/hosts.md", "Dockerfile", ...examples])
    for (const [name] of page(path).matchAll(/mcp-sieve-\d[\w.-]*\.tgz/g))
      assert.equal(name, `${manifest.name}-${manifest.version}.tgz`, path);
});

test("npm refuses to publish it", async () => {
  // Nothing listens there: npm refuses before it sends a request.
  const registry = ["--registry", "http://127.0.0.1:9/", "--//127.0.0.1:9/:_authToken=none"];
  const { stderr } = await run("npm", ["publish", ...registry, tarball], { env: user.env }).catch((failed) => failed);
  assert.match(String(stderr), /EPRIVATE/);
});

test("the command says that it is one, and how it is started again", async () => {
  const package_ = `file:${tarball}`;
  const printed = await user.npx([package_, "--version"]);
  assert.deepEqual(printed, {
    status: 0,
    stdout: `mcp-sieve ${manifest.version} (development build)\n`,
    stderr: "",
  });
  const { stdout } = await user.npx([package_, "--help"]);
  assert.match(
    stdout,
    /^This is a development build\. Write `npx -y file:\/\S+\.tgz` wherever it says `npx mcp-sieve`\.$/m,
  );
});

test("without built files, as in a clone, the command prints one line that says how to get them", async () => {
  const clone = join(unpacked, "clone");
  mkdirSync(clone);
  for (const name of ["package.json", "cli", "src"])
    cpSync(join(root, "pkg", name), join(clone, name), { recursive: true });
  const command = (...args) =>
    run(process.execPath, [join(clone, "cli/main.js"), ...args]).catch(({ code, stdout, stderr }) => ({
      code,
      stdout,
      stderr,
    }));
  const advice = `is not built: run \`make package\`, and then \`npx ./build/mcp-sieve-${manifest.version}.tgz\`\n`;
  for (const args of [[], ["--help"], ["check", "sieve.jsonc"], ["run"]])
    assert.deepEqual(await command(...args), { code: 2, stdout: "", stderr: `dist/command.js ${advice}` });
  // `make dev` builds the engine and the sign-in, and not the Worker.
  mkdirSync(join(clone, "dist"));
  for (const name of ["command.js", "command_bg.wasm", "oauth.js"])
    cpSync(join(unpacked, "package/dist", name), join(clone, "dist", name));
  const { code, stderr } = await command(
    "deploy",
    "--upstream",
    "https://a.example/mcp",
    "--dry-run",
    "-o",
    join(unpacked, "out"),
  );
  assert.deepEqual([code, stderr], [2, `dist/worker/worker.js ${advice}`]);
});

test("`make dev` starts the local servers of its configuration, or names the variables that they lack", async () => {
  const server = {
    command: ["node", join(root, "tests/support/stdio-server.mjs")],
    env: { TOKEN: "${NO_SUCH_TOKEN}" },
  };
  const config = join(unpacked, "local.jsonc");
  writeFileSync(config, `// Local.\n${JSON.stringify({ upstream: server })}`);
  const start = (more) =>
    spawn(process.execPath, [join(root, "scripts/serve.mjs")], {
      env: { ...process.env, CONFIG: config, PORT: "0", UPSTREAM: "", ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const refused = start();
  const [problem, [status]] = await Promise.all([text(refused.stderr), once(refused, "exit")]);
  const unset = "the configuration refers to variables that are not set in the environment";
  assert.deepEqual(
    [status, problem],
    [1, `error: ${unset}: \`NO_SUCH_TOKEN\` (\`env.TOKEN\` of the server \`upstream\`)\n`],
  );
  const serving = start({ NO_SUCH_TOKEN: "x" });
  const ended = once(serving, "exit");
  let printed = "";
  for await (const chunk of serving.stdout.setEncoding("utf8")) {
    printed += chunk;
    if (printed.includes("Ctrl-C ends it.")) break;
  }
  const [, mcp] = /MCP +(\S+)/.exec(printed);
  assert.match(printed, /backend +node .*stdio-server\.mjs\n/);
  const { result } = await (await send(mcp, "tools/list")).json();
  assert.ok(result.tools.some(({ name }) => name === "environment"));
  serving.kill("SIGINT");
  assert.equal((await ended)[0], 0);
});

test("a command is started again in the way in which it was started", () => {
  const place = (path, dependencies) => {
    const folder = join(unpacked, path, "node_modules/mcp-sieve");
    mkdirSync(folder, { recursive: true });
    if (dependencies) writeFileSync(join(unpacked, path, "package.json"), JSON.stringify({ dependencies }));
    return folder;
  };
  const project = place("project");
  assert.deepEqual(ownCommand(project), [process.execPath, join(project, "cli/main.js")]);
  const rows = [
    [`^${manifest.version}`, `mcp-sieve@${manifest.version}`],
    [`file:../../../clone/package.json`, `file:${join(unpacked, "clone/package.json")}`],
    ["https://a.example/mcp-sieve.tgz", "https://a.example/mcp-sieve.tgz"],
  ];
  for (const [at, [wanted, again]] of rows.entries())
    assert.deepEqual(ownCommand(place(`.npm/_npx/${at}`, { "mcp-sieve": wanted })), ["npx", "-y", again]);
  const refused = [
    place(".npm/_npx/gone", { "mcp-sieve": "file:../../../gone.tgz" }),
    place(".npm/_npx/bare"),
    place(".cache/pnpm/dlx-1234"),
  ];
  for (const folder of refused)
    assert.throws(() => ownCommand(folder), /lies in a cache, .*npm install --global mcp-sieve/);
});
