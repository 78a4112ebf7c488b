// `@modelcontextprotocol/server-everything`, a third-party server, over Streamable HTTP.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import "./home.mjs";
import { freePort } from "./port.mjs";

const entry = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const START_MS = 15_000;

/** Starts the server on a free port of this machine. `stop()` ends it. */
export async function startEverything() {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), HOST: "127.0.0.1" };
  const child = spawn(process.execPath, [entry, "streamableHttp"], { env, stdio: "ignore" });
  const ended = new Promise((done) => child.once("exit", done));
  const url = `http://127.0.0.1:${port}/mcp`;
  for (const until = Date.now() + START_MS; ; await sleep(50)) {
    // Any response shows that the server listens.
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break;
    if (child.exitCode !== null || Date.now() > until) throw new Error("server-everything did not start");
  }
  return { url, stop: () => (child.kill("SIGTERM"), ended) };
}
