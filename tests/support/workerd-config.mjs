// The folder that `workerd serve` reads: a Cap'n Proto config, and copies of the files that it embeds.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The builds of the shipped Worker, and of the example whose tools the tests call. */
export const SHIPPED = join(root, "worker/build");
export const TRACKER = join(root, "examples/tracker/build");
const text = JSON.stringify; // for paths and names only, for which Cap'n Proto parses JSON strings alike

/** Returns the compatibility date of wrangler's file, under which the Worker is both deployed and tested. */
function compatibilityDate() {
  const source = readFileSync(join(root, "worker/wrangler.jsonc"), "utf8");
  return /"compatibility_date":\s*"([\d-]+)"/.exec(source)[1];
}

/**
 * Wait for first lists, in milliseconds. A busy machine exceeds the gateway's default, after which lists are partial.
 */
const LIST_WAIT_MS = 20_000;

/** Returns the configuration of a service, with that wait for every server. */
function patient({ config, upstream, file, bundle }) {
  const waits = (server) => ({ listWaitMs: LIST_WAIT_MS, ...server });
  if (typeof config === "string" || file !== undefined || bundle !== undefined) return config;
  if (Array.isArray(config?.upstreams)) return { ...config, upstreams: config.upstreams.map(waits) };
  if (upstream || config?.upstream) return { ...config, upstream: waits(config?.upstream) };
  return config;
}

/** Returns the text bindings of a service. Each is a separate file, so that no value needs escaping. */
function bindingsOf(service, folder) {
  // The Worker listens on this machine only, so other host names are rejected.
  const { upstream, key, hosts = "localhost,127.0.0.1,[::1]", env = {} } = service;
  const texts = {
    UPSTREAM_URL: upstream,
    SIEVE_CONFIG: patient(service),
    SIEVE_KEY: key,
    SIEVE_HOSTS: hosts,
    SIEVE_ONE_USER: "true",
    ...env,
  };
  const lines = [];
  for (const [name, value] of Object.entries(texts)) {
    if (value === undefined || value === null) continue;
    writeFileSync(join(folder, `${name}.txt`), typeof value === "string" ? value : text(value), { mode: 0o600 });
    lines.push(`(name = ${text(name)}, text = embed ${text(`${service.name}/${name}.txt`)})`);
  }
  return lines;
}

/** Libraries that a project bundles into its own Worker, such as `agents`, import modules of Node. */
const NODE_MODULES = 'compatibilityFlags = ["nodejs_compat"],';

/**
 * Returns the folder of a build next to the config. Services with the same build share one copy, which may have
 * megabytes.
 */
function sharedBuild(source, folder, builds) {
  if (!builds.has(source)) {
    const copy = `build-${builds.size}`;
    mkdirSync(join(folder, copy));
    for (const module of ["index.js", "index_bg.wasm"]) copyFileSync(join(source, module), join(folder, copy, module));
    builds.set(source, copy);
  }
  return builds.get(source);
}

/** Writes the modules of a Worker. Returns the name, the type and the path in `folder` of each, the entry first. */
function modulesOf({ name, bundle, build, file, tracker }, folder, builds) {
  const own = (module) => `${name}/${module}`;
  if (bundle !== undefined) {
    const types = { ".js": "esModule", ".wasm": "wasm", ".jsonc": "text" };
    const found = readdirSync(bundle).filter((module) => extname(module) in types);
    for (const module of found) copyFileSync(join(bundle, module), join(folder, own(module)));
    const modules = found.map((module) => [module, types[extname(module)], own(module)]);
    return modules.sort(([module]) => (module === "worker.js" ? -1 : 1));
  }
  const shared = sharedBuild(resolve(build ?? (tracker ? TRACKER : SHIPPED)), folder, builds);
  const modules = [
    ["build/index.js", "esModule", `${shared}/index.js`],
    ["build/index_bg.wasm", "wasm", `${shared}/index_bg.wasm`],
  ];
  if (file === undefined) return modules;
  // The Worker as it is deployed: its entry imports the file as text.
  copyFileSync(join(root, "worker/worker.js"), join(folder, own("worker.js")));
  writeFileSync(join(folder, own("sieve.jsonc")), file);
  return [["worker.js", "esModule", own("worker.js")], ...modules, ["sieve.jsonc", "text", own("sieve.jsonc")]];
}

