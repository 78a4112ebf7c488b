// @ts-check
// The folder for data: sessions, results of tasks, documents, the operator's log and the key. Only its owner can read it.
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Unreadable } from "./cli-error.js";
import { makeFolder } from "./folders.js";
import { STORAGE } from "./workerd.js";

const KEY = "key";
/** The file that names the cluster of which the folder has copies. */
const CLUSTER = "cluster";
/** What the folder of a gateway contains, and what a new folder may contain already. */
const EXPECTED = [STORAGE, KEY, CLUSTER, "lock", "lock~", ".gitignore", ".gitkeep", "lost+found"];
/** The rights of others than the owner, and the bit of folders that users share, such as `/tmp`. */
const OTHERS = 0o077;
const SHARED = 0o1000;

export const unusable = (folder, { message }) =>
  new Unreadable(`--data: the folder \`${folder}\` cannot be used: ${message}`);

/**
 * Makes a folder for data, if it is missing, and takes the rights of others away from it and its files.
 * @param {string} folder
 */
export function prepareData(folder) {
  if (folder === "") throw new Unreadable("--data: expected a folder, got an empty path");
  try {
    const storage = join(folder, STORAGE);
    makeFolder(folder);
    closeFolder(folder);
    makeFolder(storage);
    accessSync(storage, constants.W_OK);
    closeAll(storage);
    closeFile(join(folder, KEY));
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** The key that seals sessions and cursors, kept with the data that it seals. `made` is a new one. */
export function keyIn(folder, made) {
  const path = join(folder, KEY);
  let key;
  try {
    // A link is not followed.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      writeFileSync(path, made, { mode: 0o600, flag: "wx" });
    key = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw unusable(folder, error);
  }
  if (key === "")
    throw new Unreadable(`--data: the key in \`${path}\` is empty; delete the file to have a new one made`);
  return key;
}

/**
 * Sees to it that a folder for data is used as before: by a single gateway, or by a node of the same cluster, whose bucket is
 * given. The objects of a single gateway are no copies of a bucket, and a cluster does not import them.
 * @param {string} folder
 * @param {string} [bucket]
 */
export function claimFor(folder, bucket) {
  const path = join(folder, CLUSTER);
  const former = readText(path);
  if (former === bucket) return;
  if (former !== undefined)
    throw new Unreadable(
      `--data: the folder \`${folder}\` has copies of the cluster ${former}: ${
        bucket === undefined ? `add \`--cluster ${former}\`` : "go on with that cluster"
      }, or name another folder`,
    );
  if (readdirSync(join(folder, STORAGE)).length > 0)
    throw new Unreadable(
      `--data: the folder \`${folder}\` has the sessions, tasks and logs of a single gateway, which a cluster does not import: name another folder, and keep this one if you may go back to a single gateway`,
    );
  writeFileSync(path, /** @type {string} */ (bucket), { mode: 0o600 });
}

function readText(/** @type {string} */ path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Takes the rights of others away from a folder that has the files of a gateway alone. Windows has rights of another kind. */
function closeFolder(folder) {
  const open = () => process.platform !== "win32" && (statSync(folder).mode & OTHERS) !== 0;
  if (!open()) return;
  const other = readdirSync(folder).find((name) => !EXPECTED.includes(name));
  const advice = `name a folder of its own, such as \`${join(folder, "sieve")}\``;
  if (other !== undefined || (statSync(folder).mode & SHARED) !== 0)
    throw new Error(
      `other users may read it, and it is not the gateway's alone${other === undefined ? "" : ` (\`${other}\`)`}: ${advice}, or close it with \`chmod 700\``,
    );
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    throw new Error(`other users may read it, and its rights cannot be changed (${error.code}): ${advice}`);
  }
  if (open()) throw new Error(`other users may read it, and its file system keeps no rights: ${advice} elsewhere`);
}

/** Does the same for the files and folders in a folder. Links are left as they are. */
function closeAll(folder) {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) closeAll(path);
    else closeFile(path);
  }
}

function closeFile(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && (found.mode & OTHERS) !== 0) chmodSync(path, 0o600);
}
