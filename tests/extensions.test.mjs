// The table of docs/extensions.md, row by row: the gateway's support of each extension.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startAuthorization } from "./support/authorization.mjs";
import { ask, send } from "./support/raw-client.mjs";
import { startStatelessServer } from "./support/stateless-server.mjs";
import { startWorkers } from "./support/workerd.mjs";

const PREFIX = "io.modelcontextprotocol";
const OTHER = "com.example/preview";
const AUDIENCE = "https://mcp.example/mcp";
const DIGEST = `sha256:${"0".repeat(64)}`;
const page = readFileSync(new URL("../docs/extensions.md", import.meta.url), "utf8");

const tool = (name, _meta) => ({ name, inputSchema: { type: "object" }, ...(_meta && { _meta }) });
const skill = (name) => {
  const uri = `skill://${name}/SKILL.md`;
  return { uri, frontmatter: { name, description: name }, resources: [{ uri, digest: DIGEST, size: 1 }] };
};
const file = (uri) => ({ contents: [{ uri, mimeType: "text/html", text: uri }] });

/** The results of a server that announces every extension. */
const RESULTS = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    serverInfo: { name: "extended", version: "1" },
    capabilities: {
      tools: {},
      resources: {},
      extensions: { [`${PREFIX}/tasks`]: {}, [`${PREFIX}/skills`]: {}, [`${PREFIX}/ui`]: {}, [OTHER]: { levels: 2 } },
    },
  }),
  "tools/list": () => ({
    tools: [
      tool("plain"),
      tool("chart", { ui: { resourceUri: "ui://chart" } }),
      tool("secret", { ui: { resourceUri: "ui://secret" } }),
    ],
  }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }),
  "resources/list": () => ({
    resources: ["ui://chart", "ui://secret"].map((uri) => ({ uri, name: uri })),
  }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => file(uri),
  "skills/list": () => ({ skills: [skill("open"), skill("secret")] }),
  "skills/get": ({ uri }) => ({ skill: skill(uri.split("/")[2]) }),
  [`${OTHER}/run`]: () => ({ ran: true }),
};

let server;
let login;
let workers;
before(async () => {
  server = await startStatelessServer(RESULTS);
  login = await startAuthorization();
  const policies = [{ name: "secret", show: "-name:secret or claim.role:admin" }];
  const auth = { issuer: login.issuer, audience: [AUDIENCE], jwks: `${login.issuer}/keys` };
  workers = await startWorkers([
    { name: "open", upstream: server.url, config: { policies } },
    { name: "passing", upstream: server.url, config: { upstream: { passMethods: [`${OTHER}/*`] } } },
    { name: "closed", upstream: server.url, config: { policies, auth } },
  ]);
});
after(async () => {
  await workers?.stop();
  await login?.stop();
  await server?.stop();
});

const at = (name) => `${workers.urls[name]}/mcp`;
const answer = async (name, method, params, options) => (await ask(at(name), method, params, options)).at(-1).message;
const announced = async (name) => (await answer(name, "server/discover")).result.capabilities.extensions;

/** Asserts that a client is sent to an authorization server for a token, whose claims policies read. */
async function verifies(claims) {
  const refused = await send(at("closed"), "tools/list");
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get("www-authenticate"), /resource_metadata=/);
  const headers = { authorization: `Bearer ${login.token({ aud: AUDIENCE, ...claims })}` };
  const { result } = await answer("closed", "tools/list", {}, { headers });
  assert.deepEqual(
    result.tools.map(({ name }) => name),
    ["plain", "chart", "secret"],
  );
}

/** Extension → a function that asserts its row of the table. */
const ROWS = {
  [`${PREFIX}/tasks`]: async () => {
    assert.deepEqual((await announced("open"))[`${PREFIX}/tasks`], {});
    const _meta = { [`${PREFIX}/clientCapabilities`]: { extensions: { [`${PREFIX}/tasks`]: {} } } };
    const headers = { "mcp-name": "none" };
    const { error } = await answer("open", "tasks/get", { taskId: "none", _meta }, { headers });
    assert.equal(error.code, -32602);
  },
  [`${PREFIX}/skills`]: async () => {
    assert.deepEqual((await announced("open"))[`${PREFIX}/skills`], {});
    const { result } = await answer("open", "skills/list");
    assert.deepEqual(
      result.skills.map(({ uri, resources }) => ({ uri, resources })),
      [{ uri: skill("open").uri, resources: skill("open").resources }],
    );
    const [hidden, missing] = await Promise.all(
      ["secret", "missing"].map(async (name) => (await answer("open", "skills/get", { uri: skill(name).uri })).error),
    );
    assert.deepEqual(hidden, { ...missing, message: missing.message.replace("missing", "secret") });
  },
  [`${PREFIX}/ui`]: async () => {
    const { result } = await answer("open", "tools/list");
    assert.deepEqual(result.tools.at(-1), RESULTS["tools/list"]().tools[1]);
    const read = (uri) => answer("open", "resources/read", { uri });
    assert.equal((await read("ui://chart")).result.contents[0].text, "ui://chart");
    assert.equal((await read("ui://secret")).error.code, -32602);
  },
  [`${PREFIX}/oauth-client-credentials`]: () => verifies({ sub: "robot", client_id: "robot", role: "admin" }),
  [`${PREFIX}/enterprise-managed-authorization`]: () =>
    verifies({ sub: "ada", client_id: "host", role: "admin", email: "ada@corp.example" }),
  "any other": async () => {
    assert.equal((await announced("open"))[OTHER], undefined);
    assert.equal((await answer("open", `${OTHER}/run`)).error.code, -32601);
    assert.deepEqual((await announced("passing"))[OTHER], { levels: 2 });
    assert.equal((await answer("passing", `${OTHER}/run`)).result.ran, true);
  },
};

const listed = [...page.matchAll(/^\| `?([\w ./-]+?)`? \|/gm)].map(([, id]) => id).filter((id) => id !== "extension");

test("each row of the page is tried", () => {
  assert.deepEqual(listed, Object.keys(ROWS));
});

for (const [id, holds] of Object.entries(ROWS)) test(`${id} passes the gateway as the page says`, holds);
