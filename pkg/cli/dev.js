// `mcp-sieve dev`: the gateway before a server, on this machine, with the file watched.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { YES } from "./borrow.js";
import { line, review } from "./check.js";
import { gateway } from "./gateway.js";
import { Unreadable, textOf, valueOf } from "./input.js";
import { placeOf } from "./live.js";
import { CONFIG, JSON_LINE } from "./options.js";
import { print, printJson } from "./print.js";
import { variables } from "./variables.js";

const USUAL = "sieve.jsonc";
const LOOPBACK = "127.0.0.1";
const MIDDLEWARE = "/middleware is open to whoever has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations: keep it inside your application, and give it to no assistant to connect to";
/** Editors write a file in several steps. */
const SETTLE_MS = 100;

export const usage = {
  summary: "Run the gateway on this machine, and apply each change of the file.",
  takes: "[CONFIG]",
  about: "CONFIG is the file (default: sieve.jsonc, if it exists). The gateway runs in workerd, without an account, until Ctrl-C.\nThe environment sets `${NAME}` in the headers of the file, and UPSTREAM_URL, SIEVE_KEY, SIEVE_HOSTS, SIEVE_TOKENS,\nSIEVE_OPERATOR and SIEVE_MIDDLEWARE_TOKEN.",
  options: {
    upstream: { type: "string", value: "URL", help: "The MCP server behind the gateway, if the file names none." },
    config: { ...CONFIG, help: "The same as CONFIG." },
    port: { type: "string", value: "PORT", help: "The port to listen on (default: 8787); 0 takes any free port." },
    host: { type: "string", value: "ADDRESS", help: "The address to listen on (default: 127.0.0.1, this machine only)." },
    data: { type: "string", value: "FOLDER", help: "Keep sessions and the key in this folder between runs." },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["sieve.jsonc", "--upstream https://example.com/mcp --port 0"],
};

export default async function dev(given) {
  const path = given.subject ?? given.config ?? (existsSync(USUAL) ? USUAL : undefined);
  if (path === "-") throw new Unreadable("expected a file to watch, not standard input");
  const address = given.upstream ?? (process.env.UPSTREAM_URL || undefined);
  const upstream = address === undefined ? undefined : placeOf(address).url;
  const host = given.host ?? LOOPBACK;
  const say = teller(given.json);
  const over = asked();
  const running = await gateway({
    host,
    port: portOf(given.port),
    data: given.data,
    yes: given.yes,
    ended: (how) => over.end(new Unreadable(`workerd ended by itself (${how})`)),
  });
  const key = process.env.SIEVE_KEY ?? keyIn(given.data);
  // On this machine alone no page elsewhere may call it by another name; elsewhere the operator says which names it has.
  const hosts = process.env.SIEVE_HOSTS ?? (host === LOOPBACK ? "localhost,127.0.0.1,[::1]" : undefined);
  const serve = (config) => running.start(variablesOf({ config, upstream, key, hosts }));
  let watched;
  try {
    let config = path === undefined ? undefined : looked(path, say);
    await serve(config);
    if (opens(config)) say("warning", { problem: MIDDLEWARE });
    say("ready", { mcp: `${running.url}/mcp`, upstream: behind(config, upstream), config: path });
    watched = path === undefined ? undefined : follow(path, async () => {
      try {
        const next = textOf(path);
        // One change may be told twice.
        if (next === config) return;
        config = next;
        await serve(looked(path, say));
        if (opens(config)) say("warning", { problem: MIDDLEWARE });
        say("changed", { config: path });
      } catch (error) {
        if (!(error instanceof Unreadable)) return over.end(error);
        // What is served stays until the file is in order again.
        say("kept", { config: path, problem: error.message });
      }
    });
    await over.wanted;
  } finally {
    await watched?.close();
    await running.stop();
  }
  say("ended", {});
  return 0;
}

/** The key that seals sessions and cursors: as old as the data that it is kept with. */
function keyIn(folder) {
  const made = randomBytes(32).toString("hex");
  if (folder === undefined) return made;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "key");
  if (!existsSync(path)) writeFileSync(path, made, { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

/** The text of the file, in order; what the check finds is told. */
function looked(path, say) {
  const config = textOf(path);
  for (const finding of review(path).findings) say("finding", { ...finding, text: line(path, finding) });
  return config;
}

/** The bindings of the Worker. What operators set for it, and what the file refers to, comes from the environment. */
function variablesOf({ config = "{}", upstream, key, hosts }) {
  return {
    ...variables(config, process.env),
    SIEVE_CONFIG: config === "{}" && upstream === undefined ? undefined : config,
    SIEVE_KEY: key,
    SIEVE_HOSTS: hosts,
    UPSTREAM_URL: upstream,
  };
}

/** Whether context middleware has a mount. */
const opens = (config = "{}") => Boolean(process.env.SIEVE_MIDDLEWARE_TOKEN && valueOf(config).middleware);

const behind = (config = "{}", upstream) => upstream ?? (["upstream", "upstreams"].some((member) => Object.hasOwn(valueOf(config), member)) ? "what the file names" : "the built-in project tracker; --upstream URL puts a server of yours behind it");

function portOf(port = "8787") {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535) throw new Unreadable(`--port: expected a number from 0 to 65535, got \`${port}\``);
  return number;
}

/** Calls `changed` when the file has changed, one call after the other; editors may put another in its place. */
function follow(path, changed) {
  let [again, over] = [false, false];
  let work;
  const run = async () => {
    while (again && !over) {
      again = false;
      await sleep(SETTLE_MS);
      if (!over) await changed();
    }
    work = undefined;
  };
  const watcher = watch(dirname(resolve(path)), (_, name) => {
    if (name !== null && name !== basename(path)) return;
    again = true;
    work ??= run();
  });
  return {
    /** Resolves when nothing is under way any more. */
    async close() {
      over = true;
      watcher.close();
      await work;
    },
  };
}

/** Resolves when somebody wants an end, or fails with what ended it. */
function asked() {
  let settle;
  const wanted = new Promise((done, fail) => (settle = { done, fail }));
  // It may fail before anybody waits for it.
  wanted.catch(() => {});
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => settle.done());
  return { wanted, end: (error) => settle.fail(error) };
}

/** Says what happens, in words or a line of JSON each. */
function teller(json) {
  if (json) return (event, facts) => printJson({ event, ...facts });
  const words = {
    ready: ({ mcp, upstream, config }) => [`  MCP       ${mcp}`, `  server    ${upstream}`, `  rules     ${config ? `${config}, watched` : "none; `npx mcp-sieve init` writes a first file"}`, "", "Ctrl-C ends it."],
    finding: ({ text }) => [text],
    warning: ({ problem }) => [`warning: ${problem}`],
    changed: ({ config }) => [`${config}: in force`],
    kept: ({ config, problem }) => [problem, `${config}: what was in force before stays`],
    ended: () => ["ended"],
  };
  return (event, facts) => print(...words[event](facts));
}
