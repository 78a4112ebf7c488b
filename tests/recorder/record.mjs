// Recordings of a server by every client: directly, and through a gateway without settings.
import { installCommand } from "../support/command.mjs";
import { ask } from "../support/raw-client.mjs";
import { startWorkers } from "../support/workerd.mjs";
import { CLIENTS, recordClient } from "./clients.mjs";
import { differences } from "./differences.mjs";
import { recordRaw } from "./raw.mjs";
import { SERVERS } from "./servers.mjs";

const serviceOf = (name) => name.toLowerCase().replaceAll(/\W+/g, "-");

/**
 * Starts the servers and a gateway in front of each: the Worker in front of those over HTTP, and `mcp-sieve -- COMMAND` for local
 * ones. `differencesOf(name)` resolves with the differences of a server.
 */
export async function startRecorder(names = Object.keys(SERVERS)) {
  const command = await installCommand();
  const servers = {};
  await Promise.all(names.map(async (name) => (servers[name] = await SERVERS[name].start())));
  const remote = names.filter((name) => !Array.isArray(servers[name].place));
  const services = remote.map((name) => ({
    name: serviceOf(name),
    config: { upstream: { url: servers[name].place } },
  }));
  const workers = services.length > 0 ? await startWorkers(services) : undefined;
  // That a server keeps sessions is known once it has been listed.
  await Promise.all(Object.values(workers?.urls ?? {}).map((url) => ask(`${url}/mcp`, "tools/list")));
  const home = { HOME: command.folder, XDG_CACHE_HOME: `${command.folder}/cache`, CI: "true" };

  /** Returns what every client gets at a place, by client and request. */
  async function recordings(name, place) {
    const { calls, revisions, clients: kinds = CLIENTS, env, ...rest } = SERVERS[name];
    const { folders, root } = servers[name];
    const script = { ...rest, calls: typeof calls === "function" ? calls(folders) : calls };
    const clients = Object.entries(kinds).map(async ([client, kind]) => [
      client,
      await recordClient(kind, place, script, { root, env: { ...home, ...env } }),
    ]);
    const raw = revisions.map(async (revision) => [
      `raw ${revision}`,
      await recordRaw(revision, place, script, { env: { ...home, ...env } }),
    ]);
    return Object.fromEntries(await Promise.all([...clients, ...raw]));
  }

  return {
    /** Returns the differences of a server, as `SERVER | CLIENT | REQUEST PATH: DIRECT → THROUGH`. */
    async differencesOf(name) {
      const { place } = servers[name];
      const gateway = Array.isArray(place)
        ? [process.execPath, `${command.package}/cli/main.js`, "--", ...place]
        : `${workers.urls[serviceOf(name)]}/mcp`;
      const direct = await recordings(name, place);
      const through = await recordings(name, gateway);
      return Object.entries(direct).flatMap(([client, recording]) =>
        Object.keys(recording).flatMap((request) =>
          // The SDKs order the members of what they return themselves.
          differences(recording[request], through[client][request], { written: client.startsWith("raw") }).map(
            (text) => `${name} | ${client} | ${request} ${text}`,
          ),
        ),
      );
    },
    async stop() {
      await workers?.stop();
      for (const { stop } of Object.values(servers)) await stop();
      command.remove();
    },
  };
}
