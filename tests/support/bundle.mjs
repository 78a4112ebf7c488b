// A Worker of a project that has the tarball installed, bundled as wrangler would, for `startWorkers({ build })`.
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Writes `index.js` and `index_bg.wasm` from `source`, a module's text; gives the folder. */
export async function bundle(consumer, name, source) {
  const entry = consumer.write(`${name}.mjs`, source);
  const folder = join(consumer.folder, `${name}-build`);
  mkdirSync(folder, { recursive: true });
  const wasm = {
    name: "wasm",
    setup: ({ onResolve }) => onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
      copyFileSync(join(resolveDir, path), join(folder, "index_bg.wasm"));
      return { path: "./index_bg.wasm", external: true };
    }),
  };
  await build({
    entryPoints: [entry], outfile: join(folder, "index.js"), bundle: true, format: "esm", target: "es2022", logLevel: "silent",
    conditions: ["workerd", "worker", "browser"], external: ["node:*", "cloudflare:*"], plugins: [wasm], nodePaths: [join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../node_modules")],
  });
  return folder;
}

/** The classes that every service of `startWorkers` is bound to, as the text of a module; a handler needs none. */
const wrangler = readFileSync(new URL("../../worker/wrangler.jsonc", import.meta.url), "utf8");
const classes = [...wrangler.matchAll(/"class_name": "(\w+)"/g)].map(([, name]) => name);
export const OBJECTS = ['import { DurableObject } from "cloudflare:workers";', ...classes.map((name) => `export class ${name} extends DurableObject {}`), ""].join("\n");
