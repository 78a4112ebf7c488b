// Validation of arguments against a schema, compared with a third-party validator. Arguments that it accepts are never
// rejected. If a schema has supported keywords only, arguments that it rejects are rejected too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { startUpstream } from "./support/upstream.mjs";
import { startWorkers } from "./support/workerd.mjs";

const TOOLS = 150;
const CALLS = 4;
const [SIMPLE, COMBINED] = ["simple", "combined"];

/** Returns Mulberry32: numbers from 0 to 1, the same in every run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = numbers(7);
const upTo = (count) => Math.floor(random() * count);
const pick = (list) => list[upTo(list.length)];
const maybe = (value) => (random() < 0.4 ? value() : {});

const LEAVES = [0, 1, -1, 2.5, 1e3, true, false, null, "", "a", "abc", "é€😀", "1"];
const NAMES = ["a", "b", "c"];

function value(depth) {
  if (depth > 2 || random() < 0.5) return pick(LEAVES);
  if (random() < 0.4) return Array.from({ length: upTo(4) }, () => value(depth + 1));
  return object(depth);
}
const object = (depth) =>
  Object.fromEntries(NAMES.filter(() => random() < 0.6).map((name) => [name, value(depth + 1)]));

function schema(depth, combines) {
  const kind = pick([
    "string",
    "number",
    "integer",
    "boolean",
    "null",
    "array",
    "object",
    ["string", "null"],
    undefined,
  ]);
  const made = {
    ...(kind && { type: kind }),
    ...maybe(() => pick([{ enum: [pick(LEAVES), pick(LEAVES)] }, { const: pick(LEAVES) }, {}, {}])),
    ...maybe(() => ({ minimum: upTo(3) - 1 })),
    ...maybe(() => ({ maximum: upTo(3) })),
    ...maybe(() => ({ minLength: upTo(3) })),
    ...maybe(() => ({ maxLength: upTo(4) })),
  };
  if (depth < 2) {
    Object.assign(
      made,
      maybe(() => ({ items: schema(depth + 1, combines), minItems: upTo(2), maxItems: 1 + upTo(3) })),
    );
    if (random() < 0.5) Object.assign(made, fields(depth + 1, combines));
    if (combines) {
      const parts = () => [schema(depth + 1, false), schema(depth + 1, false)];
      Object.assign(
        made,
        maybe(() => pick([{ anyOf: parts() }, { oneOf: parts() }, { not: schema(2, false) }, { $ref: "#/$defs/any" }])),
      );
      Object.assign(
        made,
        maybe(() =>
          pick([{ patternProperties: { "^a": true } }, { multipleOf: 2 }, { pattern: "a" }, { prefixItems: [true] }]),
        ),
      );
    }
  }
  return made;
}
const fields = (depth, combines) => ({
  properties: Object.fromEntries(NAMES.filter(() => random() < 0.7).map((name) => [name, schema(depth, combines)])),
  ...maybe(() => ({ required: [pick(NAMES)] })),
  ...maybe(() => ({ additionalProperties: false })),
});
const tool = (kind, at) => ({
  name: `${kind}_${at}`,
  inputSchema: { type: "object", $defs: { any: true }, ...fields(0, kind === COMBINED) },
});
const tools = [SIMPLE, COMBINED].flatMap((kind) => Array.from({ length: TOOLS }, (_, at) => tool(kind, at)));

let behind;
let worker;
before(async () => {
  behind = await startUpstream({ schemas: { lists: { tools } } });
  const config = { disclosure: { mode: "search" } };
  worker = await startWorkers([{ name: "schemas", upstream: behind.url("schemas"), config }]);
});
after(async () => {
  await worker?.stop();
  await behind?.stop();
});

/** Returns whether a call is answered with the schema. */
async function isRefused(name, args) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "call_tool", arguments: { name, arguments: args }, _meta: meta };
  const response = await fetch(`${worker.urls.schemas}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "call_tool",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const { result, error } = await response.json();
  assert.ok(result, JSON.stringify(error));
  return Boolean(result.isError) && result.content[0].text.includes("The inputSchema of this tool is: ");
}

test("arguments are refused only if a validator refuses them too", async () => {
  const ajv = new Ajv({ strict: false });
  const seen = { accepted: 0, refused: 0, left: 0 };
  for (const { name, inputSchema } of tools) {
    const fits = ajv.compile(inputSchema);
    for (let call = 0; call < CALLS; call += 1) {
      const args = object(0);
      const shown = `${JSON.stringify(args)} by ${JSON.stringify(inputSchema)}`;
      const refused = await isRefused(name, args);
      if (fits(args)) {
        assert.ok(!refused, `refused: ${shown}`);
        seen.accepted += 1;
      } else {
        if (name.startsWith(SIMPLE)) assert.ok(refused, `not refused: ${shown}`);
        seen[refused ? "refused" : "left"] += 1;
      }
    }
  }
  assert.ok(
    Object.values(seen).every((count) => count > 30),
    JSON.stringify(seen),
  );
});
