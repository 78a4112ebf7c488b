// Where the command keeps connections: the file that several processes change, and the private service by which a gateway on
// this machine reads it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { openConnections } from "../pkg/cli/lib/connections/served.js";
import { openService } from "../pkg/cli/lib/connections/service.js";
import { allConnections, keep, presentKey, sealedOf } from "../pkg/cli/lib/connections/store.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startRawServer } from "./support/raw-server.mjs";

const run = promisify(execFile);
const STORE = new URL("../pkg/cli/lib/connections/store.js", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "sieve-connections-"));
const TRACKER = { name: "tracker", url: "https://tracker.example/mcp" };
let folders = 0;

beforeEach(() => {
  process.env.XDG_STATE_HOME = join(folder, `state-${(folders += 1)}`);
});
after(() => {
  delete process.env.XDG_STATE_HOME;
  rmSync(folder, { recursive: true, force: true });
});

test("processes that write at the same time lose no connection", async () => {
  const script = `
    const { keep } = await import(${JSON.stringify(STORE)});
    for (let at = 0; at < 5; at += 1) await keep({ name: process.argv[1] + at, url: "https://a.example/mcp" }, "sealed");`;
  const write = (name) => run(process.execPath, ["--input-type=module", "-e", script, name]);
  await Promise.all(["a", "b", "c", "d"].map(write));
  assert.equal(allConnections().length, 20);
  assert.deepEqual(readdirSync(join(process.env.XDG_STATE_HOME, "mcp-sieve")), ["connections.json"]);
});

test("a process that is killed while it writes holds no other up", async () => {
  const LOCK = new URL("../pkg/cli/lib/connections/folder.js", import.meta.url).href;
  const script = `
    const { locked } = await import(${JSON.stringify(LOCK)});
    await locked(() => process.kill(process.pid, "SIGKILL"));`;
  await assert.rejects(run(process.execPath, ["--input-type=module", "-e", script]));
  assert.equal(await keep(TRACKER, "sealed"), true);
  assert.equal(sealedOf(TRACKER), "sealed");
});

describe("the service", () => {
  let service;
  const ask = (path, init = {}, header = service.binding.header) =>
    fetch(`http://${service.binding.address}${path}`, {
      ...init,
      headers: { ...(header && { [header.name]: header.value }), ...init.headers },
    });
  const status = async (...args) => (await ask(...args)).status;
  before(async () => {
    service = await openService();
  });
  after(() => service.close());

  test("reads, writes and deletes the connections of the configuration", async () => {
    service.use([TRACKER, { name: "a/b ü", url: TRACKER.url }]);
    assert.equal(await status("/tracker"), 404);
    assert.equal(await status("/tracker", { method: "PUT", body: "sealed" }), 204);
    const read = await ask("/tracker");
    assert.deepEqual([read.status, await read.text()], [200, "sealed"]);
    assert.deepEqual(allConnections(), [{ server: "tracker", url: TRACKER.url, sealed: "sealed" }]);
    assert.equal(await status(`/${encodeURIComponent("a/b ü")}`, { method: "PUT", body: "other" }), 204);
    assert.equal(await status("/tracker", { method: "DELETE" }), 204);
    assert.equal(await status("/tracker"), 404);
    assert.equal(await (await ask(`/${encodeURIComponent("a/b ü")}`)).text(), "other");
  });

  test("gives a server of another address under the same name nothing", async () => {
    service.use([TRACKER]);
    assert.equal(await status("/tracker", { method: "PUT", body: "sealed" }), 204);
    service.use([{ ...TRACKER, url: "https://evil.example/mcp" }]);
    assert.equal(await status("/tracker"), 404);
    assert.equal(await status("/tracker", { method: "DELETE" }), 204);
    assert.equal(sealedOf(TRACKER), "sealed");
    // Another server is none of this configuration.
    service.use([]);
    for (const method of ["GET", "PUT", "DELETE"])
      assert.equal(await status("/tracker", { method, body: method === "PUT" ? "x" : undefined }), 404);
    assert.equal(sealedOf(TRACKER), "sealed");
  });

  test("serves no request without its secret, and no web page", async () => {
    service.use([TRACKER]);
    await keep(TRACKER, "sealed");
    const { header } = service.binding;
    assert.equal(await status("/tracker", {}, null), 404);
    for (const value of ["", "Bearer ", header.value.slice(0, -1), `${header.value.slice(0, -1)}x`])
      assert.equal(await status("/tracker", {}, { ...header, value }), 404, value);
    assert.equal(await status("/tracker", { headers: { origin: "http://127.0.0.1" } }), 404);
    assert.equal(await status("/%E0%A4%A", {}), 404);
    assert.equal(await status("/tracker", { method: "POST", body: "x" }), 405);
  });

  test("writes only what was read, if it is asked to", async () => {
    service.use([TRACKER]);
    assert.equal(await status("/tracker", { method: "PUT", body: "x", headers: { "if-match": '"y"' } }), 412);
    assert.equal(await status("/tracker", { method: "PUT", body: "one", headers: { "if-none-match": "*" } }), 204);
    assert.equal(await status("/tracker", { method: "PUT", body: "two", headers: { "if-none-match": "*" } }), 412);
    const etag = (await ask("/tracker")).headers.get("etag");
    assert.equal(await status("/tracker", { method: "PUT", body: "two", headers: { "if-match": etag } }), 204);
    assert.equal(await status("/tracker", { method: "PUT", body: "three", headers: { "if-match": etag } }), 412);
    assert.equal(await status("/tracker", { method: "DELETE", headers: { "if-match": etag } }), 412);
    assert.equal(sealedOf(TRACKER), "two");
  });

  test("refuses a text that is empty or too long", async () => {
    service.use([TRACKER]);
    assert.equal(await status("/tracker", { method: "PUT", body: "" }), 413);
    assert.equal(await status("/tracker", { method: "PUT", body: "x".repeat(600_000) }), 413);
    assert.equal(sealedOf(TRACKER), undefined);
  });
});

