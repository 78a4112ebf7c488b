// The ways to install it: the registry's record, links for editors, the Dockerfile. Each is tested as far as possible
// on this machine.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Ajv from "ajv";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { developmentTarball } from "./support/development.mjs";
import "./support/home.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { world } from "./support/protocol-worlds.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (path) => readFileSync(join(root, path), "utf8");
const run = promisify(execFile);
const server = JSON.parse(text("server.json"));
const [record] = server.packages;

// The requirements of the registry's schema of 2025-12-11 for the members that are used here. Other members are
// rejected as mistakes.
const string = (more) => ({ type: "string", ...more });
const object = (required, properties) => ({ type: "object", required, properties, additionalProperties: false });
const input = {
  description: string(),
  value: string(),
  format: { enum: ["string", "number", "boolean", "filepath"] },
  isRequired: { type: "boolean" },
  placeholder: string(),
};
const version = string({ minLength: 1, maxLength: 255, not: { enum: ["latest"] }, pattern: "^[^^~<>=*]+$" });
const RECORD = object(["name", "description", "version"], {
  $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
  name: string({ minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" }),
  title: string({ minLength: 1, maxLength: 100 }),
  description: string({ minLength: 1, maxLength: 100 }),
  version,
  packages: {
    type: "array",
    items: object(["registryType", "identifier", "transport"], {
      registryType: { enum: ["npm", "pypi", "oci", "nuget", "mcpb"] },
      identifier: string(),
      version,
      runtimeHint: { enum: ["npx", "uvx", "docker", "dnx"] },
      packageArguments: {
        type: "array",
        items: {
          anyOf: [
            {
              ...object(["type"], { type: { const: "positional" }, valueHint: string(), ...input }),
              anyOf: [{ required: ["value"] }, { required: ["valueHint"] }],
            },
            object(["type", "name"], { type: { const: "named" }, name: string(), ...input }),
          ],
        },
      },
      transport: object(["type", "url"], {
        type: { const: "streamable-http" },
        url: string({ pattern: "^https?://" }),
      }),
    }),
  },
});

test("server.json passes the registry's schema", () => {
  const valid = new Ajv({ allErrors: true, strict: false }).compile(RECORD);
  assert.ok(valid(server), JSON.stringify(valid.errors));
  for (const slip of [
    { ...server, name: "sieve" },
    { ...server, version: "latest" },
    { ...server, homepage: "" },
    { ...server, description: "x".repeat(101) },
  ])
    assert.ok(!valid(slip));
});

/**
 * Starts a command in its own folder, waits until it is ready, lists its tools, calls `probe` with its URL, and ends it. Returns the
 * names of the tools.
 */
async function serves([command, ...args], { folder, env, probe }) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env, HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const over = once(child, "close");
  let said = "";
  const note = (chunk) => {
    said += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", note);
  child.stderr.setEncoding("utf8").on("data", note);
  try {
    while (!/https?:\S+\/mcp/.test(said)) {
      const event = await Promise.race([once(child.stdout, "data"), over.then(() => "over")]);
      assert.notEqual(event, "over", said);
    }
    const url = new URL(/https?:\S+\/mcp/.exec(said)[0]);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(url));
    const { tools } = await client.listTools({ filter: { groups: ["mail"] } });
    await client.close();
    await probe?.(url);
    return tools.map(({ name }) => name);
  } finally {
    child.kill("SIGTERM");
    const [status] = await over;
    assert.equal(status, 0, said);
  }
}

test("as the registry's record and the Docker file say, it is installed and serves", { timeout: 180_000 }, async () => {
  const upstream = await startUpstream({ office: world("office") });
  const folder = mkdtempSync(join(tmpdir(), "sieve-install-"));
  try {
    // The lines of the Docker file, without comments and with their continuations.
    const docker = text("Dockerfile")
      .replaceAll(/^#.*\n/gm, "")
      .replaceAll("\\\n", " ")
      .split("\n");
    const instructions = (name) =>
      docker.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
    const [packed, data, config] = ["packed", "data", "config"].map((name) => join(folder, name));
    mkdirSync(packed);
    const [, name] = /\/packed\/(\S+)/.exec(docker.join("\n"));
    copyFileSync(await developmentTarball(), join(packed, name));
    const env = {
      npm_config_prefix: join(folder, "global"),
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
    };
    // What is a folder of the image is one of this folder, and workerd the installed one, so no registry is contacted.
    for (const instruction of instructions("RUN")) {
      const command = instruction
        .replace(/^--mount=\S+ /, "")
        .replaceAll(/(?<= )\/(?=packed\b|data\b|config\b)/g, `${folder}/`)
        .replace("chown node", `chown ${userInfo().uid}`)
        .replace(/\bworkerd@\S+/, JSON.stringify(join(root, "tests/node_modules/workerd")));
      await run("bash", ["-c", command], { cwd: folder, env: { ...process.env, ...env, HOME: folder } });
    }
    const bin = join(folder, "global/bin/mcp-sieve");
    assert.ok(existsSync(bin));

    const [cmd] = instructions("CMD").map((line) => JSON.parse(line));
    const port = cmd[cmd.indexOf("--port") + 1];
    assert.deepEqual([cmd[0], [port], instructions("WORKDIR")], ["mcp-sieve", instructions("EXPOSE"), ["/config"]]);
    const [[, healthy]] = instructions("HEALTHCHECK").map((line) => line.split(" CMD "));
    const [program, ...args] = JSON.parse(healthy);
    assert.ok(args.join().includes(`:${port}/`));
    const health = (at) =>
      run(
        program,
        args.map((part) => part.replace(`:${port}/`, `:${at}/`)),
      ).then(
        () => 0,
        ({ code }) => code,
      );
    // Inside a container the port is fixed. Here a free one is used, on loopback only.
    const here = { "mcp-sieve": bin, "/data": data, [port]: "0", "0.0.0.0": "127.0.0.1" };
    let used;
    const names = await serves(
      cmd.map((part) => here[part] ?? part),
      {
        folder: config,
        env: { UPSTREAM_URL: upstream.url("office") },
        probe: async (url) => {
          used = url.port;
          assert.equal(await health(used), 0, "the probe succeeds while the gateway runs");
        },
      },
    );
    assert.deepEqual(names, ["send_mail", "draft_mail", "delete_mail", "invite"]);
    assert.equal(await health(used), 1, "and fails when it does not");
    assert.ok(existsSync(join(data, "key")), "the volume keeps the key");

    const given = { "--upstream": upstream.url("office") };
    const words = record.packageArguments.flatMap(({ name, value }) => [name, value ?? given[name]].filter(Boolean));
    assert.deepEqual(await serves([bin, ...words, "--port", "0"], { folder }), names);
    assert.match(
      text("pkg/cli/lib/serving.js"),
      new RegExp(`default: ${new URL(record.transport.url).port}\\b`),
      "the usual port is the record's",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await upstream.stop();
  }
});

test("links for editors name this gateway as they want it", () => {
  const links = [...text("README.md").matchAll(/\((https:\/\/[^)\s]*\/(?:mcp\/install|install-mcp)\?[^)\s]*)\)/g)].map(
    ([, link]) => new URL(link),
  );
  const found = Object.fromEntries(links.map((link) => [link.host, link.searchParams]));
  assert.deepEqual(Object.keys(found).sort(), ["cursor.com", "vscode.dev"]);
  const { url } = record.transport;
  assert.deepEqual(JSON.parse(found["vscode.dev"].get("config")), { type: "http", url });
  assert.deepEqual(JSON.parse(Buffer.from(found["cursor.com"].get("config"), "base64").toString()), { url });
  for (const { name } of Object.values(found).map((params) => ({ name: params.get("name") })))
    assert.equal(name, "sieve");
});
