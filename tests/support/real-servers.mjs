// Servers that keep state in a session, as their projects publish them: file systems, a browser, and the Python SDK of both
// major versions.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "./foreign.mjs";
import { freePort } from "./port.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { resolve } = createRequire(new URL("../reference-servers/package.json", import.meta.url));

/** Returns the command of `server-filesystem` for these folders. */
export const filesystem = (...folders) => [
  process.execPath,
  resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
  ...folders,
];

/** Makes folders with a file `NAME.txt` in each, whose text is `in NAME`. Returns their paths by name, and `remove`. */
export function makeFolders(...names) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sieve-folders-")));
  const paths = names.map((name) => {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, `${name}.txt`), `in ${name}`);
    return [name, join(base, name)];
  });
  return { ...Object.fromEntries(paths), remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** The interpreter and the server on the low-level Python SDK, by the SDK's version. */
const PYTHON = {
  "1.30": ["../../.tools/venv-mcp1/bin/python", "../reference-servers/mcp1_server.py"],
  2.3: ["../../.tools/venv/bin/python", "../reference-servers/mcp2_server.py"],
};

/** Starts the server on the low-level Python SDK 1.30 (`1.30`, with sessions) or 2.3 (`2.3`, with and without). */
export async function startLowlevel(version) {
  const [python, server] = PYTHON[version];
  const port = await freePort();
  return start(port, here(python), [here(server), String(port)]);
}

/** Starts Playwright MCP with a browser for each session. */
export async function startPlaywright() {
  const port = await freePort();
  const output = mkdtempSync(join(tmpdir(), "sieve-playwright-"));
  const flags = ["--headless", "--no-sandbox", "--isolated", "--executable-path", "/usr/bin/chromium"];
  const place = ["--host", "127.0.0.1", "--port", String(port), "--allowed-hosts", "*", "--output-dir", output];
  const cli = join(dirname(resolve("@playwright/mcp/package.json")), "cli.js");
  const server = await start(port, process.execPath, [cli, ...place, ...flags]);
  const stop = async () => {
    await server.stop();
    rmSync(output, { recursive: true, force: true });
  };
  return { ...server, stop };
}
