// The examples of a cluster: the Compose file, the chart and the page about them, compared with the command, and the topology of
// the Compose file as processes on this machine. Docker does not run here, so no container is started.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import "./support/home.mjs";
import { startNode } from "./support/cluster-node.mjs";
import { installCommand } from "./support/command.mjs";
import { startStore } from "./support/object-store.mjs";
import { freePort } from "./support/port.mjs";
import { openSession, send } from "./support/raw-client.mjs";
import { listening, until } from "./support/until.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = join(root, "examples/cluster");
const chart = join(examples, "chart");
const read = (path) => readFileSync(join(root, path), "utf8");
const run = promisify(execFile);
const compose = parse(read("examples/cluster/compose.yaml"), { merge: true });
const NODES = ["node1", "node2", "node3"];
const PATH = `${process.env.PATH}:/usr/sbin`;
/** Returns the path of an installed program, if there is one. */
const installed = (name) =>
  PATH.split(":")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

let command, help;
before(async () => {
  command = await installCommand();
  command.install("workerd");
  help = (await command.run(["run", "--help"])).stdout;
});
after(() => command?.remove());

/** Checks that the command has each option of a list of arguments. */
function knows(args) {
  const options = args.filter((argument) => String(argument).startsWith("--"));
  assert.ok(options.includes("--cluster"), args.join(" "));
  for (const option of options) assert.match(help, new RegExp(`${option} [A-Z]`), option);
}

/** Returns the value after an option. */
const argumentAfter = (args, option) => String(args[args.indexOf(option) + 1]);

