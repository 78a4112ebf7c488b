// What a node says that cannot join its cluster, or stay in it: one row for each cause. The other nodes go on, and no secret stands
// in what any node prints.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startBucketProxy } from "./support/bucket-proxy.mjs";
import { CLUSTER_KEY, startNode } from "./support/cluster-node.mjs";
import { installCommand } from "./support/command.mjs";
import { SECRET_KEY, startStore } from "./support/object-store.mjs";
import { freePort } from "./support/port.mjs";
import { ask } from "./support/raw-client.mjs";
import { open, post } from "./support/session-client.mjs";
import { plainTool, startStatelessServer } from "./support/stateless-server.mjs";
import { until } from "./support/until.mjs";

const WAIT_MS = 120_000;
/** Number of nodes that are tried at once. */
const AT_ONCE = 2;
const OTHER_KEY = "another-key-which-the-others-do-not-have";
const SEALING_KEY = "ab".repeat(32);
const BEARER = "the-bearer-token-of-all-nodes-of-this-cluster";
const SECRETS = [CLUSTER_KEY, OTHER_KEY, SEALING_KEY, BEARER, SECRET_KEY];
const OFF_MS = 60_000;

let command, store, behind, config, first, folder;
/** Every node that was started. */
const nodes = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "sieve-refusals-"));
  [command, store, behind] = await Promise.all([
    installCommand(),
    startStore(),
    startStatelessServer({ "tools/list": { tools: [plainTool("work")] }, "tools/call": { content: [] } }),
  ]);
  command.install("workerd");
  config = command.write("sieve.json", JSON.stringify({ upstream: { name: "behind", url: behind.url } }));
  first = await start({});
  await first.ready;
});
after(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await store?.stop();
  await behind?.stop();
  command?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function start(options) {
  const env = { SIEVE_KEY: SEALING_KEY, SIEVE_BEARER: BEARER, ...options.env };
  const node = await startNode({ consumer: command, config, store, ...options, env });
  nodes.push(node);
  return node;
}

const printed = ({ lines }) => lines.join("\n");
const headers = { authorization: `Bearer ${BEARER}` };
/** Returns the names that a node lists, or its refusal. */
const names = async ({ mcp }) => {
  const { message } = (await ask(mcp, "tools/list", {}, { headers })).at(-1);
  return message.result?.tools.map(({ name }) => name).join() ?? message.error;
};

/** Returns a way to the store with faults. */
async function faulty(t, faults) {
  const proxy = await startBucketProxy(store);
  t.after(() => proxy.stop());
  proxy.faults = faults;
  return proxy;
}

/** Returns a folder for data that a single gateway, or a node of another cluster, has left. */
function usedFolder(name, cluster) {
  const data = join(folder, name);
  mkdirSync(join(data, "storage", "SessionObject"), { recursive: true, mode: 0o700 });
  if (cluster !== undefined) writeFileSync(join(data, "cluster"), cluster, { mode: 0o600 });
  return data;
}

/** Causes: a name, how the node starts, and the parts of its message that name the cause and the remedy. */
const CAUSES = [
  ["no key", { key: null }, /SIEVE_CLUSTER_KEY: expected at least 32 bytes.*it is not set/],
  ["a key that is too short", { key: "too-short" }, /SIEVE_CLUSTER_KEY: expected at least 32 bytes.*got 9/],
  [
    "an address that is no bucket",
    { bucket: "https://s3.example/bucket" },
    /--cluster: expected `s3:\/\/BUCKET\/PREFIX`/,
  ],
  [
    "an address with credentials",
    { bucket: `s3://user:${OTHER_KEY}@sieve/cluster` },
    /--cluster: expected `s3:\/\/BUCKET\/PREFIX`.*AWS_ACCESS_KEY_ID/,
  ],
  ["an address without a port", { address: "127.0.0.1" }, /--cluster-address: expected HOST:PORT/],
  ["a public address", { address: "203.0.113.9:8788" }, /203\.0\.113\.9 is public.*private network/],
  ["every address of the machine", { address: "0.0.0.0:0" }, /--cluster-address: expected HOST:PORT/],
  [
    "every address of the machine, with a port",
    async () => ({ address: `0.0.0.0:${await freePort()}` }),
    /cannot reach the address 0\.0\.0\.0.*--cluster-advertise/,
  ],
  ["a port for nodes that is in use", () => ({ clusterPort: first.clusterPort }), /in use/i],
  ["a port for clients that is in use", () => ({ port: first.port }), /port \d+ is taken; --port chooses another/],
  [
    "a token that each node makes",
    { env: { SIEVE_BEARER: "" }, options: ["--bearer"] },
    /--bearer: all nodes of a cluster need the same token: set SIEVE_BEARER/,
  ],
  [
    "the folder of a single gateway",
    () => ({ options: ["--data", usedFolder("single")] }),
    /single gateway, which a cluster does not import: name another folder/,
  ],
  [
    "the folder of another cluster",
    () => ({ options: ["--data", usedFolder("other", "s3://other/cluster")] }),
    /copies of the cluster s3:\/\/other\/cluster: go on with that cluster, or name another folder/,
  ],
  ["a bucket that does not exist", { bucket: "s3://no-such-bucket/cluster" }, /does not exist: create it/],
  ["no name of the access key", { env: { AWS_ACCESS_KEY_ID: undefined } }, /AWS_ACCESS_KEY_ID is not set/],
  ["no secret of the access key", { env: { AWS_SECRET_ACCESS_KEY: undefined } }, /AWS_SECRET_ACCESS_KEY is not set/],
  [
    "a store that does not answer",
    async () => ({ env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` } }),
    /cannot be reached.*AWS_ENDPOINT_URL/,
  ],
  [
    "a bucket that may only be read",
    { faults: { refuse: "readonly" } },
    /may not write to.*403 AccessDenied.*allow them/,
  ],
  ["a full bucket", { faults: { refuse: "full" } }, /is full \(507 XMinioStorageFull\): free space/],
  [
    "another endpoint",
    { faults: { refuse: "otherEndpoint" } },
    /another region \(301 PermanentRedirect\): set AWS_REGION/,
  ],
  [
    "another region",
    { faults: { refuse: "otherRegion" } },
    /another region \(400 AuthorizationHeader\w+\): set AWS_REGION/,
  ],
  ["an unknown access key", { faults: { refuse: "badKey" } }, /credentials \(403 InvalidAccessKeyId\): correct AWS_/],
  ["a wrong secret", { faults: { refuse: "badSignature" } }, /credentials \(403 SignatureDoesNotMatch\): correct AWS_/],
  ["a store that is overloaded", { faults: { refuse: "busy" } }, /does not serve requests \(503 SlowDown\): wait/],
  ["a store without conditional writes", { faults: { unconditional: true } }, /ignores conditional writes/],
  [
    "a clock that is behind",
    { faults: { dateMs: OFF_MS } },
    /clock of this machine is \d+\.\d s behind.*synchronize it/,
  ],
  [
    "a clock that is ahead",
    { faults: { dateMs: -OFF_MS } },
    /clock of this machine is \d+\.\d s ahead.*synchronize it/,
  ],
];

describe("a node that cannot join says why, and what to do", { concurrency: AT_ONCE, timeout: WAIT_MS }, () => {
  for (const [name, given, expected] of CAUSES)
    test(name, async (t) => {
      const { faults, ...options } = typeof given === "function" ? await given() : given;
      const node = await start({ ...(faults && { store: await faulty(t, faults) }), ...options });
      const serves = node.ready.then(
        () => true,
        () => false,
      );
      assert.equal(await serves, false, printed(node));
      const { status } = await node.ended;
      assert.ok(status === 1 || status === 2, `${status}: ${printed(node)}`);
      assert.match(printed(node), expected);
      assert.equal(await names(first), "work", "the other node goes on");
    });
});

test("a node with another key serves nothing", { timeout: WAIT_MS }, async () => {
  const node = await start({ key: OTHER_KEY });
  const { status } = await node.ended;
  assert.ok(status === 1 || status === 2, `${status}: ${printed(node)}`);
  assert.match(printed(node), /SIEVE_CLUSTER_KEY differs from that of 127\.0\.0\.1:\d+/);
  assert.equal(await names(first), "work");
});

test("a node with another configuration serves, and says in what it differs", { timeout: WAIT_MS }, async () => {
  const other = command.write("other.json", JSON.stringify({ upstream: { name: "other", url: behind.url } }));
  const node = await start({ config: other, env: { SIEVE_OPERATOR: "cd".repeat(32) } });
  await node.ready;
  assert.equal(await names(node), "work");
  await until(
    () => /this node differs from/.test(printed(node)),
    () => printed(node),
  );
  assert.match(printed(node), /differs from 127\.0\.0\.1:\d+.*the configuration, the variable SIEVE_OPERATOR/);
  await node.kill();
  assert.equal(await names(first), "work");
});

test("a record of the nodes that is cut off is replaced", { timeout: WAIT_MS }, async () => {
  const key = "cluster/v1/services/sieve/cluster.json";
  const whole = await (await store.request("GET", key)).text();
  assert.equal(JSON.parse(whole).key.length, 64, "the record has a digest of the key");
  await store.request("PUT", key, { body: whole.slice(0, whole.length / 2) });
  const node = await start({});
  await node.ready;
  assert.equal(await names(node), "work");
  await until(
    () => /cluster\.json in the bucket cannot be read; it is replaced/.test(printed(node)),
    () => printed(node),
  );
  await until(async () => JSON.parse(await (await store.request("GET", key)).text()), "a whole record");
  await node.kill();
});

/** Returns the folders of the objects in the bucket. */
const objects = async () =>
  new Set((await store.objects("cluster/v1/do/")).map((key) => key.split("/").slice(0, 5).join("/")));
const list = { id: 9, method: "tools/list", params: {} };

test("an object that is cut off fails alone", { timeout: WAIT_MS }, async () => {
  const other = await open(first.mcp, undefined, headers);
  const node = await start({});
  await node.ready;
  const before = await objects();
  const opened = await open(node.mcp, undefined, headers);
  assert.equal((await post(node.mcp, opened.headers, list)).status, 200);
  const [own, ...rest] = [...(await objects())].filter((object) => !before.has(object));
  assert.ok(own !== undefined && rest.length === 0, "a session has one object");
  await node.term();
  const keys = await store.objects(`${own}/`);
  assert.ok(keys.length > 1, "it has the record of its owner, and its log");
  // The record of the owner comes first: an object that was taken over is in memory.
  for (const key of keys.sort().reverse()) {
    const whole = Buffer.from(await (await store.request("GET", key)).arrayBuffer());
    await store.request("PUT", key, { body: whole.subarray(0, whole.length / 2) });
    const [mine, others] = await Promise.all([opened, other].map((session) => post(first.mcp, session.headers, list)));
    assert.deepEqual(
      [mine.status, mine.message?.error.data.reason],
      [503, "storage_unavailable"],
      `${key}: ${mine.text}`,
    );
    assert.equal(others.status, 200, "other objects go on");
    await store.request("PUT", key, { body: whole });
  }
  const noted = () => /SessionObject\/[0-9a-f]+: takeover failed/.test(printed(first));
  await until(noted, () => printed(first));
  const restored = async () => (await post(first.mcp, opened.headers, list)).status === 200;
  await until(restored, "the session goes on once its object is whole again");
});

test("no secret stands in what the nodes print", () => {
  assert.ok(nodes.length > CAUSES.length);
  for (const node of nodes) for (const secret of SECRETS) assert.ok(!printed(node).includes(secret), printed(node));
});
