// @ts-check
// Locks of folders between processes. A lock is a socket on which the process listens: the system closes it when the process
// ends, however that happens, so the lock of a process that was killed holds no one up.
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum length, in bytes, of the path of a socket. Some systems accept 108. */
const MAX_PATH = 100;
/** Milliseconds between two attempts to reach or to replace another process. */
const SETTLE_MS = 50;
/** Errors of folders in which no socket can be, such as those of some network drives. */
const NO_SOCKETS = ["EACCES", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EROFS"];

/**
 * Locks a folder that exists. Returns a function that releases it.
 * @param {string} folder
 * @param {object} how
 * @param {string} how.name the name of the socket in the folder
 * @param {() => void} how.busy is called each time another process is found to hold the lock; it throws to give up
 * @param {(code: string) => void} how.unlockable is called with the error of a folder that cannot be locked, which is used all the same
 * @returns {Promise<() => void>}
 */
export async function socketLock(folder, { name, busy, unlockable }) {
  const real = realpathSync(folder);
  if (process.platform === "win32") {
    const pipe = createHash("sha256").update(join(real, name)).digest("hex");
    const server = await listening(`\\\\.\\pipe\\mcp-sieve-${pipe}`, busy);
    return () => void server.close();
  }
  const short = Buffer.byteLength(join(real, name)) > MAX_PATH ? linkTo(real) : undefined;
  try {
    const server = await listening(join(short?.folder ?? real, name), busy);
    return () => {
      // Closing removes the socket, except under the path of a link, which is gone.
      if (short) rmSync(join(real, name), { force: true });
      server.close();
    };
  } catch (error) {
    if (!NO_SOCKETS.includes(error.code)) throw error;
    unlockable(error.code);
    return () => {};
  } finally {
    short?.remove();
  }
}

/** A short path to a folder, until it is removed. */
function linkTo(folder) {
  const temporary = mkdtempSync(join(tmpdir(), "mcp-sieve-lock-"));
  const link = join(temporary, "data");
  symlinkSync(folder, link);
  return { folder: link, remove: () => rmSync(temporary, { recursive: true, force: true }) };
}

/** Listens on a path, in place of a process that has ended without releasing it. */
async function listening(path, busy) {
  for (;;) {
    const server = (await listen(path)) ?? (await replaced(path));
    if (server !== undefined) return server;
    if ((await stateOf(path)) === "listening") busy();
    await sleep(SETTLE_MS);
  }
}

/**
 * Listens on the path of an old socket. Several processes may find it at once, so only the one that listens beside it removes it.
 * Otherwise a process could remove the socket that another has just put in its place. Returns nothing if the path or the place
 * beside it is taken.
 */
async function replaced(path) {
  const beside = `${path}~`;
  const turn = await listen(beside);
  if (turn === undefined) {
    // Left by a process that was killed in this function.
    await removeOld(beside);
    return undefined;
  }
  try {
    await removeOld(path);
    return await listen(path);
  } finally {
    turn.close();
  }
}

/** Removes a socket, or another file, on which no process listens. */
async function removeOld(path) {
  if ((await stateOf(path)) !== "old") return;
  // A process that has just made it may not listen yet.
  await sleep(SETTLE_MS);
  if ((await stateOf(path)) === "old") rmSync(path, { force: true });
}

/** Returns a server on a path, or nothing if the path is taken. */
function listen(path) {
  const server = createServer((connection) => connection.destroy());
  server.unref();
  return new Promise((done, fail) => {
    server.once("error", (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === "EADDRINUSE" ? done(undefined) : fail(error),
    );
    server.listen(path, () => done(server));
  });
}

/**
 * Returns whether a process listens on a path, whether only an old socket is there, or nothing.
 * @returns {Promise<"listening" | "old" | "none">}
 */
function stateOf(path) {
  return new Promise((done) => {
    const connection = connect(path);
    connection.once("connect", () => {
      connection.destroy();
      done("listening");
    });
    connection.once("error", (/** @type {NodeJS.ErrnoException} */ { code }) =>
      done(code === "ENOENT" ? "none" : "old"),
    );
  });
}
