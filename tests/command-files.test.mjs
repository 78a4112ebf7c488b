// The files that the command writes: a link that came with a repository leads to no file outside of it.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { execFileSync, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import "./support/home.mjs";
import { installTarball } from "./support/tarball.mjs";

const cli = fileURLToPath(new URL("../pkg/cli", import.meta.url));
const fixture = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const HOST = JSON.stringify({ mcpServers: { one: { command: process.execPath, args: [fixture] } } });
const LISTS = JSON.stringify({ tools: [{ name: "one", inputSchema: { type: "object" } }] });
const mode = (path) => statSync(path).mode & 0o777;
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

let consumer;
/** The folders of this test: the user's `home`, with a file of its own, and a `repo` that someone else has prepared. */
let place, home, repo;

before(async () => {
  consumer = await installTarball();
  // An installation runs the gateway once.
  symlinkSync(
    fileURLToPath(new URL("node_modules/workerd", import.meta.url)),
    join(consumer.folder, "node_modules/workerd"),
  );
});
after(() => consumer?.remove());
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "sieve-files-")));
  [home, repo] = [join(place, "home"), join(place, "repo")];
  for (const folder of [home, repo]) mkdirSync(folder);
  writeFileSync(join(home, ".bashrc"), "mine");
});
const clean = () => rmSync(place, { recursive: true, force: true });

/** Runs the command in a folder as the user of `home`. */
const run = (args, cwd = repo) =>
  new Promise((done) => {
    const env = { ...process.env, HOME: home, USERPROFILE: home, CI: "true" };
    for (const name of ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]) delete env[name];
    const child = spawn(process.execPath, [join(consumer.package, "cli/main.js"), ...args], {
      cwd,
      env,
      timeout: 60_000,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.once("close", (status) => done({ status, stdout, stderr }));
  });
/** The files of the home folder, but those of the command itself. */
const filesAt = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => lstatSync(join(folder, name)).isFile() && !name.includes("mcp-sieve"))
    .map((name) => `${name}: ${readFileSync(join(folder, name), "utf8")}`)
    .sort();
const untouched = (what) => assert.deepEqual(filesAt(home), [".bashrc: mine"], what);

