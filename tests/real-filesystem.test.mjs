// L1: `server-filesystem` obeys the roots of its client through the gateway, as it does without it: from the first call on, and
// after each change of the roots. A host that narrows the server to one folder relies on it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { installCommand } from "./support/command.mjs";
import { filesystem, makeFolders } from "./support/real-servers.mjs";
import { CLIENTS, STATELESS_ALONE, connect, rootsOf } from "./support/sdk-clients.mjs";

const DENIED = /^Access denied - path outside allowed directories/;
const only = (folder) => new RegExp(`^Allowed directories:\\n${folder}$`);

let command;
let folders;
const running = [];
/** Arguments of the server by name. */
let servers;
/** Addresses of the gateway in front of the server, by its arguments. */
const urls = {};
before(async () => {
  folders = makeFolders("given", "first", "second");
  servers = { "with a folder": filesystem(folders.given), "without a folder": filesystem() };
  command = await installCommand();
  command.install("workerd");
  await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const file = `${name.replaceAll(" ", "-")}.jsonc`;
      command.write(file, JSON.stringify({ upstream: { command: server } }));
      const dev = command.start(["dev", file, "--port", "0", "--json"]);
      running.push(dev);
      urls[name] = JSON.parse(await dev.line(/^\{"event":"ready"/)).mcp;
      await dev.line(/^\{"event":"server"/);
    }),
  );
});
after(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  await command?.remove();
  folders?.remove();
});

/** Where the server is reached: itself, through `dev`, and through `mcp-sieve -- COMMAND`. */
const PLACES = {
  direct: (name) => servers[name],
  "over HTTP": (name) => urls[name],
  "over stdio": (name) => [process.execPath, `${command.package}/cli/main.js`, "--", ...servers[name]],
};
const home = () => ({ HOME: command.folder, XDG_CACHE_HOME: `${command.folder}/cache`, CI: "true" });

async function connected(t, generation, place, server, roots) {
  const answers = roots && { "roots/list": () => ({ roots: roots() }) };
  const client = await connect(generation, PLACES[place](server), { answers, env: home() });
  t.after(() => client.close());
  return client;
}
const read = (client, folder) => client.text("read_text_file", { path: `${folders[folder]}/${folder}.txt` });

for (const place of Object.keys(PLACES))
  describe(`server-filesystem ${place}`, { concurrency: true }, () => {
    for (const server of ["with a folder", "without a folder"]) {
      // The server has only sessions, and over HTTP clients without a token are told so.
      for (const generation of place === "over stdio" ? [...CLIENTS, STATELESS_ALONE] : CLIENTS)
        test(`L1: ${server}, a ${generation} client narrows it, and again`, async (t) => {
          let roots = rootsOf(folders.first);
          const client = await connected(t, generation, place, server, () => roots);
          // The server answers a call that comes before the roots with the folder of its arguments. The gateway waits for them.
          if (place === "direct") await client.textOf("list_allowed_directories", {}, only(folders.first));
          assert.match(await client.text("list_allowed_directories"), only(folders.first));
          assert.equal(await read(client, "first"), "in first");
          assert.match(await read(client, "given"), DENIED);
          // The stateless revision has no notification of changed roots.
          if (client.stateless) return;
          roots = rootsOf(folders.second);
          await client.client.sendRootsListChanged();
          await client.textOf("list_allowed_directories", {}, only(folders.second));
          assert.equal(await read(client, "second"), "in second");
          assert.match(await read(client, "first"), DENIED);
        });

      test(`L1: ${server}, a client without roots has the folders of the arguments`, async (t) => {
        const client = await connected(t, "v1", place, server);
        const given = server === "with a folder" ? only(folders.given) : /^Allowed directories:\n$/;
        assert.match(await client.text("list_allowed_directories"), given);
        assert.deepEqual(client.asked, []);
      });
    }
  });

test("L1: two clients over HTTP have their own roots", async (t) => {
  const generations = ["v1", "v2, sessions"];
  const roots = ["first", "second"];
  const clients = await Promise.all(
    generations.map((generation, at) =>
      connected(t, generation, "over HTTP", "with a folder", () => rootsOf(folders[roots[at]])),
    ),
  );
  for (const _ of [1, 2])
    for (const [at, client] of clients.entries()) {
      assert.match(await client.text("list_allowed_directories"), only(folders[roots[at]]));
      assert.match(await read(client, roots[1 - at]), DENIED);
    }
});
