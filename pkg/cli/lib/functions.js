// @ts-check
// The functions of context middleware that a configuration names.
import { withoutSecrets } from "./addresses.js";
import { locate } from "./engine.js";
import { parseConfig, reading } from "./input.js";

/** The steps of a chain: an array, or an object that limits them to the last items. */
const stepsOf = (/** @type {any} */ chain = []) => (Array.isArray(chain) ? chain : (chain?.steps ?? []));

/** The names of the functions that the chains of a call use. */
const namesOf = ({ request, response }) => [...stepsOf(request), ...stepsOf(response)].map((step) => step.use ?? step);

/** Whether a function may be one of a middleware server. */
function isRemote(name, servers) {
  const [, server, own] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const known = Object.hasOwn(servers, server) ? servers[server] : undefined;
  return known !== undefined && (known.functions ?? [own]).includes(own);
}

/** Refuses the names and arguments of functions that the gateway would refuse with its first request. */
export async function checkFunctions(config, label) {
  const { middleware } = parseConfig(config);
  if (!middleware) return;
  const { Middleware, SieveError } = await import("../../loaders/middleware-node.js");
  const { chains = [], servers = {}, policies, patterns } = middleware;
  // `null` stands for all functions.
  const functions = middleware.functions ?? [];
  for (const [name, { url }] of Object.entries(servers)) {
    if (!/^https?:/.test(url) || !URL.canParse(url))
      refuse(
        `middleware.servers.${name}.url`,
        `expected an address such as https://example.com/mcp, got \`${withoutSecrets(url)}\``,
      );
  }
  const built = attempt(
    () => new Middleware({ policies, patterns }),
    (path) => `middleware.${path}`,
  );
  // Only the gateway, which asks the middleware servers, knows what they list.
  for (const name of new Set([...functions, ...chains.flatMap(namesOf)].filter((name) => isRemote(name, servers))))
    built.add({ name, apply: ({ content }) => ({ content }) });
  const known = new Set(built.list().map(({ name }) => name));
  const strange = functions.findIndex((name) => !known.has(name));
  if (strange >= 0) refuse(`middleware.functions[${strange}]`, `there is no function \`${functions[strange]}\``);
  for (const [at, chain] of chains.entries()) {
    for (const side of ["request", "response"]) {
      const { [side]: given } = chain;
      const steps = stepsOf(given);
      if (steps.length === 0) continue;
      // The gateway also accepts `last: 0`, with which functions only see the members beside the items.
      const outbound = Array.isArray(given) ? steps : { steps, last: 1 };
      attempt(
        () => built.pipeline({ outbound }),
        (path) => `middleware.chains[${at}].${side}${path.slice("outbound".length)}`,
      );
    }
  }

  /** Calls `act`. The place of an error is `placed` of the engine's path. */
  function attempt(act, placed) {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof SieveError)) throw error;
      const { path = "", message } = /** @type {Error & { path?: string }} */ (error);
      // The message of the engine begins with the path.
      refuse(placed(path), message.slice(path === "" ? 0 : path.length + 2));
    }
  }

  /** Refuses the member at `path`, with its line and column. */
  function refuse(path, message) {
    const refusal = () => {
      throw Object.assign(new Error(`${path}: ${message}`), { code: "config", path });
    };
    reading(label, refusal, { text: config, locate });
  }
}
