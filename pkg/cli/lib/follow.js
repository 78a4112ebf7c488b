// @ts-check
// Watches one file.
import { unwatchFile, watch, watchFile } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds to wait after a change: editors write a file in several steps. */
const SETTLE_MS = 100;
/**
 * Milliseconds between two looks at the file. No event announces changes of what a link leads to, as of a Kubernetes ConfigMap,
 * of a file that a container mounts, or of one on a network drive.
 */
const LOOK_MS = 1_000;

/**
 * Calls `changed` after each change of the file, one call at a time, and once at the start. Editors may replace the file by
 * another.
 */
export function follow(path, changed) {
  let [again, over] = [false, false];
  let work;
  const run = async () => {
    while (again && !over) {
      again = false;
      await sleep(SETTLE_MS);
      if (!over) await changed();
    }
    work = undefined;
  };
  const settle = () => {
    again = true;
    work ??= run();
  };
  const watcher = watch(dirname(resolve(path)), (_, name) => {
    if (name === null || name === basename(path)) settle();
  });
  watchFile(path, { interval: LOOK_MS }, settle);
  // The file may have changed since it was read.
  settle();
  return {
    /** Resolves when no call is under way any more. */
    async close() {
      over = true;
      watcher.close();
      unwatchFile(path, settle);
      await work;
    },
  };
}
