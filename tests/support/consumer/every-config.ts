// A configuration with every section, and one slip in each; it is checked, not run.
import type {
  Auth,
  Check,
  Config,
  Expression,
  FilteringFeatures,
  Limits,
  MiddlewareConfig,
  Policy,
  Preset,
  Rule,
  TasksConfig,
  Upstream,
} from "mcp-sieve";
import { gateway, type HandlerConfig } from "mcp-sieve/handler";

const auth: Auth = {
  issuer: "https://login.example",
  audience: ["https://mcp.example/mcp"],
  jwks: { kv: "keys" },
  scopes: ["tools"],
  clockSkew: 5,
};
const issuers: Auth[] = [
  auth,
  {
    issuer: "https://judge.example",
    audience: ["https://mcp.example/mcp"],
    introspection: { url: "https://judge.example/introspect", client: { id: "gateway", secret: "${SECRET}" } },
    client: { id: "browser" },
  },
  {
    issuer: "https://team.cloudflareaccess.com",
    audience: ["app"],
    jwks: "https://team.cloudflareaccess.com/cdn-cgi/access/certs",
    header: "Cf-Access-Jwt-Assertion",
  },
];
const check: Check = { name: "staff", require: "claim.role:staff", message: "Sign in with a staff account." };
const limits: Limits = { rate: { requests: 120, seconds: 60 }, concurrent: 8 };
const middleware: MiddlewareConfig = {
  functions: ["pii_redaction"],
  chains: [
    {
      on: ["tools/call"],
      request: ["pii_redaction"],
      response: { steps: [{ use: "pii_restoration", failOpen: true }], last: 2 },
    },
  ],
};
const policy: Policy = { name: "internal", show: { not: { tag: "internal" } }, kinds: ["tool"], failOpen: true };
const preset: Preset = {
  name: "readers",
  when: "claim.role:reader",
  filter: { tags: ["read"], not: { groups: ["admin"] } },
};
const rule: Rule = {
  match: { all: [{ "annotation.readOnlyHint": true }, { priority: { ">=": 0.5 } }] },
  groups: ["a"],
  pin: true,
  name: null,
};
const tasks: TasksConfig = {
  filter: { status: true, createdAt: { before: true }, order: { by: ["createdAt"], direction: ["desc"] } },
};
const filtering: FilteringFeatures = { explain: true };
const upstream: Upstream = {
  url: "https://a.example/mcp",
  headers: { Authorization: "Bearer ${TOKEN}" },
  unlisted: null,
};
export const everything: Config = {
  $schema: "./sieve.schema.json",
  server: { name: "shop", title: null },
  groups: [{ name: "a", parent: null, concerns: { cost: [1, 2] } }],
  tags: [{ name: "b" }],
  concerns: [
    { name: "cost", values: { min: 0, max: 9, step: 1 }, default: 1 },
    { name: "risk", values: ["low", "high"], ordered: true },
  ],
  rules: [rule],
  checks: [check],
  policies: [policy],
  presets: [preset],
  exposeConcerns: true,
  onInvalidConcern: "error",
  filtering,
  tasks,
  pageSize: 50,
  enforce: true,
  origins: ["*"],
  hosts: ["mcp.example"],
  auth,
  limits,
  log: true,
  audit: "all",
  upstream,
  middleware,
};
// What is written once and never changed may be read-only to the last member.
export const constant = {
  rules: [{ match: "name:*", tags: ["a"] }],
  presets: [preset],
  upstreams: [{ name: "a", url: "https://a.example/mcp" }],
} as const satisfies Config;