/** Names of the variables that the pages describe. */
const described = new Set(
  [...(read("docs/cluster.md") + read("docs/configuration.md")).matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(
    ([, name]) => name,
  ),
);

test("the Compose file runs three nodes that the command understands, and publishes the balancer alone", () => {
  for (const name of NODES) {
    const { command: args, environment, stop_grace_period: grace, healthcheck } = compose.services[name];
    assert.deepEqual(args.slice(0, 2), ["mcp-sieve", "run"]);
    knows(args);
    assert.equal(argumentAfter(args, "--cluster"), argumentAfter(compose.services.node1.command, "--cluster"));
    for (const variable of Object.keys(environment).filter((variable) => variable !== "PEER"))
      assert.ok(described.has(variable), variable);
    // A node drains for nine seconds.
    assert.ok(Number.parseInt(grace, 10) >= 10);
    assert.match(healthcheck.test.join(" "), /:8788\/ready/);
    // The port for peers is open on one network, under a name that only this network has.
    const peer = argumentAfter(args, "--cluster-address");
    assert.deepEqual(compose.services[name].networks.cluster.aliases, [peer.replace(":8788", "")]);
  }
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
  assert.deepEqual(
    published.map(([name, { ports }]) => [name, ports]),
    [["balancer", ["127.0.0.1:8787:8787"]]],
  );
  assert.equal(compose.networks.cluster.internal, true);
});

test("the Compose file names files that exist, and takes every secret from the environment", () => {
  for (const [name, { volumes = [] }] of Object.entries(compose.services))
    for (const volume of volumes) {
      const [from] = volume.split(":");
      if (from.startsWith(".")) assert.ok(existsSync(join(examples, from)), `${name}: ${from}`);
      else assert.ok(from in compose.volumes, `${name}: ${from}`);
    }
  const variables = Object.values(compose.services).flatMap(({ environment = {} }) => Object.entries(environment));
  const secrets = variables.filter(([name]) => /KEY/.test(name));
  assert.ok(secrets.length >= 9);
  for (const [name, value] of secrets) assert.match(value, /^\$\{[A-Z_]+:\?/, name);
  const needed = [...read("examples/cluster/compose.yaml").matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);
  const example = [...read("examples/cluster/.env.example").matchAll(/^([A-Z_]+)=(.*)$/gm)];
  assert.deepEqual(example.map(([, name]) => name).sort(), [...new Set(needed)].sort());
  for (const [, name, value] of example) if (/SECRET|CLUSTER/.test(name)) assert.equal(value, "", name);
});

const noCompose =
  spawnSync("docker", ["compose", "version"], { stdio: "ignore" }).status !== 0 &&
  "Docker Compose is not installed here. No container was started by any test: the topology runs as processes, see below";

test("Docker Compose accepts the file", { skip: noCompose }, async () => {
  const env = { ...process.env, SIEVE_CLUSTER_KEY: "k", AWS_ACCESS_KEY_ID: "i", AWS_SECRET_ACCESS_KEY: "s" };
  await run("docker", ["compose", "--file", join(examples, "compose.yaml"), "config", "--quiet"], { env });
});

test("haproxy.cfg reads the variables that the Compose file sets, and no others", () => {
  const used = [...read("examples/cluster/haproxy.cfg").matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  assert.deepEqual(used.sort(), Object.keys(compose.services.balancer.environment).sort());
});

test("docs/cluster.md describes each option of a node that the command has", () => {
  const page = read("docs/cluster.md");
  for (const [option] of help.matchAll(/--cluster[\w-]*/g))
    assert.match(page, new RegExp(`^\\| \`${option} `, "m"), option);
  for (const [, option] of page.matchAll(/^\| `(--[\w-]+) /gm))
    assert.match(help, new RegExp(`${option} [A-Z]`), option);
});

test("the page about the examples has the three commands of the README, and names each of its files", () => {
  const page = read("examples/cluster/README.md");
  const [, commands] = /<!-- commands: cluster -->\n(```console\n[^]*?```)/.exec(read("README.md"));
  assert.ok(page.includes(commands), commands);
  for (const name of readdirSync(examples).filter((name) => name !== "README.md")) assert.ok(page.includes(name), name);
});

/** The values that the page about the example shows, and a way to change them. */
const [, shown] = /<!-- file: values\.yaml -->\n```yaml\n([^]*?)```/.exec(read("examples/cluster/README.md"));
const helm = installed("helm");

/** Renders the chart with the values of the page and with changes to them. */
async function render(...changes) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-chart-"));
  try {
    const file = join(folder, "values.yaml");
    writeFileSync(file, shown);
    const sets = changes.flatMap((change) => ["--set", change]);
    await run(helm, ["lint", "--strict", chart, "--values", file, ...sets]);
    const { stdout } = await run(helm, ["template", "sieve", chart, "--namespace", "mcp", "--values", file, ...sets]);
    return parseAllDocuments(stdout).map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS();
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const without = helm ? false : "Helm is not installed (scripts/setup-helm): the templates are checked as YAML alone";

test("the chart runs nodes that the command understands", { skip: without }, async () => {
  const objects = await render();
  const of = (kind) => objects.filter((object) => object?.kind === kind);
  const [deployment] = of("Deployment");
  const { template, strategy, replicas } = deployment.spec;
  const [container] = template.spec.containers;
  assert.equal(replicas, 3);
  assert.deepEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
  knows(container.args);
  assert.equal(argumentAfter(container.args, "--cluster"), "s3://my-bucket/gateway");
  for (const { name } of container.env.filter(({ name }) => name !== "POD_IP")) assert.ok(described.has(name), name);
  assert.ok(template.spec.terminationGracePeriodSeconds >= 10);
  // The node ends on the port that the argument names, and a probe asks the port that is meant for it.
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  assert.deepEqual(ports, {
    http: Number(argumentAfter(container.args, "--port")),
    peers: Number(argumentAfter(container.args, "--cluster-advertise").split(":")[1]),
  });
  assert.deepEqual(container.readinessProbe.httpGet, { path: "/ready", port: "peers" });
  assert.deepEqual(container.livenessProbe.httpGet, { path: "/health", port: "http" });
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  // Every folder that the gateway writes to is a volume, and every volume is mounted.
  const mounts = container.volumeMounts.map(({ name, mountPath }) => [name, mountPath]);
  assert.deepEqual(mounts, [
    ["config", "/config"],
    ["data", "/data"],
    ["temporary", "/tmp"],
  ]);
  assert.deepEqual(
    template.spec.volumes.map(({ name }) => name),
    mounts.map(([name]) => name),
  );
  // No credential is in the objects: all are references to Secrets.
  assert.deepEqual(of("Secret"), []);
  // Services, the budget and the policy are about these pods.
  const labels = Object.entries(template.metadata.labels);
  for (const selector of [
    deployment.spec.selector.matchLabels,
    ...of("Service").map(({ spec }) => spec.selector),
    of("PodDisruptionBudget")[0].spec.selector.matchLabels,
    of("NetworkPolicy")[0].spec.podSelector.matchLabels,
  ])
    for (const pair of Object.entries(selector))
      assert.ok(
        labels.some((label) => label.join() === pair.join()),
        pair.join(),
      );
  const [clients, peers] = of("Service");
  assert.equal(clients.spec.ports[0].targetPort, "http");
  assert.deepEqual([peers.spec.clusterIP, peers.spec.publishNotReadyAddresses], ["None", true]);
  // Only the pods of the release reach the port for peers.
  const open = of("NetworkPolicy")[0].spec.ingress.filter(({ ports }) => ports.some(({ port }) => port === "peers"));
  assert.deepEqual(
    open.map(({ from }) => from),
    [[{ podSelector: { matchLabels: deployment.spec.selector.matchLabels } }]],
  );
});

test("a change of the configuration starts the pods of the chart anew", { skip: without }, async () => {
  const sums = async (...changes) => {
    const deployment = (await render(...changes)).find((object) => object?.kind === "Deployment");
    return deployment.spec.template.metadata.annotations;
  };
  const usual = await sums();
  const other = await sums("config=\\{\\}");
  assert.notEqual(other["checksum/config"], usual["checksum/config"]);
  assert.equal(other["checksum/secret"], usual["checksum/secret"]);
  const keys = ["one", "two"].map((text) => `cluster.existingSecret=,cluster.key=${text.repeat(11)}`);
  assert.notEqual((await sums(keys[0]))["checksum/secret"], (await sums(keys[1]))["checksum/secret"]);
});

test("the chart refuses values that a node would refuse", { skip: without }, async () => {
  for (const [change, place] of [
    ["cluster.existingSecret=,cluster.key=short", "/cluster"],
    ["bucket=my-bucket", "/bucket"],
    ["bucket=s3://my-bucket", "/bucket"],
    ["s3.existingSecret=", "/s3"],
    ["replicas=0", "/replicas"],
    ["terminationGracePeriodSeconds=5", "/terminationGracePeriodSeconds"],
    ["image.tag=latest", "/image/tag"],
    ["replica=3", "replica"],
  ])
    await assert.rejects(render(change), ({ stderr, stdout }) => `${stderr}${stdout}`.includes(place), change);
});

test("the templates of the chart are YAML once their actions are taken out, with or without Helm", () => {
  const templates = join(chart, "templates");
  const files = readdirSync(templates).filter((name) => name.endsWith(".yaml"));
  assert.ok(files.length >= 6);
  for (const name of files) {
    // A line with an action alone goes, and an action within a line becomes a word.
    const text = readFileSync(join(templates, name), "utf8")
      .replaceAll(/^\s*\{\{[^}]*\}\}\n/gm, "")
      .replaceAll(/\{\{[^}]*\}\}/g, "value");
    for (const document of parseAllDocuments(text)) assert.deepEqual(document.errors, [], name);
  }
  for (const name of ["Chart.yaml", "values.yaml"])
    assert.ok(parse(readFileSync(join(chart, name), "utf8")).constructor, name);
});

/** Starts a program that the kernel ends with this process. `printed` has its last lines. */
function program(args, env = {}) {
  const child = spawn("setpriv", ["--pdeathsig", "KILL", ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = [];
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on("line", (line) => {
      if (printed.push(line) > 50) printed.shift();
    });
  const over = once(child, "exit");
  return {
    child,
    printed,
    stop: async (signal = "SIGKILL") => {
      child.kill(signal);
      return over;
    },
  };
}

/** Starts the balancer with the variables of the Compose file, which name nodes on this machine. */
async function startBalancer(nodes) {
  const port = await freePort();
  const places = new Map([
    [":8787", `127.0.0.1:${port}`],
    ...nodes.flatMap(({ port, clusterPort }, index) => [
      [`SIEVE_NODE${index + 1}`, `127.0.0.1:${port}`],
      [`SIEVE_PEER${index + 1}`, String(clusterPort)],
    ]),
  ]);
  const variables = Object.entries(compose.services.balancer.environment);
  const env = Object.fromEntries(variables.map(([name, value]) => [name, places.get(name) ?? places.get(value)]));
  const haproxy = installed("haproxy");
  assert.ok(haproxy, "haproxy is not installed: scripts/setup");
  execFileSync(haproxy, ["-c", "-f", join(examples, "haproxy.cfg")], {
    env: { ...process.env, ...env },
    stdio: "pipe",
  });
  const balancer = program([haproxy, "-db", "-f", join(examples, "haproxy.cfg")], env);
  await listening(`http://127.0.0.1:${port}/health`);
  return { ...balancer, mcp: `http://127.0.0.1:${port}/mcp` };
}

/** Sends requests one after the other until `stop()`, which resolves with their number and the failed ones. */
function load(once) {
  const failed = [];
  let count = 0;
  let going = true;
  const over = (async () => {
    while (going) {
      const at = Date.now();
      const failure = await once().catch(({ message, cause }) => `${message} ${cause?.code}`);
      count += 1;
      if (failure) failed.push(`after ${Date.now() - at} ms: ${failure}`);
      await sleep(10);
    }
  })();
  return {
    async stop() {
      going = false;
      await over;
      return { count, failed };
    },
  };
}

/** Sends a message in a session. */
const inSession = (url, headers, method, params = {}) =>
  fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });

test("three nodes, a store and a balancer serve while nodes are restarted", { timeout: 300_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sieve-topology-"));
  const ending = [];
  t.after(async () => {
    for (const end of ending.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = await startStore();
  ending.push(() => store.stop());
  const port = await freePort();
  const tools = program([process.execPath, join(examples, "tools.mjs")], { HOST: "127.0.0.1", PORT: String(port) });
  ending.push(() => tools.stop());
  const url = `http://127.0.0.1:${port}/mcp`;
  await listening(url);

  const config = join(folder, "sieve.jsonc");
  writeFileSync(config, read("examples/cluster/config/sieve.jsonc"));
  /** Starts a node as the Compose file has it, on ports of this machine and with a folder of its own. */
  const start = async (name, ports = {}) => {
    const { command: args } = compose.services[name];
    const clusterPort = ports.clusterPort ?? (await freePort());
    const node = await startNode({
      consumer: command,
      config,
      store,
      bucket: argumentAfter(args, "--cluster"),
      port: ports.port,
      clusterPort,
      // A name, as in the Compose file.
      address: `localhost:${clusterPort}`,
      env: { UPSTREAM_URL: url },
      options: ["--data", join(folder, name)],
    });
    await node.ready;
    return node;
  };
  const nodes = await Promise.all(NODES.map((name) => start(name)));
  ending.push(() => Promise.all(nodes.map((node) => node.kill())));
  const balancer = await startBalancer(nodes);
  ending.push(() => balancer.stop());

  // A session that is opened through the balancer is served by every node.
  const headers = await openSession(balancer.mcp);
  assert.ok(headers["mcp-session-id"]);
  for (const { mcp } of nodes) {
    const listed = await (await inSession(mcp, headers, "tools/list")).text();
    assert.match(listed, /"echo"/);
  }

  const stateless = load(async () => {
    const response = await send(balancer.mcp, "tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    const body = await response.text();
    return response.ok && /"text":"3"/.test(body) ? undefined : `${response.status} ${body}`;
  });
  // A request that is on its way to a session while it is handed over may be refused: its client sends it again.
  let refused = 0;
  const sessions = load(async () => {
    const response = await inSession(balancer.mcp, headers, "tools/list");
    const body = await response.text();
    const isRefused =
      response.status === 503 && response.headers.has("retry-after") && /storage_unavailable/.test(body);
    if (isRefused) refused += 1;
    return isRefused || (response.ok && /"echo"/.test(body)) ? undefined : `${response.status} ${body}`;
  });

  // A rolling change of the configuration: one node ends in order and starts with another file.
  writeFileSync(config, read("examples/cluster/config/sieve.jsonc").replaceAll('"text"', '"words"'));
  const [former] = nodes;
  const began = Date.now();
  const { status } = await former.term();
  t.diagnostic(`a node ended ${Date.now() - began} ms after SIGTERM`);
  assert.equal(status, 0, former.lines.join("\n"));
  nodes[0] = await start("node1", former);
  await until(
    async () => (await fetch(`http://localhost:${former.clusterPort}/ready`)).ok,
    "the restarted node takes requests",
  );
  // Two seconds of checks, after which the balancer sends it requests again.
  await sleep(2_000);
  for (const [what, { count, failed }] of [
    ["stateless", await stateless.stop()],
    ["session", await sessions.stop()],
  ]) {
    t.diagnostic(`${count} ${what} requests through the balancer, ${failed.length} failed`);
    assert.deepEqual(failed, [], what);
    assert.ok(count > 20, what);
  }
  t.diagnostic(`${refused} requests of the session were refused while it was handed over`);
  assert.ok(refused <= 3, `${refused} requests of the session were refused`);
  // A session is served with the configuration of the node that holds it, a stateless request with that of the node it reaches.
  const groups = async ({ mcp }) => /"groups":\["(\w+)"\]/.exec(await (await send(mcp, "tools/list", {})).text())[1];
  assert.deepEqual(await Promise.all(nodes.map(groups)), ["words", "text", "text"]);
  assert.ok(
    nodes[0].lines.some((line) => /differs from .* the configuration/.test(line)),
    nodes[0].lines.join("\n"),
  );
});
