// @ts-check
// The commands of `mcp-sieve`, in the order in which help lists them. Each is a module that is loaded when it is needed:
// it exports its `usage`, and a function that takes the parsed arguments and returns the exit status.
const COMMANDS = {
  init: () => import("../commands/init.js"),
  import: () => import("../commands/import.js"),
  dev: () => import("../commands/dev.js"),
  run: () => import("../commands/run.js"),
  stdio: () => import("../commands/stdio.js"),
  login: () => import("../commands/login.js"),
  logout: () => import("../commands/logout.js"),
  connections: () => import("../commands/connections.js"),
  check: () => import("../commands/check.js"),
  explain: () => import("../commands/explain.js"),
  verify: () => import("../commands/verify.js"),
  tokens: () => import("../commands/tokens.js"),
  snapshot: () => import("../commands/snapshot.js"),
  access: () => import("../commands/access.js"),
  deploy: () => import("../commands/deploy.js"),
};

/** The names of all commands. */
export const NAMES = Object.keys(COMMANDS);

/** Loads a command: `{ default, usage }`. */
export const load = (name) => COMMANDS[name]();

/** Loads the usage of every command, as `[name, usage]`. */
export const usages = () => Promise.all(NAMES.map(async (name) => [name, (await load(name)).usage]));
