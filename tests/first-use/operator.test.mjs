// An operator with twelve servers, from the packed tarball to three roles on every client, using only the commands in
// the README.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clients } from "../support/clients.mjs";
import "../support/home.mjs";
import { installTarball } from "../support/tarball.mjs";
import { tokensVariable } from "../support/tokens.mjs";
import { LISTS, USABLE, startCompany } from "./servers.mjs";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const RUN_MS = 120_000;
const POLL_MS = 50;
const ROLES = ["reader", "analyst", "admin"];
const TOKENS = tokensVariable(
  Object.fromEntries(ROLES.map((role) => [`the token of ${role}`, { sub: `some ${role}`, role }])),
);
/** The text that the operator adds to the file that `init` wrote. */
const ACCESS = `
  "checks": [{ "name": "staff", "require": "claim.role:*", "message": "sign in with a staff account" }],
  "policies": [{ "name": "destroying", "show": "-annotation.destructiveHint=true or claim.role:admin" }],
  "presets": [
    { "name": "readers", "when": "claim.role:reader", "filter": { "where": "annotation.readOnlyHint=true" } },
    { "name": "analysts", "when": "claim.role:analyst", "filter": { "where": "server:billing or server:metrics" } },
  ],
}
`;

let consumer, company;
before(async () => {
  [consumer, company] = await Promise.all([installTarball(), startCompany()]);
  // Links the package that `npm install` would fetch.
  symlinkSync(join(modules, "workerd"), join(consumer.folder, "node_modules/workerd"));
});
after(async () => {
  await company?.stop();
  await consumer?.remove();
});

/** Starts the command as npx does, by its name in the package. */
function start(...args) {
  const env = {
    ...process.env,
    HOME: consumer.folder,
    XDG_CACHE_HOME: join(consumer.folder, "cache"),
    SIEVE_TOKENS: TOKENS,
  };
  const child = spawn(join(consumer.folder, "node_modules/.bin/mcp-sieve"), args, {
    cwd: consumer.folder,
    env,
    timeout: RUN_MS,
  });
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].setEncoding("utf8").on("data", (text) => {
      printed[stream] += text;
    });
  const over = once(child, "close").then(([status]) => ({ status, ...printed }));
  return { child, printed, over };
}
const sieve = (...args) => start(...args).over;

/** Repeats a request until the answer is as expected, or the deadline has passed. */
async function eventually(ask, expected, deadline = Date.now() + RUN_MS / 4) {
  for (;;) {
    const found = await ask();
    if (found === expected || Date.now() > deadline) return assert.equal(found, expected);
    await sleep(POLL_MS);
  }
}

test("init writes a file for twelve servers that keeps every tool", async () => {
  const upstreams = Object.entries(company.urls).flatMap(([name, url]) => ["--upstream", `${name}=${url}`]);
  const { status, stdout, stderr } = await sieve("init", ...upstreams);
  assert.equal(status, 0, stderr);
  assert.ok(existsSync(join(consumer.folder, "sieve.jsonc")));
  // Three servers list a tool called search. The command reports how their names are kept apart.
  assert.match(stdout + stderr, /prefix/);
});

test("check asks the servers of the file and reports the one tool that cannot be served", async () => {
  const { status, stdout, stderr } = await sieve("check", "--live", "--json");
  assert.equal(status, 1, stderr);
  const { findings } = JSON.parse(stdout);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ["left_out"],
    stdout,
  );
  assert.match(findings[0].message, /export_everything/);
});

describe("with three roles in the file", () => {
  let running, url;
  before(async () => {
    const file = join(consumer.folder, "sieve.jsonc");
    writeFileSync(file, readFileSync(file, "utf8").replace(/,?\s*\}\s*$/, `,${ACCESS}`));
    running = start("dev", "--port", "0");
    while (!/http:\S+\/mcp/.test(running.printed.stdout)) {
      const event = await Promise.race([once(running.child.stdout, "data"), running.over.then(() => "over")]);
      assert.notEqual(event, "over", running.printed.stderr);
    }
    [url] = /http:\S+\/mcp/.exec(running.printed.stdout);
  });
  after(async () => {
    running?.child.kill("SIGTERM");
    await running?.over;
  });

  const listOf = (role) =>
    clients["TypeScript v2, stateless"].use(url, { token: `the token of ${role}`, tool: "get_ticket", args: {} });

  test("dev reports each server with its number of tools", async () => {
    const lines = () => `${running.printed.stdout}${running.printed.stderr}`.split("\n");
    const about = (name) => lines().find((line) => new RegExp(`^\\s*${name}\\b.*\\bok\\b`).test(line)) ?? "";
    await eventually(
      async () =>
        Object.keys(LISTS)
          .filter((name) => about(name) === "")
          .join(),
      "",
    );
    for (const [name, list] of Object.entries(LISTS)) {
      assert.match(about(name), new RegExp(`\\b${list.length - (name === "metrics" ? 1 : 0)} tools\\b`), about(name));
    }
  });

  test("check prints what each role sees, and explain why", async () => {
    const as = ROLES.flatMap((role) => ["--as", `${role}=${JSON.stringify({ role })}`]);
    const table = JSON.parse((await sieve("check", "sieve.jsonc", "--live", "--json", ...as)).stdout);
    for (const role of ROLES) {
      const { names } = await listOf(role);
      assert.deepEqual([...table.roles[role].tools].sort(), [...names].sort(), role);
    }
    const why = (role) =>
      sieve("explain", "delete_ticket", "--config", "sieve.jsonc", "--live", "--as", JSON.stringify({ role }));
    const [reader, admin] = [await why("reader"), await why("admin")];
    assert.deepEqual([reader.status, admin.status], [1, 0], reader.stdout + admin.stdout);
    assert.match(reader.stdout, /destroying/);
  });

  for (const [name, { use }] of Object.entries(clients)) {
    test(`${name}: three roles see and call different tools`, async () => {
      const as = (role, tool) => use(url, { token: `the token of ${role}`, tool, args: { query: "7" } });
      const [reader, analyst, admin] = [
        await as("reader", "get_ticket"),
        await as("analyst", "get_ticket"),
        await as("admin", "delete_ticket"),
      ];
      assert.equal(admin.names.length, USABLE);
      assert.equal(new Set(admin.names).size, USABLE, "no name is listed twice");
      assert.equal(
        reader.names.length,
        Object.values(LISTS)
          .flat()
          .filter(({ annotations }) => annotations?.readOnlyHint).length,
      );
      const destroying = ({ annotations }) => annotations?.destructiveHint === true;
      assert.equal(
        analyst.names.length,
        [...LISTS.billing, ...LISTS.metrics].filter((tool) => tool.annotations && !destroying(tool)).length,
      );
      assert.equal(reader.answer, "tickets did get_ticket");
      assert.equal(admin.answer, "tickets did delete_ticket");
      assert.match(analyst.answer, /Unknown tool: get_ticket|not found/i);
    });
  }

  test("a request without a token is told that it needs one", async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
      }),
    });
    assert.equal(response.status, 401);
    assert.match(response.headers.get("www-authenticate"), /^Bearer/);
  });

  test("while a server is down its tools stay, and after its restart they work", async () => {
    const before = (await listOf("admin")).names;
    await company.down("tickets");
    const { names, answer } = await listOf("admin");
    assert.deepEqual(names, before);
    assert.match(answer, /tickets/);
    await company.up("tickets");
    await eventually(async () => (await listOf("admin")).answer, "tickets did get_ticket");
  });
});
