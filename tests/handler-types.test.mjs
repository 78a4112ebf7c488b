// The types of `gateway(handler)` in a Worker's project, together with Cloudflare's own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";
import { installTarball, link } from "./support/tarball.mjs";

const run = promisify(execFile);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
let consumer;
before(async () => {
  consumer = await installTarball();
  link(consumer, ["@cloudflare/workers-types"]);
});
after(() => consumer?.remove());

test("Cloudflare's `ExportedHandler<Env>` goes in and comes out", async () => {
  const folder = join(consumer.folder, "worker-types");
  cpSync(path("support/worker-types"), folder, { recursive: true });
  const { stdout } = await run(path("node_modules/.bin/tsc"), ["--project", folder]).catch((failed) => failed);
  assert.equal(stdout, "");
});

test("the types of the gateway's Worker have every export", () => {
  const inPackage = (file) => readFileSync(join(consumer.package, file), "utf8");
  const [, exported] = inPackage("dist/worker/index.js").match(
    // The licenses of libraries follow.
    /export ?\{([^{}]*)\};?\s*(?:\/\*[^]*\*\/\s*)?$/,
  );
  const names = exported.split(",").map((name) => name.trim().split(" ").at(-1));
  const typed = [...inPackage("types/worker.d.ts").matchAll(/^export (?:const (\w+)|(default))/gm)];
  assert.deepEqual(typed.map(([, name, other]) => name ?? other).sort(), names.sort());
});
