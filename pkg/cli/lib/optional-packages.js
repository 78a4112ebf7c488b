// @ts-check
// Packages that the command uses and does not depend on: most users never need them, and some are large.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { warn } from "./print.js";
import { Unreadable } from "./cli-error.js";

const PACKAGES = {
  "gpt-tokenizer": { version: "3", size: "9 MB", what: "Counting tokens" },
  "@modelcontextprotocol/client": { version: "2", size: "8 MB", what: "Asking a live server" },
  workerd: { version: "1", size: "130 MB", what: "Running the gateway" },
  wrangler: { version: "4", size: "250 MB", what: "Deploying" },
};

/** The option of every command that uses such a package. */
export const YES = { yes: { type: "boolean", short: "y", help: "Fetch a missing npm package without asking." } };

/** The folder of packages that were fetched. */
const cache = () => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mcp-sieve");

/**
 * Returns the path of a module of a package: of one installed beside this package or in the project that the command is
 * run in, or of one fetched before. A missing package is fetched if `yes` is set or the user agrees.
 */
export async function borrow(name, { path = "", yes = false } = {}) {
  const places = [import.meta.url, join(process.cwd(), "package.json")];
  const installed =
    places.map((place) => resolved(place, name + path)).find((module) => module !== undefined) ?? cached(name, path);
  if (installed !== undefined) return installed;
  if (!yes && !(await agreed(name))) throw new Unreadable(refusal(name));
  await fetchPackage(name);
  const fetched = cached(name, path);
  if (fetched === undefined)
    throw new Unreadable(`npm fetched \`${name}\`, but \`${name}${path}\` is not in ${cache()}`);
  return fetched;
}

/** The same, imported. */
export const borrowed = async (name, options) => import(pathToFileURL(await borrow(name, options)).href);

function refusal(name) {
  const { size, what } = PACKAGES[name];
  return `${what} needs the package \`${name}\` (${size}), which is not installed: run \`npm install ${name}\`, or add --yes to fetch it into ${cache()}`;
}

/** Asks in a terminal whether to fetch a package. Without a terminal, nothing is fetched. */
function agreed(name) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { size, what } = PACKAGES[name];
  warn(`${what} needs the package ${name}, which is not installed.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((settle) => {
    // Ctrl-C and Ctrl-D close the terminal without an answer.
    terminal.once("close", () => settle(false));
    terminal.question(`Fetch ${name} (${size}) into ${cache()}? [Y/n] `, (answer) => {
      settle(/^\s*(y|yes|)\s*$/i.test(answer));
      terminal.close();
    });
  });
}

async function fetchPackage(name) {
  const { version, size } = PACKAGES[name];
  warn(`fetching ${name} (${size}) into ${cache()}`);
  mkdirSync(cache(), { recursive: true });
  // The folder is not among the arguments: a shell, which Windows needs for npm, would split it at spaces.
  const args = ["install", "--prefix", ".", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`];
  try {
    await promisify(execFile)("npm", args, { cwd: cache(), shell: process.platform === "win32" });
  } catch (error) {
    warn(...(error.stderr || error.stdout || error.message).trim().split("\n"));
    throw new Unreadable(`npm cannot fetch \`${name}\``);
  }
}

/** Loads a package that exists. Node caches failed look-ups, so packages that do not exist are not looked up. */
const cached = (name, path) =>
  existsSync(join(cache(), "node_modules", name)) ? resolved(join(cache(), "package.json"), name + path) : undefined;

function resolved(place, module) {
  try {
    return createRequire(place).resolve(module);
  } catch {
    return undefined;
  }
}