// @ts-expect-error a section
({ rule: [] }) satisfies Config;
// @ts-expect-error a member of `server`
({ server: { nam: "shop" } }) satisfies Config;
// @ts-expect-error a member of a group
({ groups: [{ name: "a", parents: "b" }] }) satisfies Config;
// @ts-expect-error a member of a tag
({ tags: [{ name: "a", descripton: "b" }] }) satisfies Config;
// @ts-expect-error a member of a concern
({ concerns: [{ name: "cost", values: ["low"], order: true }] }) satisfies Config;
// @ts-expect-error a member of a concern's range
({ concerns: [{ name: "cost", values: { min: 0, max: 1, steps: 1 } }] }) satisfies Config;
// @ts-expect-error a member of a rule
({ rules: [{ match: "name:*", group: ["a"] }] }) satisfies Config;
// @ts-expect-error a member of a check
({ checks: [{ nam: "a", require: "claim.sub:*", message: "no" }] }) satisfies Config;
// @ts-expect-error a check without its message
({ checks: [{ name: "a", require: "claim.sub:*" }] }) satisfies Config;
// @ts-expect-error a member of a policy
({ policies: [{ name: "a", show: "tag:b", failOpened: true }] }) satisfies Config;
// @ts-expect-error a kind
({ policies: [{ name: "a", show: "tag:b", kinds: ["tools"] }] }) satisfies Config;
// @ts-expect-error a member of a preset's filter: it has no limit
({ presets: [{ name: "a", filter: { limit: { count: 1 } } }] }) satisfies Config;
// @ts-expect-error a value of `onInvalidConcern`
({ onInvalidConcern: "refuse" }) satisfies Config;
// @ts-expect-error a value of `audit`
({ audit: "calls" }) satisfies Config;
// @ts-expect-error a member of `filtering`
({ filtering: { explains: true } }) satisfies Config;
// @ts-expect-error a member of `tasks`
({ tasks: { filters: {} } }) satisfies Config;
// @ts-expect-error a bound of a time
({ tasks: { filter: { createdAt: { since: true } } } }) satisfies Config;
({ auth: issuers }) satisfies Config;

// @ts-expect-error a member of `auth`
({ auth: { issuer: "https://a.example", audience: ["b"], jwk: "https://a.example/keys" } }) satisfies Config;
// @ts-expect-error where the keys are
({ auth: { issuer: "https://a.example", audience: ["b"], jwks: { file: "keys" } } }) satisfies Config;
// @ts-expect-error a member of `limits`
({ limits: { rat: { requests: 1 } } }) satisfies Config;
// @ts-expect-error a member of a rate
({ limits: { rate: { request: 1 } } }) satisfies Config;
// @ts-expect-error a member of `upstream`
({ upstream: { uri: "https://a.example/mcp" } }) satisfies Config;
// @ts-expect-error each of several servers has a name
({ upstreams: [{ url: "https://a.example/mcp" }] }) satisfies Config;
// @ts-expect-error a member of `middleware`
({ middleware: { function: [] } }) satisfies Config;
// @ts-expect-error a method whose calls a chain takes
({ middleware: { chains: [{ on: ["tools/list"] }] } }) satisfies Config;
// @ts-expect-error a member of a step
({ middleware: { chains: [{ on: ["tools/call"], request: [{ use: "a", mod: "audit" }] }] } }) satisfies Config;
// @ts-expect-error a term of an expression
({ gruop: "a" }) satisfies Expression;
// @ts-expect-error a prefix of a term
({ "annotations.readOnlyHint": true }) satisfies Expression;
// @ts-expect-error an operator
({ priority: { "=>": 0.5 } }) satisfies Expression;

const handler = () => new Response();
gateway(handler, {
  rules: [rule],
  checks: [check],
  policies: [policy],
  presets: [preset],
  upstream: { name: "shop", callTimeoutMs: 1000 },
} satisfies HandlerConfig);
// @ts-expect-error a wrapped handler has `identify` instead
gateway(handler, { auth });
// @ts-expect-error nothing counts requests before a handler
gateway(handler, { limits });
// @ts-expect-error no context passes here
gateway(handler, { middleware });
// @ts-expect-error the handler's tasks stay its own
gateway(handler, { tasks });
// @ts-expect-error the handler is the server
gateway(handler, { upstreams: [{ name: "a", url: "https://a.example/mcp" }] });
// @ts-expect-error the handler has no address
gateway(handler, { upstream: { url: "https://a.example/mcp" } });
