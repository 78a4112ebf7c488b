// @ts-check
// Packages that the command uses and does not depend on: most users never need them, and some are large.
import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { warn } from "./print.js";
import { Unreadable } from "./cli-error.js";
import { makeFolder } from "./folders.js";
import { install } from "./npm.js";
import { manifest, root } from "./own-package.js";
import { cacheFolder } from "./user-folders.js";

/** The last version of wrangler that runs under Node 20. */
export const WRANGLER_OF_NODE_20 = "4.86.0";
const node = Number(process.versions.node.split(".")[0]);
/** The version of each package that is fetched, which the command is tested with. */
const PACKAGES = {
  "gpt-tokenizer": { version: "4.0.0", size: "9 MB", what: "Counting tokens" },
  workerd: { version: "1.20261117.1", size: "130 MB", what: "Running the gateway" },
  wrangler: { version: node < 22 ? WRANGLER_OF_NODE_20 : "4.152.0", size: "250 MB", what: "Deploying" },
};
/** The versions of installed packages that are used: `^1.2.3`. */
const { peerDependencies: RANGES } = manifest;

/** The option of every command that uses such a package. */
export const YES = { yes: { type: "boolean", short: "y", help: "Fetch a missing npm package without asking." } };

/** The folder of a package that was fetched: one for each version, so that none of them changes what another one uses. */
export const folderOf = (name) => join(cacheFolder(), `${name}@${PACKAGES[name].version}`);

/**
 * Returns the path of a module of a package: of one installed beside this package, or of one fetched before. A missing package
 * is fetched if `yes` is set or the user agrees. `range` is that of the versions that will do, if not all of them do.
 */
export async function borrow(name, { path = "", yes = false, range = RANGES[name] } = {}) {
  const { version } = PACKAGES[name];
  const other = [];
  for (const folder of foldersBeside(root)) {
    const found = versionIn(folder, name);
    if (found !== undefined && satisfies(found, range)) return moduleIn(folder, name, path);
    if (found !== undefined) other.push(`${found} in ${folder}`);
  }
  const fetched = join(folderOf(name), "node_modules");
  if (versionIn(fetched, name) === version) return moduleIn(fetched, name, path);
  if (!yes && !(await agreed(name))) throw new Unreadable(refusal(name, range, other));
  await fetchPackage(name);
  return moduleIn(fetched, name, path);
}

/** The same, imported. */
export const borrowed = async (name, options) => import(pathToFileURL(await borrow(name, options)).href);

/**
 * The folders in which packages beside a package are: its own, and each `node_modules` that it is in. Who can write there can
 * replace this package itself. The current folder, the folders above it and `NODE_PATH` are others' to fill.
 * @param {string} folder
 */
export function foldersBeside(folder) {
  const folders = [join(folder, "node_modules")];
  for (let place = dirname(folder); place !== dirname(place); place = dirname(place))
    if (basename(place) === "node_modules") folders.push(place);
  return folders;
}

/** Returns whether a version is in a range such as `^1.2.3`: at least this one, and of the same major version. */
export function satisfies(version, range) {
  const [least, found] = [range.slice(1), version].map((text) =>
    /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number),
  );
  if (found === undefined || found[0] !== least[0]) return false;
  const at = least.findIndex((number, at) => number !== found[at]);
  return at < 0 || found[at] > least[at];
}

/** Returns the version of a package in a `node_modules` folder; nothing if it is not there. */
function versionIn(folder, name) {
  try {
    return String(JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")).version);
  } catch {
    return undefined;
  }
}

/** Returns the path of a module of a package in a `node_modules` folder. A look-up that leaves the package is an error. */
function moduleIn(folder, name, path) {
  const home = join(folder, name);
  try {
    const module = createRequire(join(home, "package.json")).resolve(name + path);
    if (module.startsWith(realpathSync(home) + sep)) return module;
  } catch {
    // It is reported below.
  }
  throw new Unreadable(
    `the package \`${name}\` in ${folder} has no \`${name}${path}\`: remove it, and install it again`,
  );
}

function refusal(name, range, other) {
  const { size, what, version } = PACKAGES[name];
  const found =
    other.length === 0
      ? "not installed"
      : `not installed in a version that fits (expected ${range}, got ${other.join(", ")})`;
  return `${what} needs the package \`${name}\` (${size}), which is ${found}: run \`npm install ${name}@${version}\`, or add --yes to fetch it into ${cacheFolder()}`;
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
    terminal.question(`Fetch ${name} (${size}) into ${cacheFolder()}? [Y/n] `, (answer) => {
      settle(/^\s*(y|yes|)\s*$/i.test(answer));
      terminal.close();
    });
  });
}

/** Fetches a package into its folder, which is there only when the package is whole. */
async function fetchPackage(name) {
  const { version, size } = PACKAGES[name];
  const folder = folderOf(name);
  warn(`fetching ${name} (${size}) into ${cacheFolder()}`);
  const temporary = temporaryBeside(folder);
  try {
    await install(temporary, `${name}@${version}`);
    const found = versionIn(join(temporary, "node_modules"), name);
    if (found !== version) throw new Error(`expected version ${version}, got ${found ?? "none"}`);
    // Another process may have fetched it meanwhile.
    if (versionIn(join(folder, "node_modules"), name) === version) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
  } catch (error) {
    warn(...(error.stderr || error.stdout || error.message).trim().split("\n"));
    throw new Unreadable(`npm cannot fetch \`${name}\``);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Makes a temporary folder beside another one. */
function temporaryBeside(folder) {
  try {
    makeFolder(dirname(folder));
    return mkdtempSync(`${folder}-`);
  } catch (error) {
    throw new Unreadable(`packages cannot be kept in ${dirname(folder)}: ${error.message}`);
  }
}