/** Returns whether a service names an upstream server. */
function hasUpstream({ upstream, config, file }) {
  if (upstream) return true;
  const text = config ?? file;
  return /"upstreams?"/.test(typeof text === "string" ? text : (JSON.stringify(text) ?? ""));
}

/**
 * The classes of objects by binding. Isolates of one deployment share the objects: `shares` names the service that has
 * all of them, and `catalog` the one that has those with the catalog and the listeners.
 */
const OBJECTS = {
  SESSIONS: "SessionObject",
  TASKS: "TasksObject",
  AUDIT: "AuditObject",
  LIBRARY: "LibraryObject",
  LIMITS: "LimitsObject",
  CONNECTIONS: "ConnectionsObject",
  CHANGES: "ChangesObject",
  CATALOG: "CatalogObject",
};

/** Returns the bindings of a service to objects. A service without `catalog` or `connections` has `false` there. */
function objectBindings({ shares, catalog, connections, tracker, objects = {} }) {
  const owners = { CHANGES: catalog || shares, CATALOG: catalog ?? shares, CONNECTIONS: connections ?? shares };
  const classes = { ...OBJECTS, ...(tracker && { TRACKER: "TrackerObject" }), ...objects };
  return Object.entries(classes).flatMap(([binding, className]) => {
    const owner = binding in owners ? owners[binding] : OBJECTS[binding] && shares;
    if (owner === false) return [];
    const namespace = owner ? `(className = ${text(className)}, serviceName = ${text(owner)})` : text(className);
    return [`(name = ${text(binding)}, durableObjectNamespace = ${namespace})`];
  });
}

function workerOf(given, folder, date, builds) {
  // If neither a server nor a Worker is given, the tracker is served.
  const service = { tracker: given.build === undefined && given.bundle === undefined && !hasUpstream(given), ...given };
  const { name } = service;
  const files = join(folder, name);
  mkdirSync(files);
  const modules = modulesOf(service, folder, builds);
  const bindings = [
    ...bindingsOf(service, files),
    ...objectBindings(service),
    `(name = "ASSETS", service = ${text(`${name}-assets`)})`,
    ...(service.jwks ? [`(name = "SIEVE_JWKS", kvNamespace = ${text(`${name}-platform`)})`] : []),
    ...Object.entries(service.kv ?? {}).map(
      ([name, store]) => `(name = ${text(name)}, kvNamespace = ${text(`${store}-kv`)})`,
    ),
    ...(service.limit
      ? [`(name = "SIEVE_RATE", service = (name = ${text(`${name}-platform`)}, entrypoint = "Limiter"))`]
      : []),
    ...(service.ranker ? [`(name = "SIEVE_RANKER", service = ${text(`${name}-ranker`)})`] : []),
  ];
  const objects = [
    ...(service.shares ? [] : Object.values(OBJECTS)),
    ...(service.tracker ? ["TrackerObject"] : []),
    ...Object.values(service.objects ?? {}),
  ].map((object) => `(className = "${object}", uniqueKey = ${text(`${name}-${object}`)}, enableSql = true)`);
  return `
    (name = ${text(name)}, worker = (
      compatibilityDate = "${date}",
      ${service.build === undefined || service.file !== undefined ? "" : NODE_MODULES}
      modules = [${modules.map(([module, type, path]) => `(name = ${text(module)}, ${type} = embed ${text(path)})`).join(", ")}],
      bindings = [
        ${bindings.join(",\n        ")}],
      durableObjectNamespaces = [${objects.join(", ")}],
      durableObjectStorage = (localDisk = "storage"),
      globalOutbound = ${service.network ? text(`${name}-network`) : `"network"`})),
    ${service.network ? `(name = ${text(`${name}-network`)}, external = (address = ${text(service.network)}, http = ())),` : ""}
    ${assetsOf(service, date)}${platformOf(service, folder, date)}${rankerOf(service, folder, date)}`;
}

