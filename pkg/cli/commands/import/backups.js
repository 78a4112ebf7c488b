// @ts-check
// The files as they were before `--install` changed them. A record of each backup is in the user's own folder, so that no backup
// that came with a repository is taken for one.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Unreadable } from "../../lib/cli-error.js";
import { PRIVATE, PRIVATE_FOLDER, createFile, folderOf, isWithin, placeOf, replaceFile } from "../../lib/files.js";
import { stateFolder } from "../../lib/user-folders.js";

/**
 * The place of a backup, and the digests of its file: as it was, and as Sieve wrote it.
 * @typedef {{ backup: string, original: string, written: string }} Backup
 */

/** What is said of the file of another user, or of a repository. */
const NOT_MADE = "this user's `import --install` did not make it";
const digest = (/** @type {string | Uint8Array} */ bytes) => createHash("sha256").update(bytes).digest("hex");

/** The path of what this user's folder has of a file. */
const kept = (path, ending) => join(stateFolder(), "backups", digest(placeOf(path)) + ending);
const recordOf = (path) => kept(path, ".json");

/** Returns whether a file is in the current folder, where its backup is beside it. */
export const isHere = (path) => isWithin(process.cwd(), placeOf(path));

/** Returns where the backup of a file is, or will be. */
export const backupOf = (path) => (isHere(path) ? `${path}.sieve-backup` : kept(path, ".original"));

/**
 * Returns the record of the backup of a file; nothing if this user has made none.
 * @param {string} path
 * @returns {Backup | undefined}
 */
function backupIn(path) {
  try {
    const backup = JSON.parse(readFileSync(recordOf(path), "utf8"));
    return existsSync(backup.backup) ? backup : undefined;
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw new Unreadable(`${recordOf(path)}: the record of a backup cannot be read: ${error.message}`);
  }
}

/** Returns whether this user has made a backup of a file. One that links lead elsewhere has none of its own. */
export function hasBackup(path) {
  try {
    return backupIn(path) !== undefined;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/**
 * Refuses a file that has a backup already, which would be lost.
 * @param {string} path
 */
export function checkBackup(path) {
  const known = backupIn(path);
  if (known !== undefined)
    throw new Unreadable(
      `${known.backup} exists: Sieve is installed in ${path} already; \`npx mcp-sieve import --undo ${path}\` restores it first`,
    );
  if (existsSync(backupOf(path)))
    throw new Unreadable(
      `${backupOf(path)} exists, and ${NOT_MADE}: expected a free name for the backup; move that file away`,
    );
}

/**
 * Writes a file in place of the one that exists, and keeps that one as a backup.
 * @param {string} path
 * @param {string} whole
 */
export function replaceAndKeep(path, whole) {
  const backup = backupOf(path);
  const original = readFileSync(path);
  folderOf(join(stateFolder(), "backups"), PRIVATE_FOLDER);
  createFile(backup, original, PRIVATE);
  try {
    const record = { backup: resolve(backup), original: digest(original), written: digest(whole) };
    replaceFile(recordOf(path), `${JSON.stringify(record)}\n`, PRIVATE);
    replaceFile(path, whole);
  } catch (error) {
    remove(path, backup);
    throw error;
  }
}

function remove(path, backup) {
  rmSync(backup, { force: true });
  rmSync(recordOf(path), { force: true });
}

/**
 * Restores a file as it was, byte for byte. A file that was changed since is not replaced, unless `force` is set.
 * @param {string} path
 * @param {boolean | undefined} force
 */
export function undo(path, force) {
  const known = backupIn(path);
  if (known === undefined) throw new Unreadable(missing(path));
  const { backup, original, written } = known;
  const bytes = readFileSync(backup);
  if (digest(bytes) !== original)
    throw new Unreadable(`${backup} is not as \`import --install\` wrote it: nothing is restored from it`);
  if (!force && existsSync(path) && ![written, original].includes(digest(readFileSync(path))))
    throw new Unreadable(
      `${path} was changed since Sieve was installed: --force restores it as it was before, and discards these changes`,
    );
  replaceFile(path, bytes, PRIVATE);
  remove(path, backup);
}

function missing(path) {
  const beside = `${path}.sieve-backup`;
  if (!existsSync(beside)) return `${path}: there is no backup of it, ${backupOf(path)}`;
  return `nothing is restored from ${beside}: ${NOT_MADE}; if it is yours, copy it yourself`;
}
