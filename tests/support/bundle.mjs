// Bundles a Worker of a project with the tarball as wrangler would, for `startWorkers({ build })`.
import { builtinModules } from "node:module";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * The parts of the platform that wrangler provides: Node's modules by their old names, `require` of them, and a stub
 * for mail.
 */
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

/** Writes `index.js` and `index_bg.wasm` from `source`, the text of a module. Returns the folder. */
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

/** The classes to which every service of `startWorkers` is bound, as the text of a module. Handlers do not use them. */
const wrangler = readFileSync(new URL("../../worker/wrangler.jsonc", import.meta.url), "utf8");
const classes = [...wrangler.matchAll(/"class_name": "(\w+)"/g)].map(([, name]) => name);
export const OBJECTS = [
  'import { DurableObject } from "cloudflare:workers";',
  ...classes.map((name) => `export class ${name} extends DurableObject {}`),
  "",
].join("\n");
