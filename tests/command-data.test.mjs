// The folder for data. One gateway holds its lock, and the end of its process releases it, however that happens. Its owner alone
// can read it, and a folder that cannot be used is an error at once.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { keyIn, prepareData } from "../pkg/cli/lib/data-folder.js";
import { lockData } from "../pkg/cli/lib/data-lock.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { until } from "./support/until.mjs";

const folder = mkdtempSync(join(tmpdir(), "sieve-data-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const LOCK = new URL("../pkg/cli/lib/data-lock.js", import.meta.url).href;
const SCRIPT = `
  const { lockData } = await import(${JSON.stringify(LOCK)});
  try {
    await lockData(process.argv[1]);
    console.log("locked");
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.message);
    process.exit();
  }`;

/** Starts a process that locks a folder. Resolves with what it prints. */
async function holder(path) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, said: said.trim() };
}

const IN_USE = /^--data: another gateway uses the folder `.*`: each needs one of its own/;

for (const [name, path] of [
  ["a folder", join(folder, "data")],
  ["a folder with a path that is too long for a socket", join(folder, "long-".repeat(20), "data")],
]) {
  test(`${name} is locked by one process, until it releases it or is killed`, async () => {
    const first = await holder(path);
    assert.equal(first.said, "locked");
    await assert.rejects(lockData(path), { message: IN_USE });
    assert.match((await holder(path)).said, IN_USE);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const unlock = await lockData(path);
    assert.match((await holder(path)).said, IN_USE);
    unlock();
    const next = await holder(path);
    assert.equal(next.said, "locked");
    next.child.kill("SIGKILL");
    await once(next.child, "exit");
    (await lockData(path))();
  });
}

test("the lock of a killed process goes to one of several that start at once", async () => {
  const path = join(folder, "race");
  for (let round = 0; round < 3; round += 1) {
    const dead = await holder(path);
    dead.child.kill("SIGKILL");
    await once(dead.child, "exit");
    const found = await Promise.all(Array.from({ length: 4 }, () => holder(path)));
    for (const { child } of found) child.kill("SIGKILL");
    await Promise.all(found.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
    const said = found.map((one) => one.said);
    assert.equal(said.filter((text) => text === "locked").length, 1, JSON.stringify(said));
  }
  assert.deepEqual(
    readdirSync(path).filter((file) => file !== "lock"),
    [],
  );
});

test("a file of this name that no process listens on is replaced", async () => {
  const path = join(folder, "file");
  mkdirSync(path);
  writeFileSync(join(path, "lock"), "");
  (await lockData(path))();
  assert.ok(!existsSync(join(path, "lock")));
});

/** A file beside the folders. */
function elsewhereFile() {
  const path = join(folder, "plain");
  writeFileSync(path, "");
  return path;
}

function linked(name, target) {
  symlinkSync(target, join(folder, name));
  return join(folder, name);
}

const mode = (path) => (lstatSync(path).mode & 0o7777).toString(8);
/** Every file and folder below a folder, and the folder itself. */
const below = (path) => [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))];

test("a folder for data is made for its owner alone, and one with wider rights is closed", () => {
  const made = join(folder, "made", "data");
  prepareData(made);
  assert.equal(keyIn(made, "the key"), "the key");
  assert.equal(keyIn(made, "another"), "the key");
  assert.deepEqual(
    ["..", ".", "storage", "key"].map((name) => mode(join(made, name))),
    ["700", "700", "700", "600"],
  );
  // As an earlier version made it.
  const old = join(folder, "old");
  mkdirSync(join(old, "storage", "SessionObject"), { recursive: true });
  writeFileSync(join(old, "storage", "SessionObject", "1.sqlite"), "");
  writeFileSync(join(old, "key"), "the key");
  for (const path of below(old)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  // A link leads to what is not the gateway's.
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, "", { mode: 0o644 });
  symlinkSync(elsewhere, join(old, "storage", "link"));
  prepareData(old);
  assert.deepEqual(
    below(old)
      .map((path) => lstatSync(path).isSymbolicLink() || mode(path))
      .sort(),
    ["600", "600", "700", "700", "700", true],
  );
  assert.equal(mode(elsewhere), "644");
  // A volume of a container.
  const empty = join(folder, "empty");
  mkdirSync(empty);
  chmodSync(empty, 0o777);
  writeFileSync(join(empty, ".gitignore"), "*");
  prepareData(empty);
  assert.equal(mode(empty), "700");
});

