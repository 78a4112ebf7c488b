// Packages that the command works with and does not bring: most never need them, and some are large.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { warn } from "./print.js";
import { Unreadable } from "./unreadable.js";

const PACKAGES = {
  "gpt-tokenizer": { version: "3", size: "9 MB", what: "counting tokens" },
  "@modelcontextprotocol/client": { version: "2", size: "8 MB", what: "asking a live server" },
  workerd: { version: "1", size: "130 MB", what: "running the gateway" },
  wrangler: { version: "4", size: "250 MB", what: "deploying" },
};

/** The option of every word that borrows. */
export const YES = { yes: { type: "boolean", short: "y", help: "Fetch a missing npm package without asking." } };

/** Where packages are put that `--yes` had fetched. */
const shelf = () => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mcp-sieve");

/**
 * The path of a module of a package, as the package names it: from beside this one, from the project that the
 * command is run in, or from those fetched before; with `yes` it is fetched.
 */
export async function borrow(name, { path = "", yes = false } = {}) {
  const places = [import.meta.url, join(process.cwd(), "package.json")];
  const here = places.map((place) => resolved(place, name + path)).find((module) => module !== undefined) ?? shelved(name, path);
  if (here !== undefined) return here;
  const { version, size, what } = PACKAGES[name];
  if (!yes) {
    throw new Unreadable(`${what} takes the package \`${name}\`, which is not installed: npm install ${name} (${size}), or say --yes to have it fetched into ${shelf()}`);
  }
  warn(`fetching ${name} (${size}) into ${shelf()}, once`);
  mkdirSync(shelf(), { recursive: true });
  try {
    await promisify(execFile)("npm", ["install", "--prefix", shelf(), "--no-audit", "--no-fund", "--silent", `${name}@${version}`], { shell: process.platform === "win32" });
  } catch (error) {
    warn(...(error.stderr || error.message).trim().split("\n"));
    throw new Unreadable(`${name} could not be fetched`);
  }
  return shelved(name, path) ?? fail(name);
}

/** The same, imported. */
export const borrowed = async (name, options) => import(pathToFileURL(await borrow(name, options)));

/** Node remembers what it did not find: it is asked only for what is there. */
const shelved = (name, path) => (existsSync(join(shelf(), "node_modules", name)) ? resolved(join(shelf(), "package.json"), name + path) : undefined);

function resolved(place, module) {
  try {
    return createRequire(place).resolve(module);
  } catch {
    return undefined;
  }
}

function fail(name) {
  throw new Unreadable(`${name} was fetched, and is not in ${shelf()}`);
}
