// Runs a Worker's modules in workerd unchanged, without bindings, on 127.0.0.1.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "./home.mjs";

const binary = createRequire(import.meta.url).resolve("@cloudflare/workerd-linux-64/bin/workerd");
const START_MS = 60_000;

/**
 * Starts workerd. `modules` maps names to files; the first is the entry. A file that ends in `.wasm` is WebAssembly. With
 * `local`, the Worker reaches servers of this machine.
 */
export async function startModules(modules, compatibilityDate, { local = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-worker-"));
  const lines = Object.entries(modules).map(([name, file], at) => {
    const type = file.endsWith(".wasm") ? "wasm" : "esModule";
    cpSync(file, join(folder, `module-${at}`));
    return `(name = ${JSON.stringify(name)}, ${type} = embed "module-${at}")`;
  });
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${local ? '(name = "internet", network = (allow = ["public", "private"])), ' : ""}(name = "worker", worker = (
    compatibilityDate = ${JSON.stringify(compatibilityDate)},
    modules = [
      ${lines.join(",\n      ")}]))],
  sockets = [(name = "http", service = "worker", address = "127.0.0.1:0", http = ())]);
`,
  );
  // The kernel ends workerd when this process ends, even if it crashes.
  const command = ["--pdeathsig", "KILL", binary, "serve", "--control-fd=3", join(folder, "config.capnp")];
  const child = spawn("setpriv", command, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    log += chunk;
  });
  const stop = async () => {
    const gone =
      child.exitCode === null && child.signalCode === null && new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const port = await new Promise((done, fail) => {
      child.stdio[3].setEncoding("utf8").on("data", (line) => done(JSON.parse(line.split("\n")[0]).port));
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`workerd ended with ${code}`)));
      setTimeout(() => fail(new Error("workerd did not listen")), START_MS).unref();
    });
    return { url: `http://127.0.0.1:${port}/`, stop };
  } catch (error) {
    await stop();
    throw new Error(`${error.message}\n${log}`);
  }
}
