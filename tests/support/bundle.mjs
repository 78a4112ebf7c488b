// A Worker of a project that has the tarball installed, bundled as wrangler would, for `startWorkers({ build })`.
import { builtinModules } from "node:module";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** What wrangler does for the platform: Node's modules by their old names, `require` of them, and mail, which nobody sends here. */
const platform = {
  name: "platform",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^cloudflare:email$/ }, ({ path }) => ({ path, namespace: "mail" }));
    onLoad({ filter: /./, namespace: "mail" }, () => ({ contents: "export class EmailMessage {}" }));
    const filter = new RegExp(`^(?:node:)?(?:${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);
    onResolve({ filter }, ({ path, kind }) => {
      const name = `node:${path.replace(/^node:/, "")}`;
      return kind === "require-call" ? { path: name, namespace: "required" } : { path: name, external: true };
    });
    onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `import all from ${JSON.stringify(path)};\nmodule.exports = all;`,
    }));
  },
};

/** Writes `index.js` and `index_bg.wasm` from `source`, a module's text; gives the folder. */
export async function bundle(consumer, name, source) {
  const entry = consumer.write(`${name}.mjs`, source);
  const folder = join(consumer.folder, `${name}-build`);
  mkdirSync(folder, { recursive: true });
  const wasm = {
    name: "wasm",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
        copyFileSync(join(resolveDir, path), join(folder, "index_bg.wasm"));
        return { path: "./index_bg.wasm", external: true };
      }),
  };
  await build({
    entryPoints: [entry],
    outfile: join(folder, "index.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    plugins: [wasm, platform],
    nodePaths: [join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../node_modules")],
  });
  return folder;
}

/** The classes that every service of `startWorkers` is bound to, as the text of a module; a handler needs none. */
const wrangler = readFileSync(new URL("../../worker/wrangler.jsonc", import.meta.url), "utf8");
const classes = [...wrangler.matchAll(/"class_name": "(\w+)"/g)].map(([, name]) => name);
export const OBJECTS = [
  'import { DurableObject } from "cloudflare:workers";',
  ...classes.map((name) => `export class ${name} extends DurableObject {}`),
  "",
].join("\n");
