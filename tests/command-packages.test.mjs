// Where the command looks for its optional packages, and which versions it takes.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { environmentOf } from "../pkg/cli/lib/npm.js";
import { folderOf, foldersBeside, satisfies } from "../pkg/cli/lib/optional-packages.js";
import { cacheFolder, stateFolder } from "../pkg/cli/lib/user-folders.js";
import "./support/home.mjs";
import { startRegistry } from "./support/registry.mjs";
import { installTarball } from "./support/tarball.mjs";

const [OLD, FIT] = ["1.20260426.1", "1.20261117.1"];
let consumer;
/** A folder of this test: `home` is that of the user, and `repo` one that someone else has prepared. */
let place;
let env;

before(async () => {
  consumer = await installTarball();
});
after(() => consumer?.remove());
beforeEach(() => {
  place = mkdtempSync(join(consumer.folder, "place-"));
  mkdirSync(join(place, "repo"));
  env = {
    PATH: process.env.PATH,
    HOME: join(place, "home"),
    XDG_CACHE_HOME: join(place, "home/cache"),
    npm_config_cache: join(place, "home/npm"),
    npm_config_update_notifier: "false",
    npm_config_fetch_retries: "0",
  };
});

/** Writes a package that leaves the file `ran` in `place` when it is loaded. */
function plant(folder, name, version, dependencies = {}) {
  const at = join(folder, name);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "package.json"), JSON.stringify({ name, version, main: "index.js", dependencies }));
  writeFileSync(join(at, "index.js"), `require("node:fs").writeFileSync(${JSON.stringify(join(place, "ran"))}, "");`);
}
const versionOf = (name) => folderOf(name).split("@").at(-1);
const hasRun = () => existsSync(join(place, "ran"));
const run = (program, args, options) =>
  new Promise((done) => {
    execFile(program, args, { timeout: 60_000, ...options }, (error, stdout, stderr) =>
      done({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
/** Starts the gateway in a folder. */
const stdio = (cwd, more = {}) =>
  run(process.execPath, [join(consumer.package, "cli/main.js"), "stdio", "--upstream", "https://a.example/mcp"], {
    cwd,
    env: { ...env, ...more },
  });
/** Asks the command for a package. Prints where it is. */
function borrow(name, { yes = false, cwd = join(place, "repo"), more = {} } = {}) {
  const module = pathToFileURL(join(consumer.package, "cli/lib/optional-packages.js"));
  const text = `import { borrow } from ${JSON.stringify(module)};
process.stdout.write(await borrow(${JSON.stringify(name)}, { yes: ${yes} }).catch(({ message }) => message));`;
  return run(process.execPath, ["--input-type=module", "-e", text], { cwd, env: { ...env, ...more } });
}

describe("a package", () => {
  const rows = [
    ["of the current folder", () => plant(join(place, "repo/node_modules"), "workerd", FIT)],
    ["above the current folder", () => plant(join(place, "node_modules"), "workerd", FIT)],
    [
      "of NODE_PATH",
      () => {
        plant(join(place, "elsewhere"), "workerd", FIT);
        return { NODE_PATH: join(place, "elsewhere") };
      },
    ],
    ["of the home folder", () => plant(join(place, "home/.node_modules"), "workerd", FIT)],
    [
      "of a cache in the current folder",
      () => {
        plant(join(place, `repo/cache/mcp-sieve/workerd@${FIT}/node_modules`), "workerd", FIT);
        return { XDG_CACHE_HOME: "cache" };
      },
    ],
    [
      "beside a link to this package",
      () => {
        plant(join(place, "repo/node_modules"), "workerd", FIT);
        symlinkSync(consumer.package, join(place, "repo/node_modules/mcp-sieve"));
      },
    ],
    [
      "of the cache of another version",
      () => plant(join(env.XDG_CACHE_HOME, "mcp-sieve/node_modules"), "workerd", FIT),
    ],
    [
      "of a wrong version in the cache",
      () => plant(join(env.XDG_CACHE_HOME, `mcp-sieve/workerd@${FIT}/node_modules`), "workerd", OLD),
    ],
  ];
  for (const [where, prepare] of rows)
    test(`${where} is not run`, async () => {
      const { status, stderr } = await stdio(join(place, "repo"), prepare() ?? {});
      assert.equal(status, 2, stderr);
      assert.match(stderr, /needs the package `workerd` \(130 MB\), which is not installed/);
      assert.ok(!hasRun());
    });

  test("beside the command is used, if its version fits", async () => {
    const beside = join(consumer.folder, "node_modules");
    try {
      plant(beside, "workerd", OLD);
      const { stdout } = await borrow("workerd");
      assert.match(
        stdout,
        /which is not installed in a version that fits \(expected \^1\.20261001\.0, got 1\.20260426\.1 in \S+node_modules\): run `npm install workerd@1\.20261117\.1`, or add --yes/,
      );
      plant(beside, "workerd", FIT);
      assert.equal((await borrow("workerd")).stdout, join(beside, "workerd/index.js"));
    } finally {
      rmSync(join(beside, "workerd"), { recursive: true });
    }
  });

  test("is not fetched into a folder that cannot be made", async () => {
    for (const cache of ["/proc/x", "/dev/null", join(place, "repo/file")]) {
      writeFileSync(join(place, "repo/file"), "");
      const { stdout } = await borrow("workerd", { yes: true, more: { XDG_CACHE_HOME: cache } });
      assert.match(stdout, new RegExp(`^packages cannot be kept in ${cache}/mcp-sieve: E[A-Z]+: `));
    }
  });

  test("is fetched in its exact version into a folder of its own, and changes no other", {
    timeout: 60_000,
  }, async () => {
    const version = versionOf("wrangler");
    plant(join(place, "published"), "wrangler", version, { workerd: OLD });
    plant(join(place, "published/wrangler/node_modules"), "workerd", OLD);
    const registry = await startRegistry(join(place, "published"), ["wrangler"]);
    try {
      const more = { npm_config_registry: registry.url };
      const { stdout, stderr } = await borrow("wrangler", { yes: true, more });
      assert.equal(
        stdout,
        join(env.XDG_CACHE_HOME, `mcp-sieve/wrangler@${version}/node_modules/wrangler/index.js`),
        stderr,
      );
      assert.deepEqual(registry.fetched.sort(), ["workerd", "wrangler"]);
      // The workerd of wrangler is not the one of `run`.
      assert.match((await borrow("workerd", { more })).stdout, /needs the package `workerd`/);
      // It stays, and is fetched once.
      assert.equal((await borrow("wrangler")).stdout, stdout);
      // A registry without the exact version is no reason to take another one.
      assert.match((await borrow("workerd", { yes: true, more })).stdout, /^npm cannot fetch `workerd`$/);
    } finally {
      registry.stop();
    }
  });

  test("is fetched from the user's registry by the user's npm, whatever the current folder has", {
    timeout: 60_000,
  }, async () => {
    const repo = join(place, "repo");
    mkdirSync(join(repo, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(repo, "node_modules/.bin/npm"), `#!/bin/sh\ntouch ${join(place, "ran")}\n`, { mode: 0o755 });
    plant(join(place, "evil"), "gpt-tokenizer", "4.0.0");
    plant(join(place, "good"), "gpt-tokenizer", "4.0.0");
    const [evil, good] = await Promise.all(
      ["evil", "good"].map((name) => startRegistry(join(place, name), ["gpt-tokenizer"])),
    );
    try {
      writeFileSync(join(repo, ".npmrc"), `registry=${evil.url}\nscript-shell=${repo}/shell\n`);
      mkdirSync(env.HOME, { recursive: true });
      writeFileSync(join(env.HOME, ".npmrc"), `registry=${good.url}\n`);
      // What `npx` sets in this folder.
      const more = {
        PATH: `${repo}/node_modules/.bin:.:${env.PATH}`,
        npm_config_user_agent: "npm/10.0.0",
        npm_config_local_prefix: repo,
        npm_config_registry: evil.url,
        npm_config_script_shell: `${repo}/shell`,
      };
      const { stdout, stderr } = await borrow("gpt-tokenizer", { yes: true, more });
      assert.match(stdout, /gpt-tokenizer@4\.0\.0\/node_modules\/gpt-tokenizer\/index\.js$/, stderr);
      assert.deepEqual([evil.fetched, good.fetched, hasRun()], [[], ["gpt-tokenizer"], false]);
    } finally {
      evil.stop();
      good.stop();
    }
  });

  test("runs no script when it is installed", { timeout: 60_000 }, async () => {
    plant(join(place, "published"), "gpt-tokenizer", "4.0.0");
    const manifest = join(place, "published/gpt-tokenizer/package.json");
    const scripts = { preinstall: `touch ${join(place, "ran")}`, postinstall: `touch ${join(place, "ran")}` };
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), scripts }));
    const registry = await startRegistry(join(place, "published"), ["gpt-tokenizer"]);
    try {
      const { stdout, stderr } = await borrow("gpt-tokenizer", {
        yes: true,
        more: { npm_config_registry: registry.url },
      });
      assert.match(stdout, /index\.js$/, stderr);
      assert.ok(!hasRun());
    } finally {
      registry.stop();
    }
  });
});

test("packages are beside a package in each `node_modules` that it is in", () => {
  const rows = [
    ["/p/node_modules/mcp-sieve", ["/p/node_modules/mcp-sieve/node_modules", "/p/node_modules"]],
    [
      "/p/node_modules/.pnpm/mcp-sieve@1/node_modules/mcp-sieve",
      [
        "/p/node_modules/.pnpm/mcp-sieve@1/node_modules/mcp-sieve/node_modules",
        "/p/node_modules/.pnpm/mcp-sieve@1/node_modules",
        "/p/node_modules",
      ],
    ],
    ["/src/sieve/pkg", ["/src/sieve/pkg/node_modules"]],
  ];
  for (const [folder, expected] of rows) assert.deepEqual(foldersBeside(folder), expected);
});

test("a version fits a range of the same major version from its least on", () => {
  const rows = [
    ["1.2.3", true],
    ["1.2.4", true],
    ["1.3.0", true],
    ["1.20261117.1", true],
    ["1.2.2", false],
    ["1.1.9", false],
    ["0.9.9", false],
    ["2.0.0", false],
    ["1.3.0-beta.1", false],
    ["1.3", false],
    ["undefined", false],
  ];
  for (const [version, fits] of rows) assert.equal(satisfies(version, "^1.2.3"), fits, version);
});

test("the versions that are fetched are the tested ones, and fit the ranges of the package", () => {
  const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const { peerDependencies } = read("../pkg/package.json");
  const tested = { ...read("package.json").devDependencies, ...read("tokenizer/package.json").devDependencies };
  for (const name of ["gpt-tokenizer", "workerd", "wrangler"]) {
    assert.ok(satisfies(versionOf(name), peerDependencies[name]), name);
    // Node 20 has a wrangler of its own.
    if (name !== "wrangler") assert.equal(versionOf(name), tested[name]);
  }
});

test("npm gets the variables of the user, and those of no project", () => {
  const folder = mkdtempSync(join(consumer.folder, "npm-"));
  const own = { HOME: dirname(folder), PATH: "/usr/bin:node_modules/.bin:/p/node_modules/.bin:.:/bin" };
  const registry = { npm_config_registry: "https://a.example/" };
  const npx = { npm_config_user_agent: "npm/10", npm_config_local_prefix: folder };
  const cleaned = { ...own, PATH: "/usr/bin:/bin" };
  assert.deepEqual(environmentOf({ ...own, ...registry }, folder), { ...cleaned, ...registry });
  assert.deepEqual(environmentOf({ ...own, ...registry, ...npx }, folder), { ...cleaned, ...registry, ...npx });
  writeFileSync(join(folder, ".npmrc"), "");
  // The user has set it, where npm did not start the command.
  assert.deepEqual(environmentOf({ ...own, ...registry }, folder), { ...cleaned, ...registry });
  for (const started of [npx, { npm_config_user_agent: "pnpm/9" }, { ...npx, NPM_CONFIG_USERCONFIG: "x" }])
    assert.deepEqual(environmentOf({ ...own, ...registry, ...started }, folder), cleaned);
  // The file of the user is no project's.
  assert.deepEqual(environmentOf({ ...own, ...registry, ...npx, HOME: folder }, folder), {
    ...cleaned,
    ...registry,
    ...npx,
    HOME: folder,
  });
});

test("the folders of the user are absolute", () => {
  const rows = [
    [cacheFolder({ XDG_CACHE_HOME: "/c" }), /^\/c\/mcp-sieve$/],
    [cacheFolder({ XDG_CACHE_HOME: "c" }), /^\/.*\/\.cache\/mcp-sieve$/],
    [stateFolder({ XDG_STATE_HOME: "/s" }, "linux"), /^\/s\/mcp-sieve$/],
    [stateFolder({ XDG_STATE_HOME: "../s" }, "linux"), /^\/.*\/\.local\/state\/mcp-sieve$/],
    [stateFolder({}, "darwin"), /^\/.*\/Library\/Application Support\/mcp-sieve$/],
    [stateFolder({ LOCALAPPDATA: "/l" }, "win32"), /^\/l\/mcp-sieve$/],
  ];
  for (const [folder, expected] of rows) assert.match(folder, expected);
});
