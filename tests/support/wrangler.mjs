// wrangler as a user runs it, without an account.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NODE_22 } from "./command.mjs";
import "./home.mjs";

const program = fileURLToPath(new URL("../node_modules/wrangler/bin/wrangler.js", import.meta.url));

/** Bundles the Worker of a project into the folder `out`. */
export const bundleWorker = (consumer, out, ...args) =>
  promisify(execFile)(NODE_22, [program, "deploy", "--dry-run", "--outdir", out, ...args], {
    cwd: consumer.folder,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" },
    timeout: 120_000,
  });