test("only a gateway of one person, with a server that signs users in, gets connections", async () => {
  const user = { upstream: { ...TRACKER, auth: "user" } };
  const plan = (config) => ({ config: JSON.stringify(config), signIns: config.upstream.auth ? [config.upstream] : [] });
  const none = {
    services: [],
    variables: { SIEVE_CONNECTIONS_KEY: undefined, SIEVE_CONNECTIONS: undefined, SIEVE_SIGN_IN_URL: undefined },
  };
  const connections = await openConnections({ isOfOneUser: true });
  const shared = await openConnections({ isOfOneUser: false });
  try {
    assert.deepEqual(await shared.use(plan(user)), none);
    assert.deepEqual(await connections.use(plan({ upstream: TRACKER })), none);
    assert.deepEqual(await connections.use(plan({ ...user, auth: { issuer: "https://as.example" } })), none);
    assert.equal(presentKey(), undefined);
    const { services, variables } = await connections.use(plan(user));
    assert.equal(services[0].name, "SIEVE_CONNECTIONS");
    assert.equal(variables.SIEVE_CONNECTIONS_KEY, presentKey());
    assert.equal(Buffer.from(variables.SIEVE_CONNECTIONS_KEY, "base64url").length, 32);
  } finally {
    await connections.close();
    await shared.close();
  }
});

test("`run` serves with such a server, whatever the environment has under the names of the service", async (t) => {
  const command = await installCommand();
  const open = await startRawServer({ lists: { tools: [{ name: "only", inputSchema: { type: "object" } }] } });
  t.after(() => {
    command.remove();
    open.stop();
  });
  command.install("workerd");
  const upstreams = [
    { name: "open", url: open.url },
    { ...TRACKER, url: "http://127.0.0.1:9/mcp", auth: "user" },
  ];
  const path = command.write("sieve.jsonc", JSON.stringify({ upstreams }));
  const env = { SIEVE_CONNECTIONS: "x", SIEVE_CONNECTIONS_KEY: "a key that is not used" };
  const { line, stop, printed } = command.start(["run", path, "--port", "0"], { env });
  await line(/open +ok/);
  assert.equal((await stop()).status, 0, printed.stderr);
  assert.doesNotMatch(printed.stdout + printed.stderr, /connections/);
});
