// @ts-check
// `stdio`: the gateway as a stdio server, for hosts that start their servers themselves.
import { ENV_FILE } from "../lib/env-file.js";
import { SOURCES, addressOf, pathOf } from "../lib/gateway-inputs.js";
import { Unreadable, parseConfig, rulesOf } from "../lib/input.js";
import { STRICT, localGateway } from "../lib/local-gateway.js";
import { YES } from "../lib/optional-packages.js";
import { warn } from "../lib/print.js";
import { awaited } from "../lib/signals.js";
import { totalLine } from "../lib/total.js";
import { eventOf, lineOf } from "../lib/upstreams.js";
import { Front } from "../stdio/front.js";
import { tryAgain } from "../stdio/late-servers.js";
import { eachLine, MAX_LINE } from "../stdio/lines.js";
import { openArguments } from "../stdio/localized.js";
import { selectionProblems } from "../stdio/selection.js";

export const usage = {
  summary: "Serve the gateway on standard input and output, for a host that starts it.",
  takes: "[CONFIG]",
  about:
    "CONFIG is the file (default: sieve.jsonc, if it exists). Standard output carries MCP messages alone; servers, findings and\nlogs go to standard error. The gateway, and the local servers that it has started, end when standard input closes.\n`npx mcp-sieve -- COMMAND ARGUMENTS` serves one local server without a file.",
  options: {
    ...SOURCES,
    preset: { type: "string", value: "NAME", help: "Serve the preset of this name, as /mcp/NAME does." },
    query: {
      type: "string",
      value: "QUERY",
      help: "Serve what this query of a URL selects, such as groups=issues&disclosure=search.",
    },
    data: {
      type: "string",
      value: "FOLDER",
      help: "Keep sessions and the key in this folder between runs; one gateway at a time.",
    },
    ...ENV_FILE,
    ...STRICT,
    ...YES,
  },
  examples: ["sieve.jsonc", "sieve.jsonc --query disclosure=search", "--upstream https://example.com/mcp"],
};

/** @param {Record<string, any>} given */
export default async function stdio(given) {
  const path = pathOf(given, process.env);
  if (path === "-") throw new Unreadable("expected a file: standard input carries the messages of the client");
  const inline = process.env.SIEVE_CONFIG || undefined;
  return serveStdio({
    config: path === undefined ? (inline ?? "{}") : rulesOf(path),
    path,
    label: path ?? (inline && "SIEVE_CONFIG"),
    address: addressOf(given, process.env),
    endpoint: endpointOf(given),
    preset: given.preset,
    query: given.query,
    data: given.data,
    strict: given.strict,
    yes: given.yes,
  });
}

/**
 * The path and query that every request goes to.
 * @param {Record<string, any>} given
 */
function endpointOf({ preset, query }) {
  const path = preset === undefined ? "/mcp" : `/mcp/${encodeURIComponent(preset)}`;
  return query === undefined ? path : `${path}?${query}`;
}

/** @typedef {{ config: string, endpoint?: string, preset?: string, query?: string, path?: string, label?: string, address?: string, data?: string, strict?: boolean, yes?: boolean }} Options */

/**
 * Serves a configuration until standard input closes.
 * @param {Options} options
 */
export async function serveStdio(options) {
  try {
    return await serveUntilEnd(options);
  } finally {
    // This process does not end while its input is read, and a host may keep that open.
    process.stdin.destroy();
  }
}

/** @param {Options} options */
async function serveUntilEnd({ config, endpoint = "/mcp", preset, query, ...options }) {
  const over = awaited();
  const ended = new AbortController();
  /** @type {string[]} */
  const waiting = [];
  /** @type {Front | undefined} */
  let front;
  // Lines that the client writes before the gateway runs are kept.
  eachLine(process.stdin, {
    line: (text) => (front === undefined ? waiting.push(text) : front.take(text)),
    tooLong: () => over.end(new Unreadable(`a message on standard input has more than ${MAX_LINE} characters`)),
  });
  process.stdin.once("end", over.stop);
  // A host that has gone reads nothing.
  process.stdout.on("error", over.stop);
  const running = await localGateway({
    ...options,
    port: 0,
    transport: "stdio",
    ended: (how) => over.end(new Unreadable(`workerd ended by itself (${how})`)),
  });
  try {
    const served = await running.serve(running.planOf(config));
    const { reports } = served;
    const url = `${running.local}${endpoint}`;
    front = new Front(url, (text) => process.stdout.write(`${text}\n`), { headers: running.headers, listed: reports });
    for (const text of waiting.splice(0)) front.take(text);
    warn(...openArguments(config));
    announce(served, new URL(url).searchParams.get("disclosure") ?? undefined);
    reports
      .then((found) => tryAgain(url, downIn(found), { headers: running.headers, signal: ended.signal }))
      // The gateway has ended, or is about to.
      .catch(() => {});
    if (preset !== undefined || query !== undefined) {
      // Groups and tags are known when the servers have been listed.
      const problems = reports
        .catch(() => {})
        .then(() => selectionProblems(url, { preset, query, presets: namesOf(config), headers: running.headers }));
      problems.then((lines) => warn(...lines)).catch((error) => error instanceof Unreadable && over.end(error));
    }
    await over.wanted;
  } finally {
    ended.abort();
    await front?.close();
    await running.stop();
  }
  return 0;
}

/** The names of the presets of a configuration. */
const namesOf = (config) => (parseConfig(config).presets ?? []).map(({ name }) => name);

/** The servers that could not be listed and may be later. A variable that is not set stays so. */
const downIn = (reports) =>
  reports.filter(({ reason }) => reason !== undefined && reason !== "upstream_variable").map(({ name }) => name);

/** Reports how each server is doing on standard error, and the total of their lists. `mode` is the one that the query sets. */
function announce({ config, servers, reports, total }, mode) {
  const names = servers.map(({ name }) => name);
  const place = (name) => servers.find((server) => server.name === name);
  reports
    .then(async (found) => {
      const all = await total;
      warn(...found.map((report) => lineOf(eventOf(report, place(report.name)), names)));
      if (all !== undefined) warn(totalLine(all, config, mode));
    })
    // A gateway that has been stopped reports nothing.
    .catch(() => {});
}
