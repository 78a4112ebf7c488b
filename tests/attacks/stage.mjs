// The setup that classes of attack share: upstream servers, Workers in workerd, and wrapped handlers in this process.
import { gateway } from "../../pkg/loaders/handler-node.js";
import { installCommand } from "../support/command.mjs";
import { freePort } from "../support/port.mjs";
import { tokensVariable } from "../support/tokens.mjs";
import { startWorkers } from "../support/workerd.mjs";
import { serve } from "./serve.mjs";
import { startPythonVault } from "./upstreams/python.mjs";

const KEY = "a key for the attack suite: 32 bytes or more";
const PATIENCE_MS = 8_000;
/** Maximum duration of a gateway of the command, in milliseconds. A class at full size may take as long. */
const RUN_MS = 3_600_000;

/** Returns a function that finds the claims of a request's token in `people`, as an application would. */
export const identifyIn = (people) => (request) => {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token === undefined) return null;
  if (!(token in people)) throw new Error("unknown token");
  return people[token];
};

/** Returns a front at a URL. */
export const at = (url, more = {}) => ({
  kind: "worker",
  url,
  fetch: (path, init) => fetch(path.startsWith("/") ? `${url}${path}` : new URL(path, url), init),
  ...more,
});

/** Limits the wait for a server to what a test may take. */
const patient = (config) => ({
  ...config,
  upstream: { timeoutMs: PATIENCE_MS, listTimeoutMs: PATIENCE_MS, callTimeoutMs: PATIENCE_MS, ...config.upstream },
});

/** Returns the wrapped handler as a front. It takes requests as `Request` objects, without a network. */
export function wrap(behind, config = {}, { env = {}, ...options } = {}) {
  const notes = [];
  const wrapped = gateway(behind.fetch, typeof config === "string" ? config : patient(config), {
    key: KEY,
    note: (line) => notes.push(line),
    ...options,
  });
  const fetch = async (path, init) =>
    wrapped.fetch(new Request(new URL(path, "http://handler.example"), init), env, {});
  return { name: `wrapped handler, ${behind.label}`, kind: "handler", fetch, notes };
}

/** Starts parts that all classes share when they are first used. `scope()` is one class's part, ended with `stop`. */
export function setStage() {
  const shared = new Map();
  const once = (key, start) => {
    if (!shared.has(key)) shared.set(key, start());
    return shared.get(key);
  };

  const scope = () => {
    const stops = [];
    const defer = (stop) => void stops.push(stop);
    /** Returns the URL of an upstream server. A fetch handler is served over HTTP. */
    const served = async (behind) => {
      if (behind.url) return behind.url;
      const { url, stop } = await serve(behind.fetch);
      defer(stop);
      behind.url = url;
      return url;
    };
    const workers = async (services, options) => {
      const started = await startWorkers(
        services.map((service) => ({ assets: "none", ...service })),
        options,
      );
      defer(() => started.stop());
      return started;
    };
    return {
      defer,
      served,
      workers,
      python: () => once("python", startPythonVault),
      /**
       * Starts each front for every world (`{behind, config, people, env, options}`): the Worker and the wrapped
       * handler.
       */
      async fronts(worlds) {
        const entries = Object.entries(worlds);
        const services = [];
        for (const [name, { behind, config = {}, people, env }] of entries) {
          const tokens = people && { SIEVE_TOKENS: tokensVariable(people) };
          services.push({ name, upstream: await served(behind), config, env: { ...tokens, ...env } });
        }
        const started = await workers(services);
        return Object.fromEntries(
          entries.map(([name, { behind, config, people, options, workerOnly }]) => {
            const url = started.urls[name];
            const worker = at(url, { name: `Worker, ${behind.label}`, pid: started.pid, log: started.log });
            // A server without a handler can be reached by the Worker only.
            if (workerOnly || !behind.fetch) return [name, [worker]];
            return [
              name,
              [worker, wrap(behind, config, { ...(people && { identify: identifyIn(people) }), ...options })],
            ];
          }),
        );
      },
      /** Starts `mcp-sieve run` with a configuration, from a project that has the package installed. */
      async run(config) {
        const command = await installCommand();
        defer(() => command.remove());
        command.install("workerd");
        command.write("sieve.jsonc", JSON.stringify(config));
        const args = ["run", "sieve.jsonc", "--port", String(await freePort())];
        const started = command.start(args, { timeout: RUN_MS });
        defer(() => started.stop());
        const [listening] = /http:[/][/][^/\s]+/.exec(await started.line(/http:[/][/]/));
        return at(listening, { name: "mcp-sieve run", pid: started.child.pid });
      },
      async stop() {
        for (const stop of stops.reverse()) await stop();
      },
    };
  };
  const stop = async () => {
    for (const started of shared.values()) await (await started).stop();
  };
  return { scope, stop };
}
