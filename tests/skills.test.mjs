// The scenarios of the official conformance suite for skills, against a server on the official TypeScript SDK and
// against the Worker in front of it; and a host's checks of digests through the Worker.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startForeign } from "./conformance/foreign/server.mjs";
import "./support/home.mjs";
import { send } from "./support/raw-client.mjs";
import { startWorkers } from "./support/workerd.mjs";

const SCENARIOS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];
const suite = fileURLToPath(new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
// The suite needs Node 22, which `npm` installs.
const node = fileURLToPath(new URL("node_modules/.bin/node", import.meta.url));
const ROOT = "skill://acme/refunds";
let foreign;
let workers;

before(async () => {
  foreign = await startForeign();
  const chain = { on: ["resources/read"], response: ["secret_detection", "pii_redaction"] };
  const upstreams = ["one", "two"].map((name) => ({ name, url: foreign.url }));
  workers = await startWorkers([
    { name: "front", upstream: foreign.url },
    {
      name: "bound",
      upstream: foreign.url,
      config: { middleware: { chains: [chain] } },
      env: { SIEVE_MIDDLEWARE: "on" },
    },
    { name: "two", config: { upstreams, policies: [{ name: "p", show: "-(kind:skill server:two name:refunds)" }] } },
  ]);
});
after(async () => {
  await workers?.stop();
  await foreign?.stop();
});

/** Runs one scenario. Resolves with its exit code and its output. */
function judge(url, scenario) {
  const child = spawn(node, [suite, "server", "--url", url, "--scenario", scenario], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      printed += chunk;
    });
  return new Promise((done) => child.once("exit", (code) => done({ code, printed })));
}

for (const scenario of SCENARIOS) {
  test(`${scenario} passes on the SDK and behind the Worker`, async () => {
    for (const url of [foreign.url, `${workers.urls.front}/mcp`]) {
      const { code, printed } = await judge(url, scenario);
      assert.equal(code, 0, printed);
      const [, passed, all] = /Passed: (\d+)\/(\d+), 0 failed, 0 warnings/.exec(printed) ?? [];
      assert.ok(passed === all && Number(all) > 5, printed);
      assert.ok(!printed.includes("SKIPPED"), printed);
    }
  });
}

const ask = async (place, method, params) => {
  const named = method === "resources/read" ? { headers: { "mcp-name": params.uri } } : {};
  return (await send(`${workers.urls[place]}/mcp`, method, params, named)).json();
};

test("every file of a manifest has its digest and size, whatever middleware is mandatory", async () => {
  for (const place of ["front", "bound", "two"]) {
    const { result } = await ask(place, "skills/list", {});
    assert.ok(result.skills.length > 2, JSON.stringify(result));
    for (const { uri, resources } of result.skills.filter((skill) => Array.isArray(skill.resources))) {
      const entry = await ask(place, "skills/get", { uri });
      assert.deepEqual(entry.result.skill.resources, resources);
      for (const file of resources) {
        const read = await ask(place, "resources/read", { uri: file.uri });
        const [content] = read.result.contents;
        assert.equal(content.uri, file.uri);
        assert.equal(Buffer.byteLength(content.text), file.size);
        assert.equal(`sha256:${createHash("sha256").update(content.text).digest("hex")}`, file.digest);
      }
    }
  }
});

test("two servers with skills of one name are told apart, and a policy hides one with all that is in it", async () => {
  const { result } = await ask("two", "skills/list", {});
  const uris = result.skills.map(({ uri }) => uri);
  const one = ROOT.replace("skill://", "skill://one/");
  const two = ROOT.replace("skill://", "skill://two/");
  assert.deepEqual(uris, [
    `${one}/SKILL.md`,
    `${one}/escalation/SKILL.md`,
    "skill://one/reports/daily/SKILL.md",
    "skill://two/reports/daily/SKILL.md",
  ]);
  for (const uri of [`${two}/SKILL.md`, `${two}/escalation/SKILL.md`, "skill://never/was/SKILL.md"]) {
    const { error } = await ask("two", "skills/get", { uri });
    assert.deepEqual(error, { code: -32602, message: `Unknown skill: ${uri}` });
  }
  const read = async (uri) => (await ask("two", "resources/read", { uri })).error?.code;
  assert.equal(await read(`${one}/templates/letter.md`), undefined);
  assert.equal(await read(`${two}/templates/letter.md`), -32602);
  assert.equal(await read(`${ROOT}/templates/letter.md`), -32602);
  const children = async (uri) => {
    const { result, error } = await ask("two", "resources/directory/read", { uri });
    return error?.code ?? result.resources.map((child) => child.uri);
  };
  assert.deepEqual(await children(`${one}/templates`), [`${one}/templates/letter.md`, `${one}/templates/regional`]);
  assert.equal(await children(`${two}/templates`), -32602);
  assert.equal(await children(two), -32602);
  assert.deepEqual(await children("skill://two"), ["skill://two/reports"]);
  const listed = (await ask("two", "resources/list", {})).result.resources.map(({ uri }) => uri);
  assert.ok(listed.includes(`${one}/SKILL.md`), listed.join());
  assert.ok(!listed.some((uri) => uri.startsWith(`${two}/`)), listed.join());
});
