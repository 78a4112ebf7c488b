// @ts-check
// The folder of this user with the connections to servers, and the files in it. Their owner alone can read them.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { Unreadable } from "../cli-error.js";
import { PRIVATE, PRIVATE_FOLDER, folderOf, replaceFile } from "../files.js";
import { warn } from "../print.js";
import { socketLock } from "../socket-lock.js";
import { stateFolder } from "../user-folders.js";

/** The name of the lock that processes hold while they change a file. */
const LOCK = "connections.lock";
/** Maximum time, in milliseconds, to wait for other processes, which hold the lock for milliseconds. */
const BUSY_MS = 10_000;
/** The rights of others than the owner. */
const OTHERS = 0o077;

/** The path of a file of the folder. */
export const pathOf = (/** @type {string} */ name) => join(stateFolder(), name);

/**
 * Calls `work` while no other process of this user changes a file of the folder, which is made if it is missing.
 * @template Result
 * @param {() => Result | Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {Unreadable} if the folder cannot be used
 */
export async function locked(work) {
  const folder = prepared();
  const end = Date.now() + BUSY_MS;
  const release = await socketLock(folder, {
    name: LOCK,
    busy: () => {
      if (Date.now() > end)
        throw new Unreadable(
          `${folder}: another \`npx mcp-sieve\` has been writing connections for ${BUSY_MS / 1000} s`,
        );
    },
    unlockable: (code) =>
      warn(`${folder}: the folder cannot be locked (${code}): let no two commands sign in at the same time`),
  });
  try {
    return await work();
  } finally {
    release();
  }
}

/** Makes the folder, if it is missing, and takes the rights of others away from it. */
function prepared() {
  const folder = folderOf(stateFolder(), PRIVATE_FOLDER);
  if (process.platform === "win32" || (statSync(folder).mode & OTHERS) === 0) return folder;
  try {
    chmodSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    throw new Unreadable(
      `${folder}: other users may read the folder, and its rights cannot be changed (${error.code})`,
    );
  }
  return folder;
}

/**
 * Returns the text of a private file, or nothing if there is none. Links are not followed: they could lead to the file of another.
 * @param {string} name
 * @returns {string | undefined}
 * @throws {Unreadable} if it is a link or no file, or cannot be read
 */
export function privateText(name) {
  const path = pathOf(name);
  let file;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    checkPrivate(name);
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (process.platform !== "win32" && (fstatSync(file).mode & OTHERS) !== 0) fchmodSync(file, PRIVATE);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new Unreadable(`${path} cannot be read: ${error.message}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Replaces a private file, under the lock.
 * @param {string} name
 * @param {string} text
 */
export function writePrivate(name, text) {
  checkPrivate(name);
  try {
    replaceFile(pathOf(name), text, PRIVATE);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(`${pathOf(name)} cannot be written: ${error.message}`);
  }
}

/** Refuses a link, and whatever else is no file. */
function checkPrivate(name) {
  const path = pathOf(name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new Unreadable(
    `${path} is ${found.isSymbolicLink() ? "a symbolic link" : "no file"}: connections are kept in a file of its own there; remove it`,
  );
}
