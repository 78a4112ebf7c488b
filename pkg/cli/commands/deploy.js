// @ts-check
// `deploy`: the Worker of this package with a configuration, sent to Cloudflare by wrangler.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isInternal, withoutSecrets } from "../lib/addresses.js";
import { WRANGLER_OF_NODE_20, YES, borrow } from "../lib/optional-packages.js";
import { line, review, reviewOf } from "./check.js";
import { MOUNT } from "../lib/exposure.js";
import { checkFunctions } from "../lib/functions.js";
import { MAX_SERVERS, SOURCES, addressOf, pathOf, served } from "../lib/gateway-inputs.js";
import { folderOf, replaceFile } from "../lib/files.js";
import { Unreadable, parseConfig, textOf } from "../lib/input.js";
import { lockedConfig } from "../lib/lock-file.js";
import { JSON_LINE, OUT } from "../lib/options.js";
import { print, printJson, warn } from "../lib/print.js";
import { secretsOf, writtenSecrets } from "../lib/secrets.js";
import { MODULES, built, deployment, writeWorker } from "../lib/worker.js";

const MIB = 1024 * 1024;
/** Maximum size of a Worker after gzip, by the platform's rules: on the paid plan, and on the free one. */
const MAX_GZIP_BYTES = 10 * MIB;
const MAX_FREE_GZIP_BYTES = 3 * MIB;
/**
 * Maximum number of servers on the free plan: an invocation has 50 subrequests, the object that keeps the catalog needs one for each
 * server, and 5 remain for announcing new catalogs (docs/scaling.md).
 */
const MAX_FREE_SERVERS = 45;

/** The folder for the output of wrangler. */
const BUNDLE = "bundle";

