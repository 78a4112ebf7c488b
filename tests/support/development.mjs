// The tarball of `make package`, a development build, and the command in it as `npx` runs it.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./home.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const { name, version } = JSON.parse(readFileSync(join(root, "pkg/package.json"), "utf8"));
const BUILD_MS = 600_000;
const RUN_MS = 120_000;

/**
 * Returns the path of the tarball: the one that SIEVE_TARBALL names, or that in `build/`. Builds it if it or the folder that it is
 * packed from is missing.
 */
export async function developmentTarball() {
  const given = process.env.SIEVE_TARBALL;
  if (given) return resolve(given);
  const path = join(root, "build", `${name}-${version}.tgz`);
  const folder = join(root, "build/dev/package");
  if (!existsSync(path) || !existsSync(folder)) await run("make", ["package"], { cwd: root, timeout: BUILD_MS });
  return path;
}

/**
 * Makes the machine of a user: a home with npm's cache and the optional packages that the command fetches, so that no registry is
 * contacted. `npx(args)` runs `npx` there and returns its status and output.
 */
export function newcomer() {
  const home = mkdtempSync(join(tmpdir(), "sieve-home-"));
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_|^XDG_/i.test(key))),
    HOME: home,
    CI: "true",
    npm_config_cache: join(home, ".npm"),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  const { devDependencies } = JSON.parse(readFileSync(join(root, "tests/package.json"), "utf8"));
  for (const borrowed of ["workerd", "wrangler"]) {
    const place = join(home, ".cache/mcp-sieve", `${borrowed}@${devDependencies[borrowed]}`, "node_modules", borrowed);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "tests/node_modules", borrowed), place);
  }
  return {
    home,
    env,
    npx: (args, more = {}) =>
      new Promise((done) => {
        const options = { cwd: home, env: { ...env, ...more }, timeout: RUN_MS };
        execFile("npx", ["-y", ...args], options, (error, stdout, stderr) =>
          done({ status: error?.code ?? 0, stdout, stderr }),
        );
      }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
