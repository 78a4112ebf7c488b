// @ts-check
// The Worker of this package in workerd.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { authorities } from "./authorities.js";
import { nodeLog } from "./cluster/causes.js";
import { RECORDS } from "./cluster/member.js";
import { PRIVATE, createFile } from "./files.js";
import { makeFolder } from "./folders.js";
import { guard } from "./guard.js";
import { borrowed } from "./optional-packages.js";
import { relay } from "./print.js";
import { readableLine } from "./runtime-log.js";
import { Unreadable } from "./cli-error.js";
import { MODULES, deployment, writeWorker } from "./worker.js";

const START_MS = 20_000;
const STOP_MS = 1_000;
/** The versions of workerd that have clusters. */
const CLUSTER_RANGE = "^1.20261117.1";
/** Maximum time in which a node joins its cluster. A bucket that is slow is asked several times. */
const JOIN_MS = 60_000;
/** Time in which a node hands its objects to the others and lets requests finish. Supervisors give ten seconds by default. */
const DRAIN_MS = 8_000;
/** Time after that in which the runtime ends by itself. */
const DRAIN_MARGIN_MS = 1_000;
/** The folder of the Durable Objects, within the one for data. */
export const STORAGE = "storage";
/** The module that serves the page. The gate reads it too. */
const PAGE = "page.js";
/** Addresses to listen on that stand for all addresses of this machine, and one of these. */
const ANY = { "0.0.0.0": "127.0.0.1", "::": "::1" };
const text = JSON.stringify; // paths and names only: Cap'n Proto reads plain JSON strings alike

/**
 * A gateway that is not running yet. `start(config, variables, services)` runs it, or runs it again on the same port and the same
 * storage. `services` are HTTP servers of this process that the Worker reaches by a binding, `{ name, address, header }` each, with
 * the header that workerd adds to each request. `stop()` ends it and removes what it kept, unless that is in the folder `data`. `ended` is called when it ends by itself.
 * `token` is what every request needs, if it is given, and `alone` whether this process is the only client. `log` returns what is
 * printed of a line of workerd and the Worker. `cluster` makes the gateway a node of a cluster: then `start` takes the `record` of
 * the node too, and `data` has copies of the cluster's objects.
 */