describe("in a prepared repository", () => {
  /** Each link, what it leads to, and a command that writes under its name. */
  const rows = [
    ["sieve.jsonc", ".bashrc", ["import", "mcp.json", "--force"]],
    ["sieve.jsonc", ".bash_profile", ["import", "mcp.json"]],
    ["sieve.jsonc", ".bash_profile", ["import", "mcp.json", "--install"]],
    ["out", ".", ["import", "mcp.json", "-o", "out/.bashrc", "--force"]],
    ["out", ".", ["import", "mcp.json", "-o", "out/new.jsonc"]],
    ["sieve.jsonc", ".bashrc", ["init", "--catalog", "lists.json", "--force"]],
    ["catalog.sieve", ".bashrc", ["snapshot", "lists.json", "-o", "catalog.sieve"]],
    [
      "sieve.lock.json",
      ".bash_profile",
      ["check", "rules.jsonc", "--catalog", "lists.json", "--lock", "sieve.lock.json", "--accept"],
    ],
    [".sieve", ".", ["deploy", "rules.jsonc", "--dry-run"]],
    [".sieve", ".none", ["deploy", "rules.jsonc", "--dry-run"]],
    [".sieve/deploy", ".", ["deploy", "rules.jsonc", "--dry-run"]],
    [".sieve/deploy/worker.js", ".bashrc", ["deploy", "rules.jsonc", "--dry-run"]],
    [".sieve/deploy/wrangler.json", ".bashrc", ["deploy", "rules.jsonc", "--dry-run"]],
    [".sieve/deploy/.gitignore", ".npmignore", ["deploy", "rules.jsonc", "--dry-run"]],
  ];
  for (const [link, target, args] of rows)
    test(`\`${args.join(" ")}\` writes through no link ${link} to ${target}`, async () => {
      writeFileSync(join(repo, "mcp.json"), HOST);
      writeFileSync(join(repo, "lists.json"), LISTS);
      writeFileSync(join(repo, "rules.jsonc"), '{ "upstream": { "url": "https://a.example/mcp" } }');
      mkdirSync(dirname(join(repo, link)), { recursive: true });
      symlinkSync(join("../".repeat(link.split("/").length), "home", target), join(repo, link));
      const { status, stderr } = await run(args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, /symbolic link to .*home/);
      assert.equal(readFileSync(join(repo, "mcp.json"), "utf8"), HOST);
      untouched(stderr);
      clean();
    });

  test("an installation writes beside the file alone", async () => {
    writeFileSync(join(repo, "mcp.json"), HOST);
    for (const name of ["mcp.json.sieve-backup.sha256", ".mcp-sieve", "mcp.json.tmp"])
      symlinkSync("../home/.bashrc", join(repo, name));
    const { status, stderr } = await run(["import", "mcp.json", "--install"]);
    assert.equal(status, 0, stderr);
    untouched("installed");
    assert.equal((await run(["import", "mcp.json", "--undo"])).status, 0);
    assert.equal(readFileSync(join(repo, "mcp.json"), "utf8"), HOST);
    untouched("restored");
    clean();
  });

  test("a file that a link leads to is neither changed nor restored, and nothing else is", async () => {
    mkdirSync(join(home, ".cursor"));
    const own = join(home, ".cursor/mcp.json");
    const theirs = JSON.stringify({ mcpServers: { theirs: { command: "evil" } } });
    writeFileSync(own, HOST);
    symlinkSync("../home/.cursor/mcp.json", join(repo, "mcp.json"));
    // A folder of the repository is that of the user.
    symlinkSync("../home/.cursor", join(repo, ".cursor"));
    writeFileSync(join(repo, "mcp.json.sieve-backup"), theirs);
    writeFileSync(join(repo, "mcp.json.sieve-backup.sha256"), sha256(HOST));
    for (const args of [
      ["mcp.json", "--undo"],
      ["mcp.json", "--undo", "--force"],
      ["mcp.json", "--install"],
      [".cursor/mcp.json", "--install"],
      [".cursor/mcp.json", "--undo", "--force"],
    ]) {
      const { status, stderr } = await run(["import", ...args]);
      assert.equal(status, 2, `${args}: ${stderr}`);
      assert.equal(readFileSync(own, "utf8"), HOST, `${args}`);
      assert.ok(!existsSync(join(repo, "sieve.jsonc")));
    }
    // The same from the folder above, in a work tree.
    mkdirSync(join(repo, ".git"));
    const { status, stderr } = await run(["import", join(repo, ".cursor/mcp.json"), "--install"], home);
    assert.equal(status, 2, stderr);
    assert.equal(readFileSync(own, "utf8"), HOST);
    clean();
  });

  test("a backup that came with it is not restored", async () => {
    writeFileSync(join(repo, "mcp.json"), HOST);
    writeFileSync(join(repo, "mcp.json.sieve-backup"), "theirs");
    writeFileSync(join(repo, "mcp.json.sieve-backup.sha256"), sha256(HOST));
    const { status, stderr } = await run(["import", "mcp.json", "--undo", "--force"]);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^nothing is restored from mcp\.json\.sieve-backup: this user's `import --install` did not make it/,
    );
    assert.match((await run(["import", "mcp.json", "--install"])).stderr, /expected a free name for the backup/);
    // Nor one that took the place of the user's.
    rmSync(join(repo, "mcp.json.sieve-backup"));
    assert.equal((await run(["import", "mcp.json", "--install"])).status, 0);
    rmSync(join(repo, "mcp.json.sieve-backup"));
    writeFileSync(join(repo, "mcp.json.sieve-backup"), "theirs");
    const replaced = await run(["import", "mcp.json", "--undo", "--force"]);
    assert.match(replaced.stderr, /mcp\.json\.sieve-backup is not as `import --install` wrote it/);
    clean();
  });
});

test("the backup of a file outside the current folder is in the user's own, for the user alone", async () => {
  const own = join(home, ".cursor/mcp.json");
  mkdirSync(dirname(own));
  writeFileSync(own, HOST, { mode: 0o600 });
  const { status, stdout, stderr } = await run(["import", own, "--install", "--json"]);
  assert.equal(status, 0, stderr);
  const [backup] = JSON.parse(stdout).backups;
  const state = join(home, process.platform === "darwin" ? "Library/Application Support" : ".local/state", "mcp-sieve");
  assert.equal(dirname(backup), join(state, "backups"));
  assert.deepEqual([mode(backup), mode(state), mode(own), readFileSync(backup, "utf8")], [0o600, 0o700, 0o600, HOST]);
  assert.deepEqual(readdirSync(dirname(own)), ["mcp.json"]);
  // From any folder, and once.
  assert.match(
    (await run(["import", own, "--install", "-o", "other.jsonc"], home)).stderr,
    /is installed in .* already/,
  );
  assert.equal((await run(["import", own, "--undo"], home)).status, 0);
  assert.equal(readFileSync(own, "utf8"), HOST);
  assert.deepEqual(readdirSync(join(state, "backups")), []);
  clean();
});

test("no program of a repository's file runs unless the file is named", async () => {
  const traces = () => readdirSync(repo).filter((name) => name === "ran");
  const program = `require("node:fs").writeFileSync(${JSON.stringify(join(repo, "ran"))}, "")`;
  const hostile = JSON.stringify({ mcpServers: { two: { command: process.execPath, args: ["-e", program] } } });
  writeFileSync(join(repo, "mcp.json"), hostile);
  mkdirSync(join(repo, ".git"));
  const alone = await run(["import", "--install"]);
  assert.equal(alone.status, 2);
  assert.match(alone.stderr, /^mcp\.json: not installed, because the file belongs to a git work tree/);
  // The user's own file is installed all the same.
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor/mcp.json"), HOST);
  const { status, stderr } = await run(["import", "--install"]);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^mcp\.json: not installed/m);
  assert.match(readFileSync(join(home, ".cursor/mcp.json"), "utf8"), /cli\/main\.js/);
  assert.deepEqual([readFileSync(join(repo, "mcp.json"), "utf8"), traces()], [hostile, []]);
  await run(["import", "mcp.json", "--install", "-o", "named.jsonc"]);
  assert.deepEqual(traces(), ["ran"]);
  clean();
});

