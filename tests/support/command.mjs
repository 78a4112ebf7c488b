// The command as a user runs it: the packed tarball in its own project, without its optional packages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import "./home.mjs";
import { installTarball } from "./tarball.mjs";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const RUN_MS = 120_000;
/** Path of Node 22, which wrangler needs. */
export const NODE_22 = join(modules, ".bin/node");

export async function installCommand() {
  const consumer = await installTarball();
  /** The folder for temporary files, which the command leaves empty. */
  const temporary = join(consumer.folder, "temporary");
  mkdirSync(temporary);

  /** Starts the command. `over` resolves with its status and output. */
  function start(args, { node = process.execPath, env = {}, timeout = RUN_MS } = {}) {
    const homes = {
      HOME: consumer.folder,
      XDG_CACHE_HOME: join(consumer.folder, "cache"),
      XDG_CONFIG_HOME: consumer.folder,
      XDG_STATE_HOME: join(consumer.folder, "state"),
      TMPDIR: temporary,
    };
    const child = spawn(node, [join(consumer.package, "cli/main.js"), ...args], {
      cwd: consumer.folder,
      env: { ...process.env, ...homes, CI: "true", ...env },
      timeout,
    });
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (text) => {
        printed[stream] += text;
      });
    const over = once(child, "close").then(([status, signal]) => ({ status: status ?? signal, ...printed }));
    let read = 0;
    /** Resolves with the next line of standard output that matches. */
    const line = async (pattern) => {
      for (;;) {
        const lines = printed.stdout.slice(read).split("\n").slice(0, -1);
        const at = lines.findIndex((text) => pattern.test(text));
        if (at >= 0) {
          read += lines.slice(0, at + 1).join("\n").length + 1;
          return lines[at];
        }
        await Promise.race([
          once(child.stdout, "data"),
          over.then(() => assert.fail(`ended without ${pattern}: ${JSON.stringify(printed)}`)),
        ]);
      }
    };
    const stop = async () => {
      child.kill("SIGINT");
      return over;
    };
    return { child, over, line, stop, printed };
  }

  return {
    ...consumer,
    temporary,
    start,
    run: (args, options) => start(args, options).over,
    /** Adds packages to the project, as `npm install` would. */
    install(...names) {
      for (const name of names) {
        const link = join(consumer.folder, "node_modules", name);
        mkdirSync(dirname(link), { recursive: true });
        if (!existsSync(link)) symlinkSync(join(modules, name), link);
      }
    },
  };
}