export async function gateway({ host, port, token, alone, data, cluster, yes, log = readableLine, ended }) {
  const range = cluster && CLUSTER_RANGE;
  const { default: binary, compatibilityDate } = await borrowed("workerd", { yes, range });
  const path = typeof binary === "string" ? binary : binary.default;
  const folder = temporaryFolder();
  let trusted, chosen;
  try {
    trusted = authorities(folder);
    chosen = await free(host, port);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const node = cluster && nodeLog(cluster.bucket, log);
  const manner = node
    ? { log: node.log, startMs: JOIN_MS, options: ["--experimental"], reason: () => node.state.cause }
    : { log, startMs: START_MS, options: [], reason: () => undefined };
  let child;
  let unguard = () => {};
  const end = async () => {
    unguard();
    await finish(child, cluster ? DRAIN_MS + DRAIN_MARGIN_MS : STOP_MS);
  };
  // No child and no file is left when this process ends.
  const last = () => {
    child?.kill("SIGKILL");
    unguard();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", last);
  return {
    url: `http://${written(host)}:${chosen}`,
    /** The address for this machine. */
    local: `http://${written(ANY[host] ?? host)}:${chosen}`,
    async start(config, variables, services = [], record = undefined) {
      await end();
      const { compatibility_date, durable_objects } = deployment();
      // An older workerd knows nothing of a later date.
      const date = [compatibility_date, compatibilityDate ?? compatibility_date].sort()[0];
      const objects = durable_objects.bindings.map(({ name, class_name }) => [name, class_name]);
      const file = write(folder, {
        host,
        port: chosen,
        data,
        config,
        variables,
        services,
        date,
        objects,
        authority: trusted.extra,
        gate: token === undefined ? undefined : { digest: sha256(token), alone },
        hasPage: !alone,
        cluster,
        record,
      });
      child = await launch(path, file, trusted.variables, manner);
      if (node) node.state.starting = false;
      unguard = guard(child.pid, folder);
      child.once("exit", (code, signal) => {
        const reason = manner.reason();
        if (!child.asked) ended(reason === undefined ? (code ?? signal) : `${code ?? signal}: ${reason}`);
      });
    },
    async stop() {
      await end();
      process.off("exit", last);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a new folder for the files that workerd reads. */
function temporaryFolder() {
  try {
    return mkdtempSync(join(tmpdir(), "mcp-sieve-"));
  } catch (error) {
    throw new Unreadable(
      `the folder for temporary files, ${tmpdir()}, cannot be written: ${error.message}; the variable TMPDIR names another`,
    );
  }
}

/** The port, or any where none is given; says so if it is taken. */
function free(host, port) {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once("error", (/** @type {NodeJS.ErrnoException} */ { code }) =>
      fail(
        new Unreadable(
          code === "EADDRINUSE"
            ? `port ${port} is taken; --port chooses another, 0 any`
            : `${host}, port ${port}: ${code}`,
        ),
      ),
    );
    probe.listen(port, host, () => {
      const { port: found } = /** @type {import("node:net").AddressInfo} */ (probe.address());
      probe.close(() => done(found));
    });
  });
}

/** Writes what workerd reads; each variable is a file of its own, so that no value needs escaping. */
function write(
  folder,
  { host, port, data, config: rules, variables, services, date, objects, authority, gate, hasPage, cluster, record },
) {
  const run = mkdtempSync(join(folder, "run-"));
  const storage = join(resolve(data ?? folder), STORAGE);
  makeFolder(storage);
  writeWorker(run, rules);
  const modules = [...writeEntry(run, { gate, record }), ...MODULES];
  const bindings = Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      createFile(join(run, `${name}.txt`), value, PRIVATE);
      return `(name = ${text(name)}, text = embed ${text(`${name}.txt`)})`;
    });
  if (authority !== undefined) createFile(join(run, "authority.pem"), authority);
  createFile(join(run, PAGE), readFileSync(new URL(PAGE, import.meta.url)));
  if (record !== undefined) bindings.push(`(name = ${text(RECORDS)}, service = "records")`);
  if (hasPage) bindings.push('(name = "ASSETS", service = "page")');
  bindings.push(...services.map(({ name }) => `(name = ${text(name)}, service = ${text(name)})`));
  const outside = services.map(
    ({ name, address, header }) =>
      `(name = ${text(name)}, external = (address = ${text(address)}, http = (injectRequestHeaders = [(name = ${text(header.name)}, value = ${text(header.value)})]))),\n    `,
  );
  const trusted = authority === undefined ? "" : `, trustedCertificates = [embed "authority.pem"]`;
  const config = join(run, "config.capnp");
  createFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "sieve", worker = (
      compatibilityDate = "${date}",
      modules = [
        ${modules.map(({ name, type }) => `(name = "${name}", ${type} = embed "${name}")`).join(",\n        ")}],
      bindings = [
        ${[...bindings, ...objects.map(([name, object]) => `(name = "${name}", durableObjectNamespace = "${object}")`)].join(",\n        ")}],
      durableObjectNamespaces = [${objects.map(([, object]) => `(className = "${object}", uniqueKey = "${object}", enableSql = true)`).join(", ")}],
      durableObjectStorage = (localDisk = "storage"),
      globalOutbound = "network")),
    ${outside.join("")}(name = "page", worker = (
      compatibilityDate = "${date}",
      modules = [(name = ${text(PAGE)}, esModule = embed ${text(PAGE)})],
      bindings = [(name = "PACKAGE", service = "package")])),
    (name = "package", disk = (path = ${text(ownFolder())})),
    (name = "storage", disk = (path = ${text(storage)}, writable = true)),
    (name = "network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true${trusted})))${cluster === undefined ? "" : RECORDS_SERVICE}],
  sockets = [(name = "http", service = "sieve", address = ${text(`${written(host)}:${port}`)}, http = ())]${cluster === undefined ? "" : `,\n  ${clusterIn(run, cluster)}`});
`,
    PRIVATE,
  );
  return config;
}

/** The folder of the bucket that has the record of the nodes. */
const RECORDS_SERVICE = `,
    (name = "records", bucket = (path = "sieve"))`;

/**
 * Writes the key of a cluster and returns what the runtime reads of it. The runtime takes the credentials of the bucket from the
 * environment.
 */
function clusterIn(folder, { bucket, address, advertise, key }) {
  createFile(join(folder, "cluster-key.txt"), key, PRIVATE);
  const advertised = advertise === undefined ? "" : `, advertise = ${text(advertise)}`;
  return `cluster = (bucket = ${text(bucket)}, address = ${text(address)}${advertised}, key = embed "cluster-key.txt", stopTimeoutMs = ${DRAIN_MS})`;
}

/** The folder of this package. */
const ownFolder = () => realpathSync(fileURLToPath(new URL("../../", import.meta.url)));

/**
 * Writes the modules in front of the Worker, the entry first, and returns them as `MODULES` has those of the Worker: the node of a
 * cluster if it has a `record`, and the gate if there is one, which comes first.
 */
function writeEntry(folder, { gate, record }) {
  const wrappers = [
    ...(record === undefined ? [] : [{ file: "cluster/member.js", wrap: "member", given: record }]),
    ...(gate === undefined ? [] : [{ file: "gate.js", wrap: "gated", given: gate }]),
  ];
  if (wrappers.length === 0) return [];
  const [{ name: worker }] = MODULES;
  for (const { file } of wrappers)
    createFile(join(folder, basename(file)), readFileSync(new URL(file, import.meta.url)));
  const wrapped = wrappers.reduce((inner, { wrap, given }) => `${wrap}(${inner}, ${text(given)})`, "worker");
  createFile(
    join(folder, "gateway.js"),
    `import worker from "./${worker}";
${wrappers.map(({ file, wrap }) => `import { ${wrap} } from "./${basename(file)}";`).join("\n")}
export * from "./${worker}";
export default ${wrapped};
`,
  );
  const names = ["gateway.js", ...wrappers.map(({ file }) => basename(file)), ...(gate === undefined ? [] : [PAGE])];
  return names.map((name) => ({ name, type: "esModule" }));
}

const sha256 = (token) => createHash("sha256").update(token).digest("hex");

/** A host as URLs have it. */
const written = (host) => (host.includes(":") ? `[${host}]` : host);

/** Resolves once it listens. What workerd and the Worker print goes to standard error. */
function launch(binary, config, variables, { log, startMs, options, reason }) {
  // The files of the storage are for this user alone. Local servers keep the mask of the user.
  const mask = process.umask(0o077);
  let child;
  try {
    child = spawn(binary, ["serve", ...options, "--control-fd=3", config], {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: { ...process.env, ...variables },
    });
  } finally {
    process.umask(mask);
  }
  relay(child.stdout, log);
  relay(child.stderr, log);
  return new Promise((done, fail) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      fail(new Unreadable(reason() ?? `workerd did not listen within ${startMs} ms`));
    }, startMs);
    const settled = (settle, value) => {
      clearTimeout(late);
      settle(value);
    };
    let pending = "";
    /** @type {import("node:stream").Readable} */ (child.stdio[3]).setEncoding("utf8").on("data", (chunk) => {
      pending += chunk;
      if (/"event"\s*:\s*"listen"/.test(pending)) settled(done, child);
    });
    child.once("error", (error) => settled(fail, new Unreadable(`workerd cannot be run: ${error.message}`)));
    child.once("exit", (code, signal) =>
      settled(fail, new Unreadable(reason() ?? `workerd ended with ${code ?? signal} before it listened`)),
    );
  });
}

/** workerd first lets open requests finish; a stream that stays open is cut after a time. */
async function finish(child, stopMs) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.asked = true;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await gone;
  clearTimeout(late);
}
