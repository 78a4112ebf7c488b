// W3: Playwright MCP has a browser for each session. Two clients of one gateway do not see each other's page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask } from "./support/raw-client.mjs";
import { startPlaywright } from "./support/real-servers.mjs";
import { connect } from "./support/sdk-clients.mjs";
import { startWorkers } from "./support/workerd.mjs";

let server;
let workers;
let urls;
before(async () => {
  server = await startPlaywright();
  workers = await startWorkers([{ name: "playwright", config: { upstream: { url: server.url } } }]);
  urls = { direct: server.url, "through the gateway": `${workers.urls.playwright}/mcp` };
  // That a server keeps sessions is known once it has been listed.
  await Promise.all(Object.values(workers.urls).map((url) => ask(`${url}/mcp`, "tools/list")));
});
after(async () => {
  await workers?.stop();
  await server?.stop();
});

for (const place of ["direct", "through the gateway"])
  for (const pair of [
    ["v1", "v1"],
    ["v2", "v2"],
    ["v1", "v2"],
  ])
    test(`W3: ${pair.join(" and ")} clients have pages of their own, ${place}`, async (t) => {
      const clients = await Promise.all(pair.map((generation) => connect(generation, urls[place])));
      t.after(() => Promise.all(clients.map(({ close }) => close())));
      const pages = clients.map((_, at) => `data:text/html,<title>page ${at}</title><h1>heading ${at}</h1>`);
      await Promise.all(clients.map((client, at) => client.text("browser_navigate", { url: pages[at] })));
      for (const [at, client] of clients.entries()) {
        const seen = await client.text("browser_snapshot");
        assert.match(seen, new RegExp(`heading ${at}`));
        assert.doesNotMatch(seen, new RegExp(`heading ${1 - at}`));
      }
    });
