// The JSON Schema of the configuration accepts the same files as the engine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { snapshot } from "../pkg/cli/lib/engine.js";
import { Middleware } from "../pkg/loaders/middleware-node.js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const rows = (file) => JSON.parse(read(`fixtures/${file}.json`));
const schema = JSON.parse(read("../crates/gateway/src/config/sieve.schema.json"));
const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema);

/** Parses a configuration as an editor does, without comments and trailing commas. */
const parsed = (text) => {
  const token = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*[\]}])/g;
  return JSON.parse(text.replace(token, (found) => (found.startsWith('"') ? found : "")));
};
const problems = () => validate.errors?.map((error) => `${error.instancePath} ${error.message}`).join("\n");

const accepted = [
  ...Object.entries(rows("worlds"))
    .filter(([, world]) => "config" in world || "configText" in world)
    .map(([name, world]) => [name, world.config ?? parsed(world.configText)]),
  ["the Worker's own", parsed(read("../worker/sieve.jsonc"))],
  ["the tracker's", parsed(read("../examples/tracker/src/sieve.jsonc"))],
  [
    "every member",
    {
      $schema: "sieve.schema.json",
      server: { name: "n", version: "1", title: null, instructions: "i" },
      groups: [
        { name: "g", title: "G", description: null },
        { name: "h-1", description: "d" },
      ],
      drafts: { groups: { disclose: ["h-1"] } },
      tags: [{ name: "t", description: "d" }],
      concerns: [
        { name: "a", description: null, values: ["x", "1"], ordered: true, default: 1 },
        { name: "b", values: { min: 0, max: 1, step: 0.5 }, default: null },
      ],
      rules: [
        {
          match: "name:a",
          groups: ["g"],
          tags: ["t"],
          concerns: { a: "x", b: 1, c: ["x", 1] },
          hide: false,
          name: "n",
          title: null,
          description: "d",
        },
        {
          match: {
            all: [
              "kind:tool",
              { any: [{ name: "a*" }, { priority: { ">=": 0.5 } }] },
              { not: { annotation: { readOnlyHint: true } } },
            ],
          },
        },
      ],
      policies: [
        { name: "p", priority: -1, show: "claim.sub:*" },
        {
          name: "q",
          show: {
            any: [
              { "client.version": { "<": "2" } },
              { "meta.a.b": { contains: "x" } },
              { header: { "X-Team": { ":": "blue" } } },
              { status: "working" },
              { taskId: "a" },
              { createdAt: { "<": "2026-01-01" } },
              { lastUpdatedAt: { ">": "2026-01-01" } },
            ],
          },
        },
      ],
      exposeConcerns: true,
      exposeSep2084Groups: true,
      onInvalidConcern: "clamp",
      filtering: { groups: true, tags: false, concerns: true, proposalCapabilities: false },
      pageSize: 10,
      enforce: true,
      origins: ["*", "null", "https://app.example:8443", "vscode-webview://a1-b2"],
      hosts: ["localhost"],
      auth: {
        issuer: "https://login.example",
        audience: ["a"],
        jwks: "http://127.0.0.1:9/keys",
        required: false,
        scopes: ["mcp:read"],
        clockSkew: 0,
      },
      limits: { rate: { requests: 60, seconds: 10 }, concurrent: 4 },
      log: true,
      audit: "all",
      upstream: {
        name: "u",
        url: "",
        headers: { "X-A": "${B}" },
        passHeaders: ["X-B"],
        groups: { issues: "forge-issues", noise: null },
        tags: {},
        concerns: { cost: "price" },
        capabilities: { sampling: {}, extensions: { "a.example/b": { c: 1 } } },
        timeoutMs: 1,
        listTimeoutMs: 9,
        callTimeoutMs: 2,
        ttlMs: 0,
        maxPages: 3,
      },
    },
  ],
  [
    "keys of its own",
    {
      auth: { issuer: "http://localhost", audience: ["a"], jwks: { keys: [{ kty: "OKP" }] } },
      limits: { rate: null, concurrent: null },
    },
  ],
  [
    "several issuers, in every way",
    {
      auth: [
        { issuer: "https://a.example", audience: ["a"], jwks: { kv: "jwks" }, client: { id: "${ID}", secret: "${S}" } },
        {
          issuer: "https://b.example",
          audience: ["a"],
          jwks: null,
          introspection: { url: "https://b.example/judge", client: { id: "g", secret: "${S}" } },
          header: null,
          client: null,
        },
        {
          issuer: "https://team.cloudflareaccess.com",
          audience: ["app"],
          jwks: "https://team.cloudflareaccess.com/cdn-cgi/access/certs",
          introspection: null,
          header: "Cf-Access-Jwt-Assertion",
        },
      ],
      policies: [
        { name: "writers", show: "-tag:write", scope: "repo:write" },
        { name: "none", show: { scope: "mcp" }, scope: null },
      ],
    },
  ],
  [
    "the client of an issuer judges its tokens",
    {
      auth: {
        issuer: "https://b.example",
        audience: ["a"],
        introspection: { url: "https://b.example/judge" },
        client: { id: "g", secret: "s" },
      },
    },
  ],
  ["keys in a namespace", { auth: { issuer: "https://login.example/", audience: ["a"], jwks: { kv: "jwks" } } }],
  [
    "middleware servers",
    {
      middleware: {
        functions: ["a/redact"],
        servers: {
          a: {
            url: "https://a.example/mcp",
            headers: { "X-A": "${B}" },
            timeoutMs: 1,
            fallback: ["b-2", "c.3"],
            functions: ["redact"],
          },
          "b-2": { url: "https://b.example/mcp", fallback: "a" },
          "c.3": { url: "https://c.example/mcp", functions: null },
        },
        chains: [{ on: ["tools/call"], request: ["a/redact"] }],
      },
    },
  ],
  [
    "local servers",
    {
      upstreams: [
        { name: "a", command: ["npx", "-y", "a"], env: { TOKEN: "${TOKEN}" }, cwd: "a" },
        { name: "b", command: ["b"] },
        { name: "c", url: "https://c.example/mcp" },
      ],
    },
  ],
  ["a local server", { upstream: { command: ["npx", "-y", "a"], env: {}, cwd: null } }],
  [
    "several servers",
    {
      upstreams: [
        {
          name: "a",
          url: "https://a.example/mcp",
          prefix: "a_",
          prefixAll: true,
          unlisted: null,
          instructions: "hide",
        },
        {
          name: "b",
          url: "https://b.example/mcp",
          prefix: null,
          unlisted: true,
          instructions: "pass",
          passMethods: [
            "foo/bar",
            { method: "com.example/preview", tool: "name" },
            "com.example/*",
            { method: "foo/*", prompt: "name" },
            { method: "a/*", resource: "uri" },
            { method: "b" },
          ],
          headers: { Authorization: "Bearer ${TOKEN}" },
        },
      ],
    },
  ],
];