const shared = join(folder, "shared");
const project = join(folder, "project");
const closed = join(folder, "closed");
for (const [name, path, why] of [
  ["below /proc", "/proc/x/y", /ENOENT/],
  ["/proc", "/proc", /other users may read it, and it is not the gateway's alone/],
  ["below /sys", "/sys/x", /E(PERM|ACCES|ROFS)/],
  ["a device", "/dev/null", /ENOTDIR: \/dev\/null is a file, expected a folder/],
  ["a file", elsewhereFile(), /ENOTDIR: .*plain is a file, expected a folder/],
  ["below a file", join(elsewhereFile(), "x"), /ENOTDIR/],
  ["a link to nothing", linked("nothing", join(folder, "no", "such")), /ENOENT: .*nothing is a link to nothing/],
  ["below a link to nothing", join(folder, "nothing", "x", "y"), /ENOENT: .*nothing is a link to nothing/],
  ["a link to itself", linked("loop", join(folder, "loop")), /ELOOP/],
  ["a name that is too long", join(folder, "n".repeat(300)), /ENAMETOOLONG/],
  ["a NUL", `${folder}/a\0b`, /null bytes/],
  [
    "a shared folder",
    shared,
    /other users may read it.*: name a folder of its own, such as `.*shared\/sieve`, or close it/,
  ],
  ["a folder with other files", project, /it is not the gateway's alone \(`sieve\.jsonc`\): name a folder of its own/],
])
  test(`a folder that cannot be used is an error at once: ${name}`, () => {
    mkdirSync(shared, { recursive: true });
    chmodSync(shared, 0o1777);
    mkdirSync(project, { recursive: true });
    chmodSync(project, 0o755);
    writeFileSync(join(project, "sieve.jsonc"), "{}");
    assert.throws(
      () => prepareData(path),
      ({ message }) => {
        assert.match(message, /^--data: the folder `/);
        assert.match(message, why);
        return true;
      },
    );
    // Nothing of it is changed.
    assert.deepEqual([mode(shared), mode(project)], ["1777", "755"]);
  });

test("a folder of another user is refused with advice", { skip: process.getuid?.() !== 0 }, () => {
  mkdirSync(closed);
  chmodSync(closed, 0o777);
  chmodSync(folder, 0o755);
  const script = `
    process.setgroups([65534]);
    process.setgid(65534);
    process.setuid(65534);
    const { prepareData } = await import(${JSON.stringify(new URL("../pkg/cli/lib/data-folder.js", import.meta.url).href)});
    for (const path of process.argv.slice(1))
      try { prepareData(path); console.log("used"); } catch ({ message }) { console.log(message); }`;
  const own = join(closed, "own");
  const paths = [closed, own, join(folder, "empty", "x"), join(folder, "new")];
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, ...paths], {
    encoding: "utf8",
  });
  const [wide, made, ...denied] = stdout.trim().split("\n");
  assert.match(
    wide,
    /other users may read it, and its rights cannot be changed \(EPERM\): name a folder of its own/,
    stderr,
  );
  assert.deepEqual([made, mode(own)], ["used", "700"]);
  assert.equal(denied.length, 2);
  for (const message of denied) assert.match(message, /EACCES/);
});

test("a key is made once, and not through a link", () => {
  const path = join(folder, "keyed");
  prepareData(path);
  symlinkSync(join(folder, "planted"), join(path, "key"));
  assert.throws(() => keyIn(path, "made"), /^Error: --data: the folder .*ENOENT/);
  assert.ok(!existsSync(join(folder, "planted")));
});

test("an empty path names no folder", () => {
  assert.throws(() => prepareData(""), { message: "--data: expected a folder, got an empty path" });
});

test("what the gateway stores is for its owner alone, and local servers keep the mask of the user", async (t) => {
  const command = await installCommand();
  t.after(() => command.remove());
  command.install("workerd");
  // Recursive `mkdir` would try for ever.
  const impossible = await command.run(["run", "--upstream", "http://127.0.0.1:9/mcp", "--data", "/proc/x"]);
  assert.equal(impossible.status, 2);
  assert.match(impossible.stderr, /^--data: the folder `\/proc\/x` cannot be used: ENOENT/);

  const fixture = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
  const server = ["sh", "-c", `umask >&2; exec "$0" "$1"`, process.execPath, fixture];
  command.write("stored.json", JSON.stringify({ upstream: { name: "local", command: server } }));
  const data = join(command.folder, "data");
  const running = command.start(["run", "stored.json", "--port", "0", "--data", "data", "--json"]);
  t.after(() => running.stop());
  const { mcp } = JSON.parse(await running.line(/"ready"/));
  await running.line(/"server"/);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(mcp, { method: "POST", headers, body });
  assert.equal(response.status, 200);
  await response.text();
  const files = await until(() => {
    const found = below(data).filter((path) => lstatSync(path).isFile());
    return found.some((path) => /SessionObject/.test(path)) && found;
  }, "the file of a session");
  assert.ok(files.length >= 3);
  for (const path of below(data)) {
    // The lock is a socket, which the folder protects.
    if (!lstatSync(path).isSocket()) assert.equal(lstatSync(path).mode & 0o077, 0, path);
  }
  const mask = process.umask().toString(8).padStart(4, "0");
  await until(() => running.printed.stderr.includes(`local: ${mask}\n`), "the mask of the local server");
  assert.equal(readFileSync(join(data, "key"), "utf8").length, 64);
});
