// Packs pkg/ as npm would publish it, and installs the tarball into a separate project.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import "./home.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const quiet = ["--silent", "--no-audit", "--no-fund", "--no-update-notifier"];

/** Links third-party packages, at the versions that `tests/consumers` pins, into the project. */
export function link(consumer, names, from = "node_modules") {
  for (const name of names) {
    const place = join(consumer.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "tests/consumers", from, name), place);
  }
}

/** Creates a project in a folder and installs the tarball into it. `packed.json` lists the paths in the tarball. */
export async function packInto(folder) {
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder, join(root, "pkg")]);
  const [{ filename, files }] = JSON.parse(packed.stdout);
  writeFileSync(join(folder, "packed.json"), JSON.stringify(files.map(({ path }) => path).sort()));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  await run("npm", ["install", ...quiet, "--offline", join(folder, filename)], { cwd: folder });
}

/** Returns a separate project with the tarball. If `scripts/test` has prepared one for all files, it is copied. */
export async function installTarball() {
  const folder = mkdtempSync(join(tmpdir(), "sieve-consumer-"));
  const shared = process.env.SIEVE_PACKED;
  if (shared) cpSync(shared, folder, { recursive: true, verbatimSymlinks: true });
  else await packInto(folder);
  const files = JSON.parse(readFileSync(join(folder, "packed.json"), "utf8"));
  rmSync(join(folder, "packed.json"));
  cpSync(new URL("consumer", import.meta.url), folder, { recursive: true });

  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    folder,
    package: join(folder, "node_modules/mcp-sieve"),
    /** Paths in the tarball, sorted. */
    files,
    write,
    /** Imports the package as a module of the project does, in this process. */
    load: () => import(pathToFileURL(write("entry.mjs", 'export * from "mcp-sieve";\n'))),
    /** Returns the output of a module of the project, which runs in a separate process. */
    print: async (name, text, ...options) => {
      const { stdout } = await run(process.execPath, [...options, write(name, text)], { cwd: folder, timeout: 60_000 });
      return stdout;
    },
    /** Runs the command of the package. Returns its status and output. */
    command: (args, env = {}) =>
      new Promise((done) => {
        const program = join(folder, "node_modules/mcp-sieve/cli/main.js");
        const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 60_000 };
        execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
          done({ status: error?.code ?? 0, stdout, stderr }),
        );
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
