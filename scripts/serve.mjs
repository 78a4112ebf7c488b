// `make dev` after the build: serves the page and the MCP endpoint on 127.0.0.1 until Ctrl-C. UPSTREAM, CONFIG and PORT
// are variables of make, passed through the environment, as are the Worker's own variables.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../build/dev/package/cli/lib/input.js";
import { served } from "../build/dev/package/cli/lib/gateway-inputs.js";
import { variables } from "../build/dev/package/cli/lib/environment.js";
import { openBridge } from "../build/dev/package/cli/stdio/bridge.js";
import { localized, openArguments, processesOf } from "../build/dev/package/cli/stdio/localized.js";
import { startWorker } from "../tests/support/workerd.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { UPSTREAM: upstream, CONFIG: config, PORT: port } = process.env;

/** Returns the key stored in `.dev`, so that cursors and handles survive a restart. Generates one if there is none. */
function developmentKey(folder) {
  const path = join(folder, "key");
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString("hex"), { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

/** Returns the text that names the upstream servers, or the example that the Worker serves itself. */
const backend = (servers) =>
  servers.map(({ url, command }) => url ?? command.join(" ")).join(", ") ||
  "the project tracker (examples/tracker); UPSTREAM=http://…/mcp takes another server";

/** Returns whether `/middleware` is served. */
const opens = (text) => Boolean(process.env.SIEVE_MIDDLEWARE_TOKEN && parseConfig(text).middleware);

/** Serves until a signal. The local servers of the file run behind `bridge`, as those of the command `dev`. */
async function serve(bridge) {
  const folder = join(root, ".dev");
  mkdirSync(folder, { recursive: true });
  const path = resolve(config || join(root, "worker/sieve.jsonc"));
  const text = readFileSync(path, "utf8");
  const servers = served(text, upstream || undefined, config || "worker/sieve.jsonc");
  const env = variables(text, process.env);
  const file = localized(text, await bridge.use(processesOf(text, process.env, path)));
  for (const problem of openArguments(text)) console.error(`warning: ${problem}`);
  const worker = await startWorker({
    port: Number(port || 8787),
    upstream: upstream || undefined,
    tracker: true,
    // With another upstream server, the file replaces the tracker's own rules, even if it is empty.
    ...(servers.length > 0 ? { config: file } : { file }),
    env,
    key: developmentKey(folder),
    assets: join(root, "build/dev/site"),
    persist: join(folder, "storage"),
    echo: true,
  });
  console.log(`
  page      ${worker.url}/
  MCP       ${worker.mcp}
  backend   ${backend(servers)}
  rules     ${config || "worker/sieve.jsonc; CONFIG=path/to/sieve.jsonc takes another file"}
  data      .dev/
${
  opens(text)
    ? `
warning: /middleware is open to every program that has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations
`
    : ""
}
Ctrl-C ends it.`);
  const how = await Promise.race([asked, worker.exited()]);
  await worker.stop();
  if (how !== "asked") throw new Error(`workerd ended by itself (${how})`);
}

const asked = new Promise((done) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => done("asked"));
});
const bridge = await openBridge();
try {
  await serve(bridge);
} catch (error) {
  console.error(`error: ${(error.lines ?? [error.message]).join("\n")}`);
  process.exitCode = 1;
} finally {
  await bridge.close();
}
