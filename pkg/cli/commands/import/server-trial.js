// @ts-check
// Starts each local server once and asks each remote one, through a gateway like the one that the host will start.
import { Unreadable } from "../../lib/cli-error.js";
import { variables } from "../../lib/environment.js";
import { localGateway } from "../../lib/local-gateway.js";
import { readableLine } from "../../lib/runtime-log.js";
import { processesOf } from "../../stdio/localized.js";

/**
 * Returns the servers that cannot be served, by name, each with the reason. `path` is that of the configuration, in whose folder
 * local servers run.
 * @param {Record<string, any>[]} upstreams
 * @param {{ path: string, environment: Record<string, string | undefined>, yes?: boolean }} place
 * @returns {Promise<Map<string, string>>}
 */
export async function failuresOf(upstreams, { path, environment, yes }) {
  const failed = new Map();
  for (const server of upstreams) {
    const problem = unsetIn(server, path, environment);
    if (problem !== undefined) failed.set(server.name, problem);
  }
  // One variable that is not set would keep the gateway from serving the others. To some the user signs in later.
  const ready = upstreams.filter(({ name, auth }) => !failed.has(name) && auth === undefined);
  if (ready.length === 0) return failed;
  for (const { name, reason, message } of await reportsOn(ready, { path, environment, yes }))
    if (reason !== undefined) failed.set(name, message.replace(`upstream \`${name}\` `, ""));
  return failed;
}

/** The message on the variables of a server that are not set; nothing if all are. */
function unsetIn(server, path, environment) {
  const config = JSON.stringify({ upstream: server });
  try {
    processesOf(config, environment, path);
    variables(config, environment);
    return undefined;
  } catch (error) {
    if (error instanceof Unreadable) return error.message.replace("the configuration", "it");
    throw error;
  }
}

/** Prints what workerd itself says, and not what the gateway will log of the servers whenever it starts. */
const ofRuntime = (line) => {
  const readable = readableLine(line);
  return readable?.startsWith("workerd: ") ? readable : undefined;
};

/** The gateway's reports on servers, as `survey` returns them. */
async function reportsOn(upstreams, { path, environment, yes }) {
  /** @type {(error: Error) => void} */
  let end = () => {};
  /** @type {Promise<never>} */
  const ended = new Promise((_, fail) => {
    end = fail;
  });
  // It may end before anything waits for it.
  ended.catch(() => {});
  const running = await localGateway({
    port: 0,
    transport: "stdio",
    path,
    environment,
    yes,
    log: ofRuntime,
    ended: (how) => end(new Unreadable(`workerd ended by itself (${how})`)),
  });
  try {
    const { reports } = await running.serve(running.planOf(JSON.stringify({ upstreams })));
    return await Promise.race([reports, ended]);
  } finally {
    await running.stop();
  }
}
