// @ts-check
// The folders of this user in which the command keeps files of its own, whatever folder it is started in.
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

const NAME = "mcp-sieve";

/** The home folder. A relative `HOME` would be one of the current folder. */
const home = () => (isAbsolute(homedir()) ? homedir() : userInfo().homedir);

/** The folder that a variable names. The XDG specification ignores relative paths, which the current folder would decide. */
const named = (/** @type {string | undefined} */ path) => (path && isAbsolute(path) ? path : undefined);

/** The folder of packages that were fetched. */
export const cacheFolder = (environment = process.env) =>
  join(named(environment.XDG_CACHE_HOME) ?? join(home(), ".cache"), NAME);

/** The folder of what must be kept: backups, and the records of them. */
export function stateFolder(environment = process.env, platform = process.platform) {
  const system = {
    darwin: () => join(home(), "Library/Application Support"),
    win32: () => named(environment.LOCALAPPDATA) ?? join(home(), "AppData/Local"),
  }[platform];
  return join(named(environment.XDG_STATE_HOME) ?? system?.() ?? join(home(), ".local/state"), NAME);
}
