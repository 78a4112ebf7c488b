// @ts-check
// The Worker of this package as a folder: its modules, and the configuration as a text module beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PRIVATE, replaceFile } from "./files.js";

/** The folder of the built modules. */
export const built = fileURLToPath(new URL("../../dist/worker/", import.meta.url));
/** The file that the entry module imports. */
const CONFIG = "sieve.jsonc";

/** The modules of the Worker, the entry first, each with the type that Cap'n Proto and wrangler have for it. */
export const MODULES = [
  { name: "worker.js", type: "esModule" },
  { name: "index.js", type: "esModule" },
  { name: "index_bg.wasm", type: "wasm" },
  { name: CONFIG, type: "text" },
];

/** The compatibility date and the objects of `worker/wrangler.jsonc`, under which the Worker is tested. */
export const deployment = () => JSON.parse(readFileSync(join(built, "deployment.json"), "utf8"));

/** Writes the Worker into a folder that exists. The text of the configuration stays as it is, comments included. */
export function writeWorker(folder, config = "{}") {
  for (const { name } of MODULES.filter(({ name }) => name !== CONFIG))
    replaceFile(join(folder, name), readFileSync(join(built, name)));
  replaceFile(join(folder, CONFIG), config, PRIVATE);
}
