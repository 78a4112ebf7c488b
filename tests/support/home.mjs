// Gives this process, and every process that it starts, a home folder of their own. Tests neither read nor change the
// caches, settings and MCP hosts of the user. Every module below tests/ that starts a process imports this one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const { env } = process;
/** Variables that name folders or settings of the user. Without them, programs use the home folder. */
const OF_THE_USER = /^(xdg_(cache|config|data|state)_home|npm_config_(cache|prefix|userconfig|globalconfig))$/i;

// The toolchains and crates of Rust stay those of the user: a second copy would have to be downloaded.
env.CARGO_HOME ??= join(homedir(), ".cargo");
env.RUSTUP_HOME ??= join(homedir(), ".rustup");
for (const name of Object.keys(env)) if (OF_THE_USER.test(name)) delete env[name];

/** Path of the home folder, which is removed when this process ends. */
export const home = mkdtempSync(join(tmpdir(), "sieve-home-"));
env.HOME = home;
env.USERPROFILE = home;
// Git refuses a checkout of another user, as in a container, unless the settings of the user allow it. Without a name for
// first branches, it prints ten lines of advice.
writeFileSync(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n");
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
