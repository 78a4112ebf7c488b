// Packs pkg/ as npm would publish it and installs the tarball into a project of its own.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const quiet = ["--silent", "--no-audit", "--no-fund", "--no-update-notifier"];

/** Puts packages of others beside the tarball, as `tests/consumers` pins them. */
export function link(consumer, names, from = "node_modules") {
  for (const name of names) {
    const place = join(consumer.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "tests/consumers", from, name), place);
  }
}

export async function installTarball() {
  const folder = mkdtempSync(join(tmpdir(), "sieve-consumer-"));
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder, join(root, "pkg")]);
  const [{ filename, files }] = JSON.parse(packed.stdout);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  await run("npm", ["install", ...quiet, "--offline", join(folder, filename)], { cwd: folder });
  cpSync(new URL("consumer", import.meta.url), folder, { recursive: true });

  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    folder,
    package: join(folder, "node_modules/mcp-sieve"),
    /** Paths in the tarball, sorted. */
    files: files.map(({ path }) => path).sort(),
    write,
    /** The package as a module of the project imports it, in this process. */
    load: () => import(pathToFileURL(write("entry.mjs", 'export * from "mcp-sieve";\n'))),
    /** What a module of the project prints, in a process of its own. */
    print: async (name, text, ...options) => {
      const { stdout } = await run(process.execPath, [...options, write(name, text)], { cwd: folder, timeout: 60_000 });
      return stdout;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
