// The packed tarball in the supported runtimes: the whole corpus, the protocol in front of a handler, the command.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { rows, runHandler, worlds } from "./support/handler-corpus.mjs";
import "./support/home.mjs";
import { middlewareCorpus } from "./support/middleware-corpus.mjs";
import { corpus, searches } from "./support/package-corpus.mjs";
import { freePort } from "./support/port.mjs";
import { serviceOf } from "./support/protocol-worlds.mjs";
import { RUNTIMES, print, start } from "./support/runtimes.mjs";
import { installTarball, link } from "./support/tarball.mjs";
import { listening } from "./support/until.mjs";
import { startUpstream } from "./support/upstream.mjs";

let consumer;
let upstream;
before(async () => {
  consumer = await installTarball();
  link(consumer, ["@hono/node-server", "@modelcontextprotocol/server"]);
  link(consumer, ["gpt-tokenizer"], "../tokenizer/node_modules");
  upstream = await startUpstream(worlds);
  consumer.write(
    "lists.json",
    JSON.stringify({
      tools: [
        { name: "create_issue", inputSchema: { type: "object" } },
        { name: "send_mail", inputSchema: { type: "object" } },
      ],
    }),
  );
  consumer.write(
    "sieve.jsonc",
    '{ "groups": [{ "name": "issues" }], "rules": [{ "match": "name:*_issue", "groups": ["issues"] }, { "match": "name:create_isue", "tags": ["new"] }] }',
  );
});
after(async () => {
  await upstream?.stop();
  await consumer?.remove();
});

/** All rows. Those of the engine run twice, on compiled sieves and on sieves restored from a snapshot. */
const restored = Object.fromEntries(Object.entries(corpus).map(([file, rows]) => [`${file}, restored`, rows]));
const expected = Object.fromEntries(
  Object.entries({ ...corpus, ...restored, ...middlewareCorpus, rank: searches.rows }).map(([file, rows]) => [
    file,
    rows.length,
  ]),
);

for (const [name, command] of Object.entries(RUNTIMES)) {
  describe(name, () => {
    test("the corpus of the engine and of the middleware", async () => {
      const { ran, failed } = JSON.parse(
        await print(command, consumer, "corpus.js", new URL("support/", import.meta.url).href),
      );
      assert.deepEqual(failed, []);
      assert.deepEqual(ran, expected);
    });

    test("the protocol's rows before a handler", async (t) => {
      const services = Object.entries(worlds).map(([world, about]) => {
        const { config, env } = serviceOf(world, about);
        return [
          world,
          {
            ...env,
            UPSTREAM_URL: upstream.url(world),
            SIEVE_CONFIG: JSON.stringify(config),
            SIEVE_KEY: `a key for the world ${world}`,
          },
        ];
      });
      const server = await start(command, consumer, "serve.js", {
        WORLDS: JSON.stringify(Object.fromEntries(services)),
      });
      t.after(server.stop);
      const failed = [];
      for (const row of rows)
        await runHandler(row, `http://127.0.0.1:${server.said[row.world]}`).catch((error) =>
          failed.push(`${row.name}: ${error.message}`),
        );
      assert.deepEqual(failed, []);
      t.diagnostic(`${rows.length} rows`);
    });

    test("the command", async () => {
      const main = join(consumer.package, "cli/main.js");
      const told = JSON.parse(
        await print(
          command,
          consumer,
          main,
          "explain",
          "create_issue",
          "--catalog",
          "lists.json",
          "--config",
          "sieve.jsonc",
          "--json",
        ),
      );
      assert.deepEqual([told.shown, told.primitives[0].groups], [true, ["issues"]]);
    });
  });
}

/** Commands that serve a Worker's file unchanged, and Node's adapter. */
const SERVING = {
  Deno: (port) => [
    RUNTIMES.Deno[0],
    "serve",
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "--host",
    "127.0.0.1",
    "--port",
    port,
    "worker.ts",
  ],
  Bun: () => [RUNTIMES.Bun[0], "worker.ts"],
  "Node 20": () => [RUNTIMES["Node 20"][0], "adapter.mjs"],
};
for (const [name, command] of Object.entries(SERVING)) {
  test(`${name} serves the README's Worker`, async (t) => {
    const [, snippet] = /<!-- snippet: worker -->\n```ts\n([^]*?)```/.exec(
      readFileSync(join(consumer.package, "README.md"), "utf8"),
    );
    for (const file of ["worker.ts", "worker.mjs"]) consumer.write(file, snippet);
    consumer.write(
      "adapter.mjs",
      'import { serve } from "@hono/node-server";\nimport worker from "./worker.mjs";\nserve({ ...worker, port: Number(process.env.PORT) });\n',
    );
    const port = await freePort();
    const [file, ...args] = command(String(port));
    const child = spawn(file, args, {
      cwd: consumer.folder,
      env: { ...process.env, PORT: String(port) },
      stdio: "ignore",
    });
    t.after(() => child.kill("SIGKILL"));
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    await listening(url);
    for (const [headers, names] of [
      [{}, ["list_orders"]],
      [{ authorization: "Bearer letmein" }, ["list_orders", "cancel_order"]],
    ]) {
      const client = new Client({ name: "shopper", version: "1" }, { versionNegotiation: { mode: "auto" } });
      t.after(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        names,
      );
    }
  });
}

test("npx runs the command on Node 20", async () => {
  const env = { ...process.env, PATH: `${dirname(RUNTIMES["Node 20"][0])}:${process.env.PATH}` };
  const npx = async (...args) => {
    const {
      code = 0,
      stdout,
      stderr,
    } = await promisify(execFile)("npx", ["--offline", "mcp-sieve", ...args], {
      cwd: consumer.folder,
      env,
      timeout: 60_000,
    }).catch((failed) => failed);
    return [code, stdout || stderr];
  };
  assert.match(
    (await promisify(execFile)("npx", ["node", "--version"], { cwd: consumer.folder, env })).stdout,
    /^v20\./,
  );
  const [found, said] = await npx("check", "sieve.jsonc", "--catalog", "lists.json");
  assert.equal(found, 1);
  assert.match(
    said,
    /rules\[1\]\.match: matches nothing: nothing is called `create_isue` \(did you mean `create_issue`\?\) \[dead_rule\]\n/,
  );
  assert.deepEqual(
    await npx(
      "explain",
      "send_mail",
      "--catalog",
      "lists.json",
      "--filter",
      "groups=issues",
      "--config",
      "sieve.jsonc",
    ),
    [
      1,
      [
        "send_mail: not listed",
        "  groups    none",
        "  tags      none",
        "  concerns  none",
        "  the filter leaves it out: groups wants `issues`, it has none",
        "",
      ].join("\n"),
    ],
  );
  const [counted, tokens] = await npx("tokens", "lists.json");
  assert.deepEqual([counted, JSON.parse(tokens).tokens.tool], [0, { create_issue: 13, send_mail: 13 }]);
});