test("every configuration that the engine accepts is valid", () => {
  for (const [name, config] of accepted) assert.ok(validate(config), `${name}: ${problems()}`);
  assert.ok(accepted.length > 10, "the corpus has configurations");
});

test("a refusal that is a matter of shape is one of the schema too", () => {
  const refusals = rows("refuse").filter((row) => "config" in row || "configText" in row);
  for (const row of refusals) {
    assert.ok(["refuses", "accepts"].includes(row.schema), `${row.name}: does the schema know?`);
    // Text that is not JSON never reaches a schema.
    if ("configText" in row) assert.equal(row.schema, "accepts", row.name);
    else assert.equal(validate(row.config), row.schema === "accepts", row.name);
  }
  assert.ok(refusals.length > 30, "the corpus has refusals");
});

/** Errors that JSON Schema cannot express: the meaning of an expression, repeated values, comparisons, an empty first element. */
const beyondShape =
  /declared twice|needs a description|expected a program|is not a value of|needs min <= max|to name another server|no group|is below|needs each of its values|(match|show|require)\S*: /;

/** Yields every configuration that differs from `value` in one place. */
function* mutations(value) {
  for (const other of [null, true, 0, 1.5, -1, 5e9, "", "x", [], ["x"], [1], [null], {}, { min: 0, max: 1 }])
    yield other;
  if (Array.isArray(value)) {
    for (const [at, inner] of value.entries()) {
      for (const other of mutations(inner)) yield value.with(at, other);
    }
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, unheardOf: 1 };
    for (const [key, inner] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield rest;
      yield { ...rest, [key.toUpperCase()]: inner };
      for (const other of mutations(inner)) yield { ...value, [key]: other };
    }
  }
}

