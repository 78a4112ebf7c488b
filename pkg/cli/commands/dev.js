// @ts-check
// `dev`: the gateway in front of servers, on this machine, with the file watched.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLoopback } from "../lib/addresses.js";
import { YES } from "../lib/optional-packages.js";
import { line, review } from "./check.js";
import { reporter, serverReporter } from "../lib/dev-output.js";
import { lint, locate } from "../lib/engine.js";
import { exposure } from "../lib/exposure.js";
import { follow } from "../lib/follow.js";
import { SOURCES, addressOf, pathOf, served, twice } from "../lib/gateway-inputs.js";
import { gateway } from "../lib/workerd.js";
import { Unreadable, reading, textOf, parseConfig } from "../lib/input.js";
import { JSON_LINE } from "../lib/options.js";
import { reader, survey } from "../lib/upstreams.js";
import { variables } from "../lib/environment.js";

const LOOPBACK = "127.0.0.1";
/** The names of this machine. A page elsewhere cannot call a gateway by one of them. */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const MIDDLEWARE =
  "/middleware is open to every program that has SIEVE_MIDDLEWARE_TOKEN, and is handed whole conversations: keep the token inside your application, and connect no assistant to it";

export const usage = {
  summary: "Run the gateway on this machine, and apply each change of the file.",
  takes: "[CONFIG]",
  about:
    "CONFIG is the file (default: sieve.jsonc, if it exists). The gateway runs in workerd, without an account, until Ctrl-C.\nIt prints a line for each server behind it. The environment sets `${NAME}` in the headers of the file, and SIEVE_CONFIG (in\nplace of a file), UPSTREAM_URL, SIEVE_KEY, SIEVE_HOSTS, SIEVE_TOKENS, SIEVE_OPERATOR and SIEVE_MIDDLEWARE_TOKEN.",
  options: {
    ...SOURCES,
    port: { type: "string", value: "PORT", help: "The port to listen on (default: 8787); 0 takes any free port." },
    host: {
      type: "string",
      value: "ADDRESS",
      help: "The address to listen on (default: 127.0.0.1, this machine only).",
    },
    data: { type: "string", value: "FOLDER", help: "Keep sessions and the key in this folder between runs." },
    json: JSON_LINE,
    ...YES,
  },
  examples: ["sieve.jsonc", "--upstream https://example.com/mcp --port 0"],
};

export default async function dev(given) {
  const path = pathOf(given, process.env);
  if (path === "-") throw new Unreadable("expected a file to watch, not standard input");
  const address = addressOf(given, process.env);
  const inline = process.env.SIEVE_CONFIG || undefined;
  const label = path ?? (inline && "SIEVE_CONFIG");
  const host = given.host ?? LOOPBACK;
  const report = reporter(given.json);
  const over = awaited();
  const running = await gateway({
    host,
    port: portOf(given.port),
    data: given.data,
    yes: given.yes,
    ended: (how) => over.end(new Unreadable(`workerd ended by itself (${how})`)),
  });
  const key = process.env.SIEVE_KEY ?? keyIn(given.data);
  const own = reader();
  /** What a configuration serves, and the variables it is served with; fails if they contradict each other. */
  const planOf = (config) => ({
    config,
    servers: served(config, address, label),
    variables: {
      ...variables(config, process.env),
      ...own.variables,
      SIEVE_CONFIG: undefined,
      SIEVE_KEY: key,
      SIEVE_HOSTS: hostsOf(host, config, label),
      UPSTREAM_URL: address,
    },
  });
  /** Runs the gateway. Fails if the gateway itself cannot use the configuration or a variable. */
  const serve = async (plan) => {
    await running.start(plan.config, plan.variables);
    return { ...plan, ...(await survey(running.local, own.token)) };
  };
  const reportServers = serverReporter(report);
  const announce = (event, { config, servers, reports }, facts) => {
    for (const problem of warnings(host, config)) report("warning", { problem });
    report(event, facts);
    reportServers({ servers, reports });
  };
  let watched;
  try {
    let config = path === undefined ? inlined(inline) : looked(path, report);
    let current = await serve(planOf(config));
    const servers = current.servers.map(({ name, url }) => ({ name, url }));
    announce("ready", current, { mcp: `${running.url}/mcp`, servers, config: label });
    watched =
      path === undefined
        ? undefined
        : follow(path, async () => {
            try {
              const next = textOf(path);
              // One change may be reported twice.
              if (next === config) return;
              config = next;
              const plan = planOf(looked(path, report));
              current = await serve(plan).catch(async (error) => {
                await serve(current).catch(over.end);
                throw error;
              });
              announce("changed", current, { config: path });
            } catch (error) {
              if (!(error instanceof Unreadable)) return over.end(error);
              // What was served before stays until the file is in order again.
              report("kept", { config: path, problem: error.message });
            }
          });
    await over.wanted;
  } finally {
    reportServers();
    await watched?.close();
    await running.stop();
  }
  report("ended", {});
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

/** The text of a file that is in order. Findings of the check are reported; `warnings` has its own words for an open gateway. */
function looked(path, report) {
  const config = textOf(path);
  const findings = review(path).findings.filter(({ code }) => code !== "open_gateway");
  for (const finding of findings) report("finding", { ...finding, text: line(path, finding) });
  return config;
}

/** The text of SIEVE_CONFIG, if it is in order. */
function inlined(text = "{}") {
  reading("SIEVE_CONFIG", () => lint(text, [], []), { text, locate });
  return text;
}

/** The names that clients may call the gateway by; on this machine alone, no others than those of this machine and of the file. */
function hostsOf(host, config, label) {
  const { hosts = [] } = parseConfig(config);
  const named = process.env.SIEVE_HOSTS;
  if (named && hosts.length > 0)
    throw twice(`\`hosts\` of \`${label}\``, "the environment variable SIEVE_HOSTS", "set the names of the gateway");
  return named ?? (isLoopback(host) ? [...LOOPBACK_NAMES, ...hosts].join() : undefined);
}

function* warnings(host, config) {
  const open = exposure(host, config);
  if (open !== undefined) yield open;
  if (process.env.SIEVE_MIDDLEWARE_TOKEN && parseConfig(config).middleware) yield MIDDLEWARE;
}

function portOf(port = "8787") {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535)
    throw new Unreadable(`--port: expected a number from 0 to 65535, got \`${port}\``);
  return number;
}

/** Resolves when a signal asks for an end, or fails with what ended the gateway. */
function awaited() {
  let settle;
  const wanted = new Promise((done, fail) => (settle = { done, fail }));
  // It may fail before it is waited for.
  wanted.catch(() => {});
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => settle.done());
  return { wanted, end: (error) => settle.fail(error) };
}
