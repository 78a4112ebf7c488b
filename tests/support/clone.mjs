// Throw-away clones of the repository, for tests of what a person runs in a fresh one.
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./home.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MAX_OUTPUT = 2 ** 26;
const git = (cwd, ...args) => execFileSync("git", args, { cwd, encoding: "utf8" });

/** Returns the folders that `make setup` installs, as paths below the root. */
const installed = (tracked) =>
  [
    ".tools",
    ...tracked.filter((path) => path.endsWith("package-lock.json")).map((path) => join(dirname(path), "node_modules")),
  ].filter((path) => existsSync(join(root, path)));

/**
 * Clones the current commit into a temporary folder. The installed tools are links, and the clone has a home folder of
 * its own.
 *
 * Cargo builds in the folder of this repository, and compiles nothing again that it has compiled here. It compares the
 * times of files and not their text, so the files of the clone get the times that they have here. If this repository
 * has changes that are not committed, the clone builds in a folder of its own: otherwise, the next build here would use
 * what was compiled without them.
 */
export function cloneCommit() {
  const place = mkdtempSync(join(tmpdir(), "sieve-clone-"));
  const folder = join(place, "sieve");
  git(root, "clone", "--quiet", root, folder);
  const tracked = git(folder, "ls-files", "-z").split("\0").filter(Boolean);
  for (const path of installed(tracked)) {
    symlinkSync(join(root, path), join(folder, path));
    // The patterns of .gitignore end with a slash, so they match folders and no links.
    appendFileSync(join(folder, ".git/info/exclude"), `/${path}\n`);
  }
  const isClean = git(root, "status", "--porcelain") === "";
  if (isClean)
    for (const path of tracked) {
      const { atime, mtime } = statSync(join(root, path));
      utimesSync(join(folder, path), atime, mtime);
    }
  const home = join(place, "home");
  mkdirSync(home);
  const env = {
    ...process.env,
    HOME: home,
    USERPROFILE: home,
    CARGO_TARGET_DIR: isClean ? resolve(root, process.env.CARGO_TARGET_DIR ?? "target") : join(place, "target"),
    PATH: [...[".tools/bin", "scripts/node_modules/.bin"].map((path) => join(folder, path)), process.env.PATH].join(
      ":",
    ),
  };
  return {
    folder,
    env,
    /** Runs a program in the clone. Resolves with its output, and rejects if it fails. */
    run: (program, args, options) =>
      promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: MAX_OUTPUT, ...options }),
    /** Returns what git finds changed or new, one file a line. */
    changes: () => git(folder, "status", "--porcelain"),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}