test("schema and engine agree on every configuration that differs in one place", () => {
  let tried = 0;
  for (const [name, config] of accepted.filter(([name]) => name !== "the Worker's own")) {
    for (const mutated of mutations(config)) {
      tried += 1;
      // `null` as a configuration means that there is none.
      if (mutated === null) continue;
      const text = JSON.stringify(mutated);
      let refusal;
      try {
        // The command accepts the gateway's files, while a `Sieve` rejects a file with several servers.
        snapshot(text, [], []);
      } catch (error) {
        refusal = error;
      }
      if (validate(mutated)) assert.ok(!refusal || beyondShape.test(refusal.message), `${name}: ${text}\n${refusal}`);
      else assert.ok(refusal, `${name}: the engine accepts ${text}\n${problems()}`);
    }
  }
  assert.ok(tried > 1000, `${tried} configurations`);
});

test("schema and engine agree on policies and patterns of the operator's own", () => {
  const accepted = [
    {
      policies: {
        a: { description: "b", phrases: ["c d", { phrase: "efg*", weight: 9 }], severity: "low", includes: ["b"] },
        b: { phrases: [{ phrase: "g" }] },
      },
    },
    { patterns: { AB: { pattern: "c[0-9]{2}", type: "d" }, A1_B: { pattern: "e" } } },
    { policies: {}, patterns: {} },
  ];
  // Errors that only the engine detects: unknown policies, cycles, alphabets, the meaning of a pattern.
  const beyond = /there is no policy|includes itself|words? of|at least one word|regular expression|the empty string/;
  let tried = 0;
  for (const own of accepted) {
    assert.ok(validate({ middleware: own }), problems());
    new Middleware(own).free();
    for (const mutated of mutations(own)) {
      // A value that replaces the whole is one of `middleware`, which the command checks.
      const { policies, patterns, ...rest } = Object(mutated);
      if (Array.isArray(mutated) || Object(mutated) !== mutated || Object.keys(rest).length > 0) continue;
      if ([policies, patterns].some((one) => one === "" || one === 0 || one === false)) continue;
      tried += 1;
      let refusal;
      try {
        new Middleware({ policies, patterns }).free();
      } catch (error) {
        refusal = error;
      }
      const text = JSON.stringify(mutated);
      if (validate({ middleware: mutated })) assert.ok(!refusal || beyond.test(refusal.message), `${text}\n${refusal}`);
      else assert.ok(refusal, `the engine accepts ${text}\n${problems()}`);
    }
  }
  assert.ok(tried > 300, `${tried} configurations`);
  for (const row of rows("middleware-own").refused) {
    const { policies, patterns } = row;
    const valid = validate({ middleware: { policies, patterns } });
    assert.ok(
      !valid || beyond.test(row.error.message) || /built-in|too similar|letters|look-|`\*`/.test(row.error.message),
      row.name,
    );
  }
});

test("an editor has words for every member", () => {
  const silent = [];
  const visit = (at, path) => {
    for (const [name, member] of Object.entries(at.properties ?? {})) {
      const target = member.$ref ? schema.$defs[member.$ref.split("/").pop()] : member;
      if (!(member.description ?? target.description)) silent.push(`${path}/${name}`);
    }
    for (const [name, inner] of Object.entries(at.$defs ?? {})) visit(inner, `${path}/${name}`);
  };
  visit(schema, "");
  assert.deepEqual(silent, []);
});
