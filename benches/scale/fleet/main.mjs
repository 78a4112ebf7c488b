// The process of the servers. It takes commands from its parent, and ends with it.
import { probe } from "./probe.mjs";
import { FleetServer } from "./server.mjs";

const servers = [];
const at = (places) => (places ?? [...servers.keys()]).map((place) => servers[place]);

const commands = {
  /** Starts servers, and returns their URLs. */
  async start(specs) {
    const added = specs.map((spec) => new FleetServer(spec));
    servers.push(...added);
    return Promise.all(added.map((server) => server.open()));
  },
  behave: (places, behaviour) => Promise.all(at(places).map((server) => server.behave(behaviour))),
  /** Sets members of servers, such as `ttlMs`. */
  set: (places, members) => at(places).forEach((server) => Object.assign(server, members)),
  change: (places, notify) => at(places).forEach((server) => server.change(notify)),
  /** Returns the requests of each server by method since the last `reset`. */
  counts: (places) => at(places).map(({ counts }) => counts),
  reset: (places) => at(places).forEach((server) => (server.counts = {})),
  /** Returns the number of open streams of each server. */
  streams: (places) => at(places).map(({ streams }) => streams),
  /** Returns the number of requests to each server that it left unanswered until the client gave up. */
  abandoned: (places) => at(places).map(({ abandoned }) => abandoned),
  probe,
};

process.on("message", async ({ id, command, args }) => {
  try {
    process.send({ id, result: await commands[command](...args) });
  } catch (error) {
    process.send({ id, error: error.message });
  }
});
process.once("disconnect", () => process.exit());
