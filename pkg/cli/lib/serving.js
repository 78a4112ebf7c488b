// @ts-check
// The gateway on this machine until a signal ends it, as `dev` and `run` serve it.
import { YES } from "./optional-packages.js";
import { BEARER, VARIABLE as BEARER_VARIABLE, bearerOf } from "./bearer.js";
import { line, review } from "../commands/check.js";
import { reporter, serverReporter } from "./dev-output.js";
import { lint, locate } from "./engine.js";
import { ENV_FILE } from "./env-file.js";
import { MOUNT, exposure } from "./exposure.js";
import { follow } from "./follow.js";
import { SOURCES, addressOf, pathOf } from "./gateway-inputs.js";
import { Unreadable, reading, textOf, parseConfig } from "./input.js";
import { LOOPBACK, STRICT, localGateway } from "./local-gateway.js";
import { JSON_LINE } from "./options.js";
import { shown } from "./upstreams.js";
import { awaited } from "./signals.js";
import { openArguments } from "../stdio/localized.js";

/** The options of both commands. */
export const SERVING = {
  ...SOURCES,
  port: { type: "string", value: "PORT", help: "The port to listen on (default: 8787); 0 chooses any free port." },
  host: {
    type: "string",
    value: "ADDRESS",
    help: "The address to listen on (default: 127.0.0.1, this machine only).",
  },
  data: {
    type: "string",
    value: "FOLDER",
    help: "Keep sessions and the key in this folder between runs; one gateway at a time.",
  },
  ...ENV_FILE,
  ...BEARER,
  ...STRICT,
  json: JSON_LINE,
  ...YES,
};

/**
 * Serves a configuration, and each change of its file if it is `watched`.
 * @param {Record<string, any>} given the options of the command
 * @param {{ watched: boolean, cluster?: import("./cluster/options.js").Cluster }} manner `cluster` makes the gateway a node of it
 */
export async function serveUntilSignal(given, { watched, cluster }) {
  const path = pathOf(given, process.env);
  if (path === "-") throw new Unreadable(`expected a file${watched ? " to watch" : ""}, not standard input`);
  const address = addressOf(given, process.env);
  const inline = process.env.SIEVE_CONFIG || undefined;
  const label = path ?? (inline && "SIEVE_CONFIG");
  const { host = LOOPBACK, data, strict, yes } = given;
  const report = reporter(given.json);
  const bearer = bearerOf(given.bearer, process.env);
  if (cluster !== undefined && bearer.made)
    throw new Unreadable(`--bearer: all nodes of a cluster need the same token: set ${BEARER_VARIABLE}`);
  const over = awaited();
  const running = await localGateway({
    host,
    port: portOf(given.port),
    bearer: bearer.token,
    data,
    cluster,
    strict,
    yes,
    address,
    path,
    label,
    ended: (how) => over.end(new Unreadable(`workerd ended by itself (${how})`)),
  });
  const reportServers = serverReporter(report);
  const announce = (event, served, facts) => {
    for (const problem of warnings(host, served.config, bearer.token !== undefined)) report("warning", { problem });
    report(event, facts);
    reportServers(served);
  };
  let following;
  try {
    let config = path === undefined ? inlined(inline) : looked(path, report);
    let current = await running.serve(running.planOf(config));
    const servers = current.servers.map((server) => ({ name: server.name, ...shown(server) }));
    announce("ready", current, {
      mcp: `${running.url}/mcp`,
      page: pageOf(running.url, bearer),
      servers,
      config: label,
      ...(cluster && { cluster: cluster.bucket, node: cluster.advertise ?? cluster.address }),
      ...(bearer.made && { bearer: bearer.token }),
    });
    const change = async () => {
      try {
        const next = textOf(path);
        // A change may be reported twice.
        if (next === config) return;
        config = next;
        const plan = running.planOf(looked(path, report));
        // The gateway that is replaced can no longer list its servers.
        reportServers({ servers: current.servers });
        current = await running.serve(plan).catch(async (error) => {
          await running.serve(current).catch(over.end);
          throw error;
        });
        announce("changed", current, { config: path });
      } catch (error) {
        if (!(error instanceof Unreadable)) return over.end(error);
        // The previous configuration is served until the file is valid again.
        report("kept", { config: path, problem: error.message, lines: error.lines });
      }
    };
    following = watched && path !== undefined ? follow(path, change) : undefined;
    await over.wanted;
  } finally {
    reportServers();
    await following?.close();
    await running.stop();
  }
  report("ended", {});
  return 0;
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

/**
 * The link to the demo page. The page takes the token from its fragment, which browsers send to no server. A token that outlives
 * this process is not in it: browsers keep the links that they open.
 * @type {(url: string, bearer: { token?: string, made: boolean }) => string}
 */
const pageOf = (url, { token, made }) => `${url}/${made ? `#token=${token}` : ""}`;

function* warnings(host, config, bearer) {
  const open = exposure(host, config, bearer);
  if (open !== undefined) yield open;
  if (process.env.SIEVE_MIDDLEWARE_TOKEN && parseConfig(config).middleware) yield MOUNT;
  yield* openArguments(config);
}

function portOf(port = "8787") {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535)
    throw new Unreadable(`--port: expected a number from 0 to 65535, got \`${port}\``);
  return number;
}
