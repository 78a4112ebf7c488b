// The file that `dev` watches, where no event of its folder announces a change.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { follow } from "../pkg/cli/lib/follow.js";
import { until } from "./support/until.mjs";

const folder = mkdtempSync(join(tmpdir(), "sieve-follow-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Follows a file until the end of the test. Returns the texts that were read at its changes, without repetitions. */
function followed(context, path) {
  const texts = [];
  const { close } = follow(path, async () => {
    const text = readFileSync(path, "utf8");
    if (text !== texts.at(-1)) texts.push(text);
  });
  context.after(close);
  return texts;
}

test("a link whose target is replaced is followed, as Kubernetes replaces a ConfigMap", async (context) => {
  const version = (name, text) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "sieve.jsonc"), text);
    symlinkSync(name, join(folder, "..next"));
    renameSync(join(folder, "..next"), join(folder, "..data"));
  };
  version("..1", "first");
  symlinkSync("..data/sieve.jsonc", join(folder, "sieve.jsonc"));
  const texts = followed(context, join(folder, "sieve.jsonc"));
  await until(() => texts.length === 1, "the first text");
  version("..2", "second");
  await until(() => texts.length === 2, "the second text", { within: 5_000 });
  assert.deepEqual(texts, ["first", "second"]);
});

test("a file is followed that is written under another name, as a container mounts it", async (context) => {
  const [own, mounted] = ["own", "mounted"].map((name) => join(folder, name));
  for (const path of [own, mounted]) mkdirSync(path);
  writeFileSync(join(own, "sieve.jsonc"), "first");
  symlinkSync(join(own, "sieve.jsonc"), join(mounted, "sieve.jsonc"));
  const texts = followed(context, join(mounted, "sieve.jsonc"));
  await until(() => texts.length === 1, "the first text");
  writeFileSync(join(own, "sieve.jsonc"), "second");
  await until(() => texts.length === 2, "the second text", { within: 5_000 });
  assert.deepEqual(texts, ["first", "second"]);
});
