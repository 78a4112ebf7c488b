// `mcp-sieve deploy`: the Worker of this package, with a file, sent by wrangler.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { YES, borrow } from "./borrow.js";
import { line, review } from "./check.js";
import { deployment } from "./gateway.js";
import { Unreadable, compact, textOf, valueOf } from "./input.js";
import { placeOf } from "./live.js";
import { CONFIG, JSON_LINE, OUT } from "./options.js";
import { print, printJson, warn } from "./print.js";
import { referred } from "./variables.js";

const USUAL = "sieve.jsonc";
/** Most bytes of one variable of a Worker, by the platform's rules. */
const MOST_BYTES = 5 * 1024;

export const usage = {
  summary: "Deploy the gateway to Cloudflare with wrangler.",
  takes: "[CONFIG]",
  about: "CONFIG is the file (default: sieve.jsonc, if it exists). Writes a folder for wrangler, and runs wrangler on it.",
  options: {
    upstream: { type: "string", value: "URL", help: "The MCP server behind the gateway, if the file names none." },
    config: { ...CONFIG, help: "The same as CONFIG." },
    name: { type: "string", value: "NAME", help: "The name of the Worker (default: mcp-sieve)." },
    out: { ...OUT, value: "FOLDER", help: "The folder to write (default: .sieve/deploy)." },
    "dry-run": { type: "boolean", help: "Build the Worker and send nothing. Needs no account." },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["sieve.jsonc", "sieve.jsonc --dry-run"],
};

export default async function deploy(given) {
  const path = given.subject ?? given.config ?? (existsSync(USUAL) ? USUAL : undefined);
  const config = path === undefined ? undefined : textOf(path);
  if (path !== undefined) warn(...review(path).findings.map((finding) => line(path, finding)));
  const upstream = given.upstream === undefined ? undefined : placeOf(given.upstream).url;
  const { name = "mcp-sieve", out = ".sieve/deploy" } = given;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) throw new Unreadable(`--name: expected small letters, digits and hyphens, got \`${name}\``);
  const bytes = config === undefined ? 0 : Buffer.byteLength(compact(config));
  if (bytes > MOST_BYTES) throw new Unreadable(`${path}: ${bytes} bytes without its comments, and a variable of a Worker holds ${MOST_BYTES}: patterns in place of lists of names make it shorter`);
  const folder = write(resolve(out), { name, upstream, config });
  const wrangler = await borrow("wrangler", { path: "/package.json", yes: given.yes });
  warn(`${folder}: written for wrangler`);
  const mount = config !== undefined && valueOf(config).middleware ? ["SIEVE_MIDDLEWARE_TOKEN"] : [];
  const secrets = ["SIEVE_KEY", ...mount, ...referred(config ?? "{}")];
  const status = await run(join(wrangler, "../bin/wrangler.js"), ["deploy", "--config", join(folder, "wrangler.json"), ...(given["dry-run"] ? ["--dry-run", "--outdir", join(folder, "bundle")] : [])], given.json);
  if (status !== 0) {
    throw new Unreadable(`wrangler ended with ${status}. Without an account at hand: \`npx wrangler login\`, or CLOUDFLARE_API_TOKEN in the environment`);
  }
  if (given.json) printJson({ name, folder, dryRun: given["dry-run"] ?? false, secrets });
  else print("", `${given["dry-run"] ? "nothing was sent" : "deployed"}. Secrets are set once each:`, ...secrets.map((secret) => `  npx wrangler secret put ${secret} --name ${name}`));
  return 0;
}

/** What wrangler reads: the Worker's modules beside a file like the one it is built under here. */
function write(folder, { name, upstream, config }) {
  const { folder: from, compatibility_date, ...rest } = deployment();
  mkdirSync(folder, { recursive: true });
  for (const module of ["index.js", "index_bg.wasm"]) copyFileSync(join(from, module), join(folder, module));
  const vars = { ...(upstream !== undefined && { UPSTREAM_URL: upstream }), ...(config !== undefined && { SIEVE_CONFIG: compact(config) }) };
  const wrangler = { name, main: "index.js", compatibility_date, ...rest, vars, observability: { enabled: true } };
  writeFileSync(join(folder, "wrangler.json"), `${JSON.stringify(wrangler, undefined, 2)}\n`);
  // What is written here is made anew each time.
  writeFileSync(join(folder, ".gitignore"), "*\n");
  return folder;
}

/** wrangler with the terminal that it asks in; its words go to standard error where ours are JSON. */
function run(entry, args, json) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [entry, ...args], { stdio: ["inherit", json ? 2 : "inherit", "inherit"], env: { ...process.env, WRANGLER_SEND_METRICS: "false" } });
    child.once("error", (error) => fail(new Unreadable(`wrangler cannot be run: ${error.message}`)));
    child.once("exit", (code, signal) => done(code ?? signal));
  });
}