/** Returns the Worker for the binding of a ranker, whose module is the text `ranker`. */
function rankerOf({ name, ranker }, folder, date) {
  if (!ranker) return "";
  const file = `${name}/ranker.js`;
  writeFileSync(join(folder, file), ranker);
  return `
    (name = ${text(`${name}-ranker`)}, worker = (compatibilityDate = "${date}",
      modules = [(name = "ranker.js", esModule = embed ${text(file)})])),`;
}

/**
 * Returns stand-ins for services of the platform: a namespace with `jwks`, and a rate limiter that allows `limit`
 * requests of a key.
 */
function platformOf({ name, jwks, limit }, folder, date) {
  if (!jwks && !limit) return "";
  const source = `
    import { WorkerEntrypoint } from "cloudflare:workers";
    const kept = ${text(jwks ?? {})}, counts = new Map();
    export default { fetch(request) {
      const found = kept[decodeURIComponent(new URL(request.url).pathname.slice(1))];
      return found ? new Response(JSON.stringify(found)) : new Response(null, { status: 404 });
    } };
    export class Limiter extends WorkerEntrypoint {
      limit({ key }) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { success: counts.get(key) <= ${limit} };
      }
    }`;
  const file = `${name}/platform.js`;
  writeFileSync(join(folder, file), source);
  return `
    (name = ${text(`${name}-platform`)}, worker = (compatibilityDate = "${date}",
      modules = [(name = "platform.js", esModule = embed ${text(file)})])),`;
}

/**
 * Returns a KV namespace that services share by its name. It answers workerd's requests for the binding from memory.
 */
function storeOf(name, folder, date) {
  const source = `
    const kept = new Map();
    export default { async fetch(request) {
      const key = new URL(request.url).pathname;
      if (request.method === "PUT") kept.set(key, await request.text());
      if (request.method === "DELETE") kept.delete(key);
      const found = request.method === "GET" ? kept.get(key) : "";
      return found === undefined ? new Response(null, { status: 404 }) : new Response(found);
    } };`;
  writeFileSync(join(folder, `${name}-kv.js`), source);
  return `
    (name = ${text(`${name}-kv`)}, worker = (compatibilityDate = "${date}", modules = [(name = "kv.js", esModule = embed ${text(`${name}-kv.js`)})])),`;
}

function assetsOf(service, date) {
  const name = `${service.name}-assets`;
  const folder = resolve(service.assets ?? join(root, "build/site"));
  if (!existsSync(folder)) {
    return `(name = ${text(name)}, worker = (compatibilityDate = "${date}", modules = [
      (name = "none.js", esModule = "export default { fetch: () => new Response('no page was built', { status: 404 }) }")])),`;
  }
  return `(name = ${text(name)}, worker = (
      compatibilityDate = "${date}",
      modules = [(name = "assets.js", esModule = embed "assets.js")],
      bindings = [(name = "FILES", service = ${text(`${name}-files`)})])),
    (name = ${text(`${name}-files`)}, disk = (path = ${text(folder)})),`;
}

/** Writes the config and all embedded files into `folder`. Returns the config's path. */
export function writeConfig(folder, services, storage) {
  const date = compatibilityDate();
  copyFileSync(new URL("assets.js", import.meta.url), join(folder, "assets.js"));
  const path = join(folder, "config.capnp");
  const builds = new Map();
  const stores = new Set(services.flatMap(({ kv = {} }) => Object.values(kv)));
  writeFileSync(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${services.map((service) => workerOf(service, folder, date, builds)).join("")}${[...stores].map((store) => storeOf(store, folder, date)).join("")}
    (name = "storage", disk = (path = ${text(storage)}, writable = true)),
    # Upstreams under test and under development live on this machine.
    (name = "network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))],
  sockets = [
    ${services.map(({ name, port = 0 }) => `(name = ${text(name)}, service = ${text(name)}, address = "127.0.0.1:${port}", http = ())`).join(",\n    ")}]);
`,
  );
  return path;
}
