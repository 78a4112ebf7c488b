// Tests have a home folder of their own: they find no file of the user and leave none.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import "./support/home.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const HOME = "tests/support/home.mjs";
/** Programs that tests start, which must see the environment that they are given. */
const STARTED = new Set(["tests/support/stdio-server.mjs"]);
const STARTS = /from "(?:node:child_process|playwright-core|@modelcontextprotocol\/(?:sdk\/)?client\/stdio(?:\.js)?)"/;

test("every module that starts processes imports the home folder of the tests", () => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "tests"], {
    cwd: root,
    encoding: "utf8",
  });
  const starting = listed.split("\n").filter((path) => {
    const isModule = path.endsWith(".mjs") && !STARTED.has(path);
    return isModule && STARTS.test(readFileSync(join(root, path), "utf8"));
  });
  assert.ok(starting.length > 45, "the modules are found");
  const without = starting.filter((path) => {
    const specifier = posix.relative(posix.dirname(path), HOME).replace(/^(?!\.)/, "./");
    return !new RegExp(`^import .*"${specifier.replaceAll(".", "\\.")}";$`, "m").test(
      readFileSync(join(root, path), "utf8"),
    );
  });
  assert.deepEqual(without, [], `add \`import "…/support/home.mjs"\``);
});

/** What a program that a test starts takes for the folders of the user. */
const SEEN = `
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { home } from ${JSON.stringify(new URL("support/home.mjs", import.meta.url).href)};
const get = (name) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();
const { CARGO_HOME, RUSTUP_HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME } = process.env;
console.log(JSON.stringify({ home, homedir: homedir(), cache: get("cache"), author: get("init-author-name"),
  CARGO_HOME, RUSTUP_HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME }));
`;

test("a process of a test finds no file of the user, and leaves none", () => {
  const user = mkdtempSync(join(tmpdir(), "sieve-user-"));
  try {
    const settings = join(user, ".npmrc");
    mkdirSync(join(user, "cache"));
    writeFileSync(settings, `cache=${join(user, "cache")}\ninit-author-name=user\n`);
    const { CARGO_HOME: _, RUSTUP_HOME: __, ...rest } = process.env;
    // A home that is no folder can neither be read nor written, by root either.
    for (const HOME of [user, "/dev/null"]) {
      const env = {
        ...rest,
        HOME,
        XDG_CACHE_HOME: join(user, "cache"),
        XDG_CONFIG_HOME: user,
        npm_config_cache: join(user, "cache"),
        NPM_CONFIG_USERCONFIG: settings,
      };
      const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", SEEN], { env, cwd: tmpdir() });
      const { home, ...seen } = JSON.parse(printed);
      assert.deepEqual(seen, {
        homedir: home,
        cache: join(home, ".npm"),
        author: "",
        CARGO_HOME: join(HOME, ".cargo"),
        RUSTUP_HOME: join(HOME, ".rustup"),
      });
      assert.ok(!existsSync(home), "it is removed at the end");
    }
    assert.deepEqual(readdirSync(user, { recursive: true }).sort(), [".npmrc", "cache"]);
  } finally {
    rmSync(user, { recursive: true, force: true });
  }
});
