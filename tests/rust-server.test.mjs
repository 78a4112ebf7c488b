// examples/rmcp, a server on the official Rust SDK that filters with Sieve, at the official TypeScript clients.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { wrapClient } from "../pkg/loaders/node.js";
import { start } from "./support/foreign.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";
import { CLIENTS, STATELESS_ALONE, connect } from "./support/sdk-clients.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);
const LIBRARIAN = { authorization: "Bearer of-a-librarian" };
const any = z.looseObject({});

let server;
before(async () => {
  // `make setup` has built it. This builds what has changed since.
  await run(here("../scripts/setup-rmcp"));
  const port = await freePort();
  const program = here("../target/peers/debug/sieve-rmcp-library");
  server = await start(port, program, [], { env: { ADDRESS: `127.0.0.1:${port}` } });
});
after(() => server?.stop());

test("the program is what docs/rust.md shows of it, and answers as its README says", async () => {
  const read = (path) => readFileSync(here(`../${path}`), "utf8");
  const sources = ["main", "library", "request"].map((name) => read(`examples/rmcp/src/${name}.rs`)).join("\n");
  const excerpts = [...read("docs/rust.md").matchAll(/```rust,ignore\n([\s\S]*?)```/g)];
  assert.equal(excerpts.length, 4);
  for (const [, excerpt] of excerpts) assert.ok(sources.includes(excerpt), excerpt);

  const [, command] = /```sh\n(curl [\s\S]*?)```/.exec(read("examples/rmcp/README.md"));
  const { stdout } = await run("bash", ["-c", command.replace("http://127.0.0.1:8790/mcp", server.url)]);
  const { result } = JSON.parse(/\{"jsonrpc".*/.exec(stdout)[0]);
  assert.deepEqual(names(result), ["list_loans"]);
});

const names = ({ tools }) => tools.map(({ name }) => name);

for (const name of [...CLIENTS, STATELESS_ALONE])
  describe(`a server on rmcp, at the client ${name}`, () => {
    const opened = [];
    const open = async (query = "", headers) => {
      const session = await connect(name, server.url + query, { headers });
      opened.push(session);
      return session.client;
    };
    after(() => Promise.all(opened.map((session) => session.close())));
    const ask = (client, method, params = {}) => client.request({ method, params }, any);

    test("filters its lists", async () => {
      const client = await open();
      assert.deepEqual(names(await ask(client, "tools/list")), ["find_books", "lend_book", "list_loans"]);
      const filter = { groups: ["loans"], tags: ["read-only"], colour: "red" };
      const { tools, _meta } = await ask(client, "tools/list", { filter });
      assert.deepEqual(names({ tools }), ["list_loans"]);
      const report = _meta["dev.mcpsieve/filter"];
      assert.deepEqual([report.total, report.matched, report.ignored[0].field], [3, 1, "colour"]);
      const refused = await ask(client, "tools/list", { filter: { groups: 7 } }).catch((error) => error);
      assert.deepEqual([refused.code, refused.data.field], [-32602, "filter.groups"]);
      const resources = await ask(client, "resources/list", { filter: { uriPatterns: ["library:*"] } });
      assert.deepEqual(
        resources.resources.map(({ uri }) => uri),
        ["library://hours"],
      );
    });

    test("filters by its URL", async () => {
      const client = await open("?groups=loans");
      assert.deepEqual(names(await ask(client, "tools/list")), ["lend_book", "list_loans"]);
      const both = await ask(client, "tools/list", { filter: { tags: ["read-only"] } });
      assert.deepEqual(names(both), ["list_loans"]);
      // A filter decides about lists only.
      const { content } = await client.callTool({ name: "find_books", arguments: { words: "sieve" } });
      assert.equal(content[0].text, "find_books: done");
    });

    test("lists groups, tags and concerns that the caller sees", async () => {
      const client = await open();
      const { groups } = await ask(client, "groups/list", { counts: true });
      assert.deepEqual(
        groups.map((group) => [group.name, group._meta["dev.mcpsieve/size"].tools]),
        [
          ["catalogue", 1],
          ["loans", 2],
        ],
      );
      const { tags } = await ask(client, "tags/list");
      assert.deepEqual(
        tags.map((tag) => tag.name),
        ["read-only"],
      );
      const { concerns } = await ask(client, "listConcerns");
      assert.deepEqual(
        concerns.map((concern) => concern.name),
        ["cost"],
      );
      await assert.rejects(ask(client, "books/list"));
    });

    test("announces its filters", async () => {
      const client = await open();
      const { tools, extensions } = client.getServerCapabilities();
      assert.ok(tools);
      assert.ok(extensions["dev.mcpsieve/filtering"].fields.includes("groups"));
      assert.equal(extensions["dev.mcpsieve/concerns"].concerns[0].name, "cost");
      const wrapped = wrapClient(client);
      assert.deepEqual(names(await wrapped.listTools({ filter: { tags: ["read-only"] } })), [
        "find_books",
        "list_loans",
      ]);
      assert.equal(wrapped.filteredBy({ tags: ["read-only"] }), "server");
    });

    test("answers for what is hidden as for what does not exist", async () => {
      const client = await open();
      const call = (tool) => client.callTool({ name: tool, arguments: { isbn: "1" } }).catch((error) => error);
      const [hidden, unknown] = [await call("remove_book"), await call("remove_all")];
      assert.deepEqual([hidden.code, unknown.code], [-32602, -32602]);
      assert.equal(hidden.message.replace("remove_book", "remove_all"), unknown.message);
      const read = (uri) =>
        client.readResource({ uri }).then(
          ({ contents }) => contents[0].text,
          (error) => error.code,
        );
      assert.equal(await read("book://9780131103627"), "The content of book://9780131103627");
      assert.equal(await read("library://hours"), "The content of library://hours");
      const none = await read("library://none");
      assert.equal(typeof none, "number");
      for (const uri of ["library://staff/rota", "library://staff/%72ota", "library://staff/x/../rota"])
        assert.equal(await read(uri), none, uri);

      const librarian = await open("", LIBRARIAN);
      assert.ok(names(await ask(librarian, "tools/list")).includes("remove_book"));
      const { content } = await librarian.callTool({ name: "remove_book", arguments: { isbn: "1" } });
      assert.equal(content[0].text, "remove_book: done");
    });
  });
