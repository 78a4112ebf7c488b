// `dev` refuses to start: options, files, variables, folders and ports that it cannot use.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lockData } from "../pkg/cli/lib/data-lock.js";
import { installCommand } from "./support/command.mjs";
import { freePort } from "./support/port.mjs";

const ENV = { TRACE: "traced" };
/** The address of a server. No request is sent to it, as `dev` ends before. */
const UPSTREAM = "http://127.0.0.1:9/mcp";
let command;

before(async () => {
  command = await installCommand();
  command.install("workerd");
});
after(() => command?.remove());

test("dev says why it cannot begin", async (t) => {
  const port = await freePort();
  const taken = createServer().listen(port, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  command.write(
    "secret.jsonc",
    '{ "upstream": { "name": "forge", "url": "http://127.0.0.1:9/mcp", "headers": { "X-A": "${MISSING_ONE} ${TRACE}" } } } // ${COMMENT}',
  );
  const pii = { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer ${MISSING_TWO}" } };
  command.write("servers.jsonc", JSON.stringify({ middleware: { servers: { pii } } }));
  command.write("named.jsonc", JSON.stringify({ upstream: { url: UPSTREAM } }));
  command.write("several.jsonc", JSON.stringify({ upstreams: [{ name: "a", url: UPSTREAM }] }));
  command.write("hosts.jsonc", JSON.stringify({ hosts: ["mcp.example"] }));
  command.write("chains.jsonc", JSON.stringify({ middleware: { functions: ["no_such"] } }));
  mkdirSync(join(command.folder, "keyless"));
  command.write("keyless/key", "");
  const url = UPSTREAM;
  const rows = [
    [["servers.jsonc"], {}, /`MISSING_TWO` \(header `Authorization` of the server `pii`\)\n$/],
    [
      ["secret.jsonc"],
      {},
      /^the configuration refers to variables that are not set in the environment: `MISSING_ONE` \(header `X-A` of the server `forge`\)\n$/,
    ],
    [["secret.jsonc"], { MISSING_ONE: "" }, /: `MISSING_ONE` \(header `X-A` of the server `forge`\)\n$/],
    [["absent.jsonc"], {}, /^absent\.jsonc: there is no such file\n$/],
    [
      ["--port", String(port), "--upstream", url],
      {},
      new RegExp(`^port ${port} is taken; --port chooses another, 0 any\n$`),
    ],
    [["--port", "http"], {}, /^--port: expected a number/],
    [["--upstream", "ftp://a"], {}, /^--upstream: expected the address/],
    [[], { UPSTREAM_URL: "ftp://a" }, /^UPSTREAM_URL: expected the address/],
    [[], { UPSTREAM_URL: `forge=${url}` }, /^UPSTREAM_URL: expected an address alone, got the name `forge` too/],
    [["--upstream", `forge=${url}`], {}, /^--upstream: expected an address alone, got the name `forge` too/],
    [
      ["--upstream", `a=${url}`, "--upstream", `b=${url}`],
      {},
      /^--upstream: expected one server; name several as `upstreams` in a configuration file/,
    ],
    // Two sources for the same setting, of which one would be ignored.
    [
      ["named.jsonc", "--upstream", url],
      {},
      /^`named\.jsonc` \(`upstream`\) and --upstream or UPSTREAM_URL \(http.*\) both name the upstream server: leave one of them out\n$/,
    ],
    [["named.jsonc"], { UPSTREAM_URL: url }, /^`named\.jsonc` \(`upstream`\) and --upstream or UPSTREAM_URL/],
    [["several.jsonc", "--upstream", url], {}, /^`several\.jsonc` \(`a`\) and --upstream or UPSTREAM_URL/],
    [
      ["--upstream", url],
      { UPSTREAM_URL: "https://b.example/mcp" },
      /^`--upstream http.*` and the environment variable UPSTREAM_URL both name the upstream server/,
    ],
    [
      ["named.jsonc", "--config", "several.jsonc"],
      {},
      /^`named\.jsonc` and `--config several\.jsonc` both set the configuration/,
    ],
    [
      ["named.jsonc"],
      { SIEVE_CONFIG: "{}" },
      /^`named\.jsonc` and the environment variable SIEVE_CONFIG both set the configuration/,
    ],
    [
      ["hosts.jsonc", "--upstream", url],
      { SIEVE_HOSTS: "other.example" },
      /^`hosts` of `hosts\.jsonc` and the environment variable SIEVE_HOSTS both set the names of the gateway/,
    ],
    // Variables that the gateway cannot use.
    [["--upstream", url], { SIEVE_TOKENS: "alice" }, /^SIEVE_TOKENS: .*expected/],
    [
      ["--upstream", url],
      { SIEVE_TOKENS: '{"alice":{"sub":"alice"}}' },
      /^SIEVE_TOKENS: `alice` is not a SHA-256 in hex\n$/,
    ],
    [
      ["--upstream", url],
      { SIEVE_KEY: "short" },
      /^SIEVE_KEY: expected a secret of at least 16 bytes, or a JSON array of 1 to 8 of them\n$/,
    ],
    [
      ["--upstream", url],
      { SIEVE_OPERATOR: "the token itself" },
      /^SIEVE_OPERATOR: expected the SHA-256 of the operator's token as 64 hex digits/,
    ],
    [["--upstream", url], { SIEVE_CONFIG: '{ "rules": [' }, /^SIEVE_CONFIG:1:\d+: not JSON/],
    [["--upstream", url, "--data", "hosts.jsonc"], {}, /^--data: the folder `hosts\.jsonc` cannot be used: E/],
    [
      ["--upstream", url, "--data", "hosts.jsonc"],
      { SIEVE_KEY: "a key that the environment gives" },
      /^--data: the folder `hosts\.jsonc` cannot be used: E/,
    ],
    [
      ["--upstream", url],
      { TMPDIR: "/missing" },
      /^the folder for temporary files, \/missing, cannot be written: ENOENT.*; the variable TMPDIR names another\n$/,
    ],
    [
      ["--upstream", url, "--data", "keyless"],
      {},
      /^--data: the key in `keyless\/key` is empty; delete the file to have a new one made\n$/,
    ],
    [
      ["--upstream", url, "--data", "locked"],
      {},
      /^--data: another gateway uses the folder `locked`: each needs one of its own, because/,
    ],
    [["chains.jsonc", "--upstream", url], {}, /middleware\.functions\[0\]: there is no function `no_such`\n$/],
  ];
  const unlock = await lockData(join(command.folder, "locked"));
  for (const [args, env, why] of rows) {
    const { status, stdout, stderr } = await command.run(["dev", "--port", "0", ...args], { env: { ...ENV, ...env } });
    assert.deepEqual([status, stdout], [2, ""], `${args.join(" ")} ${JSON.stringify(env)}`);
    assert.match(stderr, why);
    assert.deepEqual(readdirSync(command.temporary), []);
  }
  unlock();
});

test("a workerd that does not run is reported", async () => {
  const fake = join(command.folder, "node_modules/workerd");
  rmSync(fake, { recursive: true, force: true });
  mkdirSync(fake);
  command.write(
    "node_modules/workerd/package.json",
    '{ "name": "workerd", "version": "1.20261117.1", "main": "main.js" }',
  );
  command.write(
    "node_modules/workerd/main.js",
    'module.exports = { default: "/bin/false", compatibilityDate: "2024-01-01" };',
  );
  const { status, stderr } = await command.run(["dev", "--upstream", UPSTREAM, "--port", "0"]);
  assert.equal(status, 2);
  assert.match(stderr, /^workerd ended with 1 before it listened/);
});
