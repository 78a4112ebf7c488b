// @ts-check
// The files that the command writes. A file is created where there is none, or replaced by another one under its name, and is never
// opened to be written: a link that someone else has prepared leads the command to no other file.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { Unreadable } from "./cli-error.js";

/** Opens a file that does not exist. Windows has no `O_NOFOLLOW`, and `O_EXCL` alone follows no link either. */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const RIGHTS = 0o777;
/** The modes of files and folders for their owner alone. */
export const PRIVATE = 0o600;
export const PRIVATE_FOLDER = 0o700;
/** The mode of other new files, from which the system takes its mask. */
const USUAL = 0o666;
/** The names under which systems have the open streams of a process. They are links, and lead to no file of another. */
const STREAM = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/**
 * Creates a file.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {number} [mode]
 * @throws if there is a file or link of this name
 */
export function createFile(path, content, mode = USUAL) {
  const folder = realpathSync(dirname(resolve(path)));
  checkPlace(path, folder);
  write(join(folder, basename(path)), content, mode);
}

/**
 * Writes a file: creates it with `mode`, or puts another file in its place, which keeps its mode and owner. A pipe or a device is
 * written to.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {number} [mode]
 * @throws {Unreadable} if a link leads to another folder
 */
export function replaceFile(path, content, mode = USUAL) {
  if (STREAM.test(path)) return writeFileSync(path, content);
  const place = placeOf(path);
  const old = lstatSync(place, { throwIfNoEntry: false });
  if (old?.isDirectory()) throw Object.assign(new Error(`${place} is a folder`), { code: "EISDIR" });
  if (old?.isFIFO() || old?.isCharacterDevice()) return writeTo(place, content);
  if (old !== undefined && !old.isFile()) throw new Unreadable(`${path}: expected a file`);
  if (old !== undefined) accessSync(place, constants.W_OK);
  const other = join(dirname(place), `.mcp-sieve-${randomBytes(8).toString("hex")}`);
  try {
    write(other, content, old === undefined ? mode : PRIVATE, old);
    // A folder may have been replaced by a link meanwhile.
    if (placeOf(path) !== place) throw new Unreadable(`${path} was moved while it was written: nothing is written`);
    renameSync(other, place);
  } finally {
    rmSync(other, { force: true });
  }
}

/** Writes a new file, with the rights and the owner of the file that it replaces. */
function write(path, content, mode, old) {
  const file = openSync(path, NEW, mode);
  try {
    writeFileSync(file, content);
    if (old !== undefined) {
      keepOwner(file, old);
      fchmodSync(file, old.mode & RIGHTS);
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Gives a file to the owner of another one. Only an administrator can, and others replace files of their own. */
function keepOwner(file, { uid, gid }) {
  try {
    fchownSync(file, uid, gid);
  } catch (error) {
    if (!["EPERM", "EINVAL", "ENOSYS"].includes(error.code)) throw error;
  }
}

/** Writes to a pipe or a device. */
function writeTo(path, content) {
  const file = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the path, without links, at which a file is written.
 * @param {string} path
 * @throws {Unreadable} if a link leads to another folder, or to nothing
 */
export function placeOf(path) {
  const full = resolve(path);
  const named = join(realpathSync(dirname(full)), basename(full));
  const isLink = lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink();
  const place = isLink ? targetOf(path, named) : named;
  checkPlace(path, place);
  return place;
}

/**
 * Makes a folder, and those above it that are missing, and returns its path without links.
 * @param {string} path
 * @param {number} [mode] the mode of new folders
 * @throws {Unreadable} if a link leads to another folder, or the folder cannot be made
 */
export function folderOf(path, mode = RIGHTS) {
  const missing = [];
  let known = resolve(path);
  for (; !isThere(known); known = dirname(known)) missing.unshift(basename(known));
  let folder = targetOf(path, known);
  checkPlace(path, join(folder, ...missing), missing.length > 0 ? known : dirname(known));
  try {
    // Node's own recursive `mkdir` tries for ever where nothing can be made, such as below `/proc`.
    for (const name of missing) {
      folder = join(folder, name);
      makeOne(folder, mode);
    }
  } catch (error) {
    throw new Unreadable(`${path}: the folder cannot be made: ${error.message}`);
  }
  return folder;
}

/** Makes a folder. Another process may make it at the same time. */
function makeOne(folder, mode) {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (error.code !== "EEXIST" || !lstatSync(folder).isDirectory()) throw error;
  }
}

/** Returns whether there is a file, folder or link of this name. Below a file there is none. */
function isThere(path) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error.code === "ENOTDIR") return false;
    throw error;
  }
}

/** Returns where a link leads. */
function targetOf(path, link) {
  try {
    return realpathSync(link);
  } catch (error) {
    if (!["ENOENT", "ELOOP"].includes(error.code)) throw error;
    throw new Unreadable(
      `${path}: ${link} is a symbolic link to ${readlinkSync(link)}, where nothing is: remove the link, or name another file`,
    );
  }
}

/** Refuses a place outside the `folder` that the file belongs to by its name, or its project. */
function checkPlace(path, place, folder = dirname(resolve(path))) {
  const project = projectOf(folder);
  // Files in the home folder may be links to others there, such as those of a repository of dotfiles.
  const isOwn = project === undefined && isWithin(homedir(), folder) && isWithin(realpathSync(homedir()), place);
  const root = project ?? realpathSync(folder);
  if (!isOwn && !isWithin(root, place))
    throw new Unreadable(
      `${path} leads by a symbolic link to ${place}, outside ${root}: nothing is written there; name that file itself if you mean it`,
    );
}

/** Returns the folder that links in a folder may not leave: the nearest that is the current folder or a work tree. */
function projectOf(folder) {
  const current = existsSync(".") ? realpathSync(".") : undefined;
  const { root: top } = parse(folder);
  let at = top;
  /** @type {string | undefined} */
  let found;
  for (const name of ["", ...folder.slice(top.length).split(sep)]) {
    at = join(at, name);
    // What a link in a project leads to is no project of its own.
    if (!existsSync(at) || (found !== undefined && lstatSync(at).isSymbolicLink())) break;
    const real = realpathSync(at);
    if (real === current || existsSync(join(at, ".git"))) found = real;
  }
  return found;
}

/** Returns whether a path is a folder, or in it. */
export function isWithin(folder, path) {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
