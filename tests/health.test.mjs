// The health endpoint that load balancers and container platforms probe.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { startWorkers } from "./support/workerd.mjs";

let workers;
before(async () => {
  const dead = { url: "http://127.0.0.1:9/mcp", headers: { authorization: "Bearer secret" } };
  workers = await startWorkers([
    {
      name: "well",
      config: {
        hosts: ["mcp.example"],
        upstream: dead,
        checks: [{ name: "staff", require: "claim.role:*", message: "sign in" }],
      },
    },
    { name: "broken", config: '{ "rules": [{ "match": "nam:x" }] }' },
    { name: "bare", tracker: false },
  ]);
});
after(() => workers?.stop());

/** Sends a probe. `fetch` cannot set Host, and a probe addresses the Worker by its IP address. */
function probe(service, { method = "GET", headers = {} } = {}) {
  return new Promise((done, fail) => {
    request(`${workers.urls[service]}/health`, { method, headers }, async (response) => {
      let body = "";
      for await (const chunk of response) body += chunk;
      done({ status: response.statusCode, headers: response.headers, body });
    })
      .once("error", fail)
      .end();
  });
}

test("a serving gateway answers 200 for any name and servers", async () => {
  for (const headers of [{}, { host: "10.0.0.7:8787" }, { origin: "https://elsewhere.example" }]) {
    const { status, body, headers: answered } = await probe("well", { headers });
    assert.deepEqual([status, body], [200, '{"status":"ok"}']);
    assert.equal(answered["cache-control"], "no-store");
    assert.equal(answered["access-control-allow-origin"], undefined);
  }
  const head = await probe("well", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  assert.equal((await probe("well", { method: "POST" })).status, 405);
});

test("a gateway that cannot use its configuration answers 503 without the reason", async () => {
  const { status, body } = await probe("broken");
  assert.deepEqual([status, body], [503, '{"status":"misconfigured"}']);
});

test("a gateway without a server answers 503 with a state of its own", async () => {
  const { status, body } = await probe("bare");
  assert.deepEqual([status, body], [503, '{"status":"unconfigured"}']);
});
