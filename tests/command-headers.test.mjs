// Headers that the command sends to live servers: each reaches only the server that it is meant for, and no file
// contains it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { startRawServer } from "./support/raw-server.mjs";
import { installTarball } from "./support/tarball.mjs";

const tool = { name: "create_issue", inputSchema: { type: "object" } };
let consumer;
let forge;
let wiki;

before(async () => {
  consumer = await installTarball();
  [forge, wiki] = await Promise.all([
    startRawServer({ lists: { tools: [tool] } }),
    startRawServer({ lists: { tools: [{ ...tool, name: "read_page" }] } }),
  ]);
  consumer.write(
    "two.jsonc",
    JSON.stringify({
      upstreams: [
        { name: "forge", url: forge.url },
        { name: "wiki", url: wiki.url },
      ],
    }),
  );
  consumer.write("one.jsonc", "{}");
});
after(async () => {
  forge?.stop();
  wiki?.stop();
  await consumer?.remove();
});
beforeEach(() => [forge, wiki].forEach(({ requests }) => requests.splice(0)));

const sieve = (...args) => consumer.command(args);
/** Returns the distinct values of a header that a server received. */
const got = ({ requests }, name) => [...new Set(requests.map((headers) => headers[name]))];
const upstreams = () => ["--upstream", `forge=${forge.url}`, "--upstream", `wiki=${wiki.url}`];

/** The commands that send requests to live servers. */
const COMMANDS = [
  ["init", "-o", "made.jsonc", "--force"],
  ["check", "two.jsonc"],
  ["explain", "create_issue", "--config", "two.jsonc"],
];

test("a header goes to the server it is given for", async () => {
  for (const command of COMMANDS) {
    const { status, stderr } = await sieve(
      ...command,
      ...upstreams(),
      "--header",
      "forge=Authorization: Bearer of-forge",
      "--header",
      "wiki=X-Api-Key: a=b: c",
      "--header",
      "forge=X-Team:core",
    );
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      [got(forge, "authorization"), got(forge, "x-team"), got(forge, "x-api-key")],
      [["Bearer of-forge"], ["core"], [undefined]],
      command[0],
    );
    assert.deepEqual(
      [got(wiki, "authorization"), got(wiki, "x-team"), got(wiki, "x-api-key")],
      [[undefined], [undefined], ["a=b: c"]],
      command[0],
    );
    [forge, wiki].forEach(({ requests }) => requests.splice(0));
  }
});

test("one server takes a header without a name, or with its own", async () => {
  for (const [upstream, header] of [
    [wiki.url, "Authorization: Bearer plain"],
    [`wiki=${wiki.url}`, "Authorization: Bearer plain"],
    [`wiki=${wiki.url}`, "wiki=Authorization: Bearer plain"],
  ]) {
    wiki.requests.splice(0);
    const { status, stderr } = await sieve(
      "init",
      "-o",
      "one-made.jsonc",
      "--force",
      "--upstream",
      upstream,
      "--header",
      header,
    );
    assert.equal(status, 0, stderr);
    assert.deepEqual(got(wiki, "authorization"), ["Bearer plain"]);
  }
});

test("init writes no value of a header", async () => {
  const { status, stderr } = await sieve(
    "init",
    "-o",
    "secret.jsonc",
    ...upstreams(),
    "--header",
    "forge=Authorization: Bearer of-forge",
  );
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(readFileSync(join(consumer.folder, "secret.jsonc"), "utf8"), /of-forge/);
});

test("a header that belongs to no server is refused before any request, and its value is not printed", async () => {
  const several = upstreams();
  const one = ["--upstream", wiki.url];
  const rows = [
    [
      several,
      "Authorization: Bearer s3cret",
      "--header: expected the server it is for, `--header 'forge=Authorization: …'`, since there are several\n",
    ],
    [
      several,
      "forgery=Authorization: Bearer s3cret",
      "--header: no server is called `forgery`, expected `forge` or `wiki`\n",
    ],
    [
      one,
      "wiki=Authorization: Bearer s3cret",
      "--header: no server is called `wiki`, the only one has no name: `--header 'Authorization: …'`\n",
    ],
    [[], "Authorization: Bearer s3cret", "--header: expected an `--upstream` to send `Authorization` to\n"],
    [
      one,
      "Bearer s3cret",
      "--header: expected `Name: value`, or `SERVER=Name: value` where there are several servers\n",
    ],
    [one, "X Y: s3cret", "--header: expected `Name: value`, or `SERVER=Name: value` where there are several servers\n"],
    [
      one,
      "Authorization: s3cret\nX-Injected: 1",
      "--header: the value of `Authorization` has characters that no header may have\n",
    ],
    [one, "Authorization: s3cret…", "--header: the value of `Authorization` has characters that no header may have\n"],
  ];
  for (const [servers, header, stderr] of rows) {
    assert.deepEqual(
      await sieve("check", "one.jsonc", ...servers, "--header", header),
      { status: 2, stdout: "", stderr },
      header,
    );
    assert.deepEqual([forge.requests.length, wiki.requests.length], [0, 0], header);
  }
});

test("several servers have a name of their own each", async () => {
  for (const command of COMMANDS) {
    for (const [pair, stderr] of [
      [[forge.url, wiki.url], "--upstream: expected a name for each of several servers: `--upstream NAME=https://…`\n"],
      [
        [`forge=${forge.url}`, wiki.url],
        "--upstream: expected a name for each of several servers: `--upstream NAME=https://…`\n",
      ],
      [[`forge=${forge.url}`, `forge=${wiki.url}`], "--upstream: `forge` is the name of two servers\n"],
    ]) {
      const found = await sieve(...command, ...pair.flatMap((upstream) => ["--upstream", upstream]));
      assert.deepEqual(found, { status: 2, stdout: "", stderr });
      assert.deepEqual([forge.requests.length, wiki.requests.length], [0, 0]);
    }
  }
});
