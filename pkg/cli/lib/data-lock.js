// @ts-check
// The lock of the folder for data: one gateway at a time.
import { Unreadable } from "./cli-error.js";
import { makeFolder } from "./folders.js";
import { warn } from "./print.js";
import { socketLock } from "./socket-lock.js";

/** The name of the socket in the folder. */
const NAME = "lock";

/**
 * Locks a folder. Returns a function that releases it.
 * @param {string} folder
 */
export async function lockData(folder) {
  makeFolder(folder);
  return socketLock(folder, {
    name: NAME,
    busy: () => {
      throw new Unreadable(
        `--data: another gateway uses the folder \`${folder}\`: each needs one of its own, because both would write the same sessions`,
      );
    },
    unlockable: (code) =>
      warn(`--data: the folder \`${folder}\` cannot be locked (${code}): start no second gateway with it`),
  });
}