export const usage = {
  summary: "Deploy the gateway to Cloudflare with wrangler.",
  takes: "[CONFIG]",
  about:
    "CONFIG is the file (default: sieve.jsonc, if it exists). Writes a folder for wrangler, runs wrangler on it, and lists the\nsecrets to set. Nothing is sent if the gateway could not work, or would give its credentials to everyone.",
  options: {
    ...SOURCES,
    name: { type: "string", value: "NAME", help: "The name of the Worker (default: mcp-sieve)." },
    out: { ...OUT, value: "FOLDER", help: "The folder to write (default: .sieve/deploy)." },
    "dry-run": { type: "boolean", help: "Build the Worker and send nothing. Needs no account." },
    public: {
      type: "boolean",
      help: "Deploy even if everyone can call the servers with the credentials of this configuration.",
    },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["sieve.jsonc", "sieve.jsonc --dry-run"],
};

export default async function deploy(given) {
  const { name = "mcp-sieve", out = ".sieve/deploy", "dry-run": dryRun = false } = given;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new Unreadable(`--name: expected small letters, digits and hyphens, got \`${name}\``);
  const path = pathOf(given);
  const config = path === undefined ? "{}" : textOf(path);
  const upstream = addressOf(given);
  const own = path === undefined ? [] : review(path).findings;
  const servers = served(config, upstream, path);
  const whole = withAddress(config, upstream);
  const findings = upstream === undefined ? own : reviewOf(whole);
  warn(...findings.map((finding) => line(path, finding)));
  judge({ findings, servers, given });
  warn(...allowed(servers.length));
  if (parseConfig(config).middleware) warn(`warning: ${MOUNT}`);
  warn(...writtenSecrets(whole).map((problem) => `warning: ${problem}`));
  await checkFunctions(config, path);

  const folder = write(out, { name, upstream, config: lockedConfig(config, path) });
  warn(`${folder}: written for wrangler`);
  const wrangler = await borrow("wrangler", { path: "/package.json", yes: given.yes });
  checkNode(wrangler);
  const sending = dryRun ? ["--dry-run", "--outdir", join(folder, BUNDLE)] : [];
  const status = await run(
    join(wrangler, "../bin/wrangler.js"),
    ["deploy", "--config", join(folder, "wrangler.json"), ...sending],
    given.json,
  );
  if (status !== 0)
    throw new Unreadable(
      `wrangler ended with ${status}; its own messages are above. It needs an account: \`npx wrangler login\`, or CLOUDFLARE_API_TOKEN in the environment`,
    );
  /** @type {{ name: string, purpose: string, optional?: boolean }[]} */
  const secrets = secretsOf(config);
  if (given.json) {
    const names = (optional) =>
      secrets.filter((secret) => (secret.optional ?? false) === optional).map((secret) => secret.name);
    printJson({ name, folder, dryRun, secrets: names(false), optionalSecrets: names(true) });
  } else {
    print(
      "",
      `${dryRun ? "Nothing was sent" : "Deployed"}. Set each secret once:`,
      ...secrets.flatMap((secret) => [
        `  npx wrangler secret put ${secret.name} --name ${name}`,
        `    ${secret.optional ? "optional: " : ""}${secret.purpose}`,
      ]),
    );
  }
  return 0;
}

/**
 * Returns the configuration that is deployed, with the address of the command line in it: the same address gets the same findings
 * wherever it is given.
 */
function withAddress(config, url) {
  if (url === undefined) return config;
  const { upstream, ...settings } = parseConfig(config);
  return JSON.stringify({ ...settings, upstream: { ...upstream, url } });
}

/** Refuses a gateway that would serve what it should not, or nothing. All obstacles are named at once. */
function judge({ findings, servers, given }) {
  const isLocal = ({ command }) => command !== undefined;
  const isOpen = !given.public && findings.some(({ code }) => code === "open_gateway");
  const obstacles = [
    ...(isOpen
      ? [
          "everyone would use the credentials of this configuration. Add `auth` or `checks` to it, or pass --public to serve everyone",
        ]
      : []),
    ...servers
      .filter(isLocal)
      .map(
        ({ name }) =>
          `the server \`${name}\` is started by its \`command\`, which a Worker cannot do; give the \`url\` of a server that runs elsewhere, or serve this file on your machine with \`npx mcp-sieve run\``,
      ),
    ...servers
      .filter((server) => !isLocal(server) && isInternal(server.url))
      .map(
        ({ name, url }) =>
          `the server \`${name}\` has the address ${withoutSecrets(url)}, which only this machine or its network reaches; expected a public address`,
      ),
    ...(servers.length === 0
      ? ["expected a server, as --upstream https://example.com/mcp or as `upstream` in the configuration"]
      : []),
  ];
  if (obstacles.length > 0) throw Unreadable.listing("nothing is deployed", obstacles);
}

/** Writes what wrangler reads: the Worker's modules, the configuration among them, beside a file like `worker/wrangler.jsonc`. */
function write(out, { name, upstream, config }) {
  checkSize(config);
  const folder = folderOf(out);
  writeWorker(folder, config);
  const { compatibility_date, ...bound } = deployment();
  const vars = upstream === undefined ? {} : { UPSTREAM_URL: upstream };
  const wrangler = {
    name,
    main: MODULES[0].name,
    compatibility_date,
    ...bound,
    vars,
    observability: { enabled: true },
  };
  replaceFile(join(folder, "wrangler.json"), `${JSON.stringify(wrangler, undefined, 2)}\n`);
  // All files here are written again by each run. wrangler itself would follow links in the folder of its bundle.
  rmSync(join(folder, BUNDLE), { recursive: true, force: true });
  replaceFile(join(folder, ".gitignore"), "*\n");
  return folder;
}

/** What Cloudflare's plans allow of several servers. The plan of an account is not known here, so nothing is refused. */
function allowed(servers) {
  if (servers < 2) return [];
  const plans = `Cloudflare's free plan allows ${MAX_FREE_SERVERS}, the paid plan ${MAX_SERVERS}`;
  return [`${servers > MAX_FREE_SERVERS ? "warning: " : ""}${servers} servers: ${plans}`];
}

/** Refuses a Worker that the platform would refuse. */
function checkSize(config) {
  const parts = [
    ...MODULES.filter(({ type }) => type !== "text").map(({ name }) => readFileSync(join(built, name))),
    Buffer.from(config),
  ];
  const bytes = parts.reduce((sum, part) => sum + gzipSync(part).length, 0);
  const size = `${(bytes / MIB).toFixed(1)} MiB after gzip, of which the configuration takes ${(gzipSync(config).length / MIB).toFixed(1)}`;
  if (bytes > MAX_GZIP_BYTES)
    throw new Unreadable(`nothing is deployed: the Worker has ${size}, and Cloudflare accepts ${MAX_GZIP_BYTES / MIB}`);
  if (bytes > MAX_FREE_GZIP_BYTES)
    warn(
      `the Worker has ${size}: Cloudflare's free plan accepts ${MAX_FREE_GZIP_BYTES / MIB}, the paid plan ${MAX_GZIP_BYTES / MIB}`,
    );
}

/** Refuses a wrangler that does not run under this Node. */
function checkNode(path) {
  const { version, engines } = JSON.parse(readFileSync(path, "utf8"));
  const [, needed] = /^>=\s*(\d+)/.exec(engines?.node ?? "") ?? [];
  if (needed === undefined || Number(needed) <= Number(process.versions.node.split(".")[0])) return;
  throw new Unreadable(
    `wrangler ${version} needs Node ${needed} or later, and this is Node ${process.versions.node}: run this command under Node ${needed}, or install an earlier wrangler, \`npm install wrangler@${WRANGLER_OF_NODE_20}\` under Node 20`,
  );
}

/** Runs wrangler in this terminal; with `json` its output goes to standard error. */
function run(entry, args, json) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [entry, ...args], {
      stdio: ["inherit", json ? 2 : "inherit", "inherit"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    });
    child.once("error", (error) => fail(new Unreadable(`wrangler cannot be run: ${error.message}`)));
    child.once("exit", (code, signal) => done(code ?? signal));
  });
}
