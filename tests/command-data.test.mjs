// The lock of the folder for data: one gateway holds it, and the end of its process releases it, however that happens.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { lockData } from "../pkg/cli/lib/data-lock.js";

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