test("a link in the home folder to a file there stays a link", async () => {
  mkdirSync(join(home, "dotfiles"));
  writeFileSync(join(home, "dotfiles/mcp.json"), HOST);
  mkdirSync(join(home, ".cursor"));
  symlinkSync("../dotfiles/mcp.json", join(home, ".cursor/mcp.json"));
  const { status, stderr } = await run(["import", join(home, ".cursor/mcp.json"), "--install"]);
  assert.equal(status, 0, stderr);
  assert.ok(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink());
  assert.match(readFileSync(join(home, "dotfiles/mcp.json"), "utf8"), /mcp-sieve/);
  clean();
});

describe("a file that is written", () => {
  const snapshot = (path) => run(["snapshot", "lists.json", "-o", path]);
  beforeEach(() => writeFileSync(join(repo, "lists.json"), LISTS));

  test("keeps its mode, and replaces none under another name", async () => {
    const path = join(repo, "out.sieve");
    writeFileSync(path, "old", { mode: 0o600 });
    linkSync(path, join(home, "other"));
    assert.equal((await snapshot("out.sieve")).status, 0);
    assert.deepEqual([mode(path), readFileSync(join(home, "other"), "utf8")], [0o600, "old"]);
    chmodSync(path, 0o640);
    assert.equal((await snapshot("out.sieve")).status, 0);
    assert.equal(mode(path), 0o640);
    assert.deepEqual(readdirSync(repo).sort(), ["lists.json", "out.sieve"]);
    clean();
  });

  test("may be behind a link in the current folder", async () => {
    mkdirSync(join(repo, "built"));
    symlinkSync("built/real.sieve", join(repo, "out.sieve"));
    assert.match(
      (await snapshot("out.sieve")).stderr,
      /out\.sieve is a symbolic link to built\/real\.sieve, where nothing is/,
    );
    writeFileSync(join(repo, "built/real.sieve"), "old");
    assert.equal((await snapshot("out.sieve")).status, 0);
    assert.ok(lstatSync(join(repo, "out.sieve")).isSymbolicLink());
    assert.notEqual(readFileSync(join(repo, "built/real.sieve"), "utf8"), "old");
    clean();
  });

  test("is no folder, and in one that there is", async () => {
    mkdirSync(join(repo, "folder"));
    symlinkSync("folder", join(repo, "link"));
    symlinkSync("loop", join(repo, "loop"));
    for (const [path, why] of [
      ["folder", /^folder: expected a file, this is a folder$/m],
      ["link", /^link: expected a file, this is a folder$/m],
      ["none/out", /^none\/out: there is no such folder$/m],
      ["loop", /symbolic link to loop, where nothing is/],
    ]) {
      const { status, stderr } = await snapshot(path);
      assert.equal(status, 2, path);
      assert.match(stderr, why);
    }
    clean();
  });

  test("may be a pipe or a device", async () => {
    if (process.platform === "win32") return;
    execFileSync("mkfifo", [join(repo, "pipe")]);
    // Without a writer, the reader ends by itself.
    const reader = spawn("timeout", ["30", "cat", join(repo, "pipe")]);
    let read = 0;
    reader.stdout.on("data", (bytes) => {
      read += bytes.length;
    });
    const ended = new Promise((done) => reader.once("close", done));
    assert.equal((await snapshot("pipe")).status, 0);
    await ended;
    assert.ok(read > 0);
    assert.equal((await snapshot("/dev/null")).status, 0);
    assert.ok(lstatSync("/dev/null").isCharacterDevice());
    const main = join(consumer.package, "cli/main.js");
    const line = `"${process.execPath}" "${main}" snapshot lists.json -o /dev/stdout | cat`;
    assert.ok(execFileSync("sh", ["-c", line], { cwd: repo }).length > 0);
    clean();
  });
});

test("one module writes the files of the command", () => {
  const others = readdirSync(cli, { recursive: true }).filter(
    (name) => name.endsWith(".js") && basename(name) !== "files.js",
  );
  const found = others.filter((name) =>
    /\b(?:writeFile|appendFile|copyFile|createWriteStream|cp|rename)(?:Sync)?\(/.test(
      readFileSync(join(cli, name), "utf8"),
    ),
  );
  // A key that is created beside the data, and a folder that gets its name when its package is whole.
  assert.deepEqual(found, ["lib/data-folder.js", "lib/optional-packages.js"]);
});
