// A server whose tools the configuration narrows: conditions on arguments, bound arguments, and a lock that some of its
// definitions differ from.
import { createHash } from "node:crypto";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";

/** The header by which a call that arrives is found again. */
export const TRY = "x-try";
/** Is in every text that no caller may read: definitions that await review, and parameters that are bound. */
export const SECRET = "SECRET-TEXT";
export const REGION = "BOUND-region";
export const LIMIT = 10;
/** The name of what the lock hides, and of what it lists by name alone. */
export const [HIDDEN, REFUSED] = ["zebra", "yonder"];

const person = (sub, more) => ({ sub, org: { tenant: `TENANT-${sub}` }, ...more });
export const PEOPLE = {
  "ann-token": person("ann"),
  "root-token": person("root", { role: "admin" }),
  "bare-token": { sub: "bare" },
};

const object = (properties, more) => ({ inputSchema: { type: "object", properties, ...more } });
const amount = { type: "integer", default: 5000 };
const secret = { type: "string", description: `${SECRET} of a bound parameter` };
const CONDITIONS = {
  pay: "arguments.amount<=100 or claim.role=admin",
  mark: "arguments.amount<=100",
  page: "-arguments.limit:* or arguments.limit<=10",
  push: 'arguments.repo="acme/site"',
  send: 'arguments.mail.to="a@example.com"',
  wipe: "arguments.force=false",
  load: 'arguments.path under "/srv/public"',
  open: 'arguments.url under "https://api.acme.com/"',
};
const accepted = {
  tools: [
    tool("pay", object({ amount, memo: { type: "string" } })),
    tool("mark", object({ amount: { ...amount, "x-mcp-header": "Amount" } })),
    tool("page", object({ limit: { type: "number", default: 5000 } })),
    tool("push", object({ repo: { type: "string", default: "evil/site" } })),
    tool("send", object({ mail: { type: "object", properties: { to: { type: "string" } } } })),
    tool("wipe", object({ force: { type: "boolean", default: true } })),
    tool("load", object({ path: { type: "string", default: "/etc/passwd" } })),
    tool("open", object({ url: { type: "string", default: "https://evil.example/" } })),
    tool(
      "order",
      object(
        {
          item: { type: "string" },
          tenant_id: secret,
          region: { ...secret, default: `${SECRET} default` },
          options: { type: "object", properties: { by: { type: "string" }, limit: { type: "number", title: SECRET } } },
        },
        { required: ["tenant_id", "region"], examples: [{ tenant_id: SECRET }] },
      ),
    ),
    tool("ship", object({ tenant_id: { ...secret, "x-mcp-header": "Tenant" } })),
    tool("note", { annotations: { readOnlyHint: true } }),
  ].map((each) => ({ ...each, execution: { taskSupport: "optional" } })),
  resources: [{ uri: "doc://note", name: "note" }],
  resourceTemplates: [{ uriTemplate: "doc://note/{id}", name: "note_page" }],
  prompts: [{ name: "note" }],
};
const of = (name, text) => ({
  tools: [{ ...tool(name, object({ a: { type: "string", description: text } })), description: text }],
  resources: [{ uri: `doc://${name}`, name, description: text }],
  resourceTemplates: [{ uriTemplate: `doc://${name}/{id}`, name: `${name}_page`, description: text }],
  prompts: [{ name, description: text, arguments: [{ name: "a", description: text }] }],
});
const joined = (...all) =>
  Object.fromEntries(Object.keys(all[0]).map((kind) => [kind, all.flatMap((lists) => lists[kind])]));

const ordered = (value) => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
};
const digest = (definition) =>
  createHash("sha256")
    .update(JSON.stringify(ordered(definition)))
    .digest("hex");
/** Returns the text of a lock in which these lists are accepted. Every text is short and ASCII, as RFC 8785 writes it. */
const lockOf = (lists) =>
  JSON.stringify({
    version: 3,
    servers: {
      upstream: Object.fromEntries(
        Object.entries(lists).map(([kind, all]) => [
          kind,
          Object.fromEntries(all.map((each) => [each.uri ?? each.uriTemplate ?? each.name, digest(each)])),
        ]),
      ),
    },
  });

const config = {
  policies: Object.entries(CONDITIONS).map(([name, condition]) => ({
    name: `on-${name}`,
    match: `name:${name}`,
    arguments: condition,
  })),
  rules: [
    {
      match: "name:order",
      bind: { tenant_id: { claim: "org.tenant" }, region: { const: REGION }, "options.limit": { const: LIMIT } },
    },
    { match: "name:ship", bind: { tenant_id: { claim: "org.tenant" } } },
  ],
  lock: {
    file: "sieve.lock.json",
    content: lockOf(joined(accepted, of(HIDDEN, "as it was reviewed"))),
    changed: "hide",
    new: "refuse",
  },
  upstream: { passHeaders: [TRY] },
};

/** Returns the servers of both kinds. `arrived(id)` returns the requests that arrived for one attempt, once. */
export function servers() {
  const lists = joined(accepted, of(HIDDEN, `${SECRET} changed`), of(REFUSED, `${SECRET} new`));
  const capabilities = { completions: {}, tasks: { requests: { tools: { call: {} } } } };
  const made = {
    stateless: record(simple({ lists, capabilities })),
    sessions: record(simple({ lists, capabilities, sessions: true })),
  };
  return Object.fromEntries(
    Object.entries(made).map(([name, behind]) => {
      const found = new Map();
      const arrived = (id) => {
        for (const request of behind.seen.splice(0)) {
          // A handler gets the header twice: with the headers of the caller, and as one that is passed.
          const [about] = (request.headers[TRY] ?? "none").split(",");
          found.set(about, [...(found.get(about) ?? []), request]);
        }
        const own = found.get(id) ?? [];
        found.delete(id);
        return own;
      };
      return [name, { behind, config, people: PEOPLE, arrived }];
    }),
  );
}
