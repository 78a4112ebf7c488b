// The requests by which a caller looks for what belongs to another tenant.

const search = "/mcp?disclosure=search";
const groups = "/mcp?disclosure=groups";
const tool = (name, args = {}) => ["tools/call", { name, arguments: args }];

/**
 * Requests that every caller sends with the same bytes, as `{method, params, path, mute}`. The reply to all but the mute ones
 * has the marker of the caller's tenant.
 */
export const SAME = [
  ["tools/list", {}],
  ["tools/list", { filter: { query: "private notes" } }],
  ["tools/list", { filter: { namePatterns: ["*"] } }],
  ["tools/list", { filter: { where: "name:notes" } }],
  ["tools/list", { filter: { limit: { count: 1 } } }],
  ["tools/list", { fields: ["title"] }],
  ["resources/list", {}],
  ["resources/list", { filter: { uriPatterns: ["notes://*"] } }],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["prompts/list", { filter: { query: "private notes" } }],
  ["groups/list", { counts: true }],
  ["tags/list", { counts: true }],
  tool("notes"),
  tool("find"),
  ["resources/read", { uri: "notes://today" }],
  ["resources/read", { uri: "page://7" }],
  ["prompts/get", { name: "greet", arguments: {} }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "" } }],
  [...tool("search_tools", { query: "private notes" }), search],
  [...tool("describe_tools", { names: ["notes", "find"] }), search],
  [...tool("call_tool", { name: "notes", arguments: {} }), search],
  [...tool("list_tool_groups"), groups],
]
  .map(([method, params, path]) => ({ method, params, path }))
  .concat(
    [
      ["server/discover", {}],
      ["server/discover", {}, search],
      ["server/discover", {}, groups],
      ["tools/list", {}, search],
      ["tools/list", {}, "/mcp?disclosure=auto"],
      ["listConcerns", { members: true }],
      ["skills/list", {}],
      ["dev.mcpsieve/explain", { name: "notes", kind: "tool", filter: { namePatterns: ["x"] } }],
      ["tools/list", { filter: { query: "no such thing" } }],
    ].map(([method, params, path]) => ({ method, params, path, mute: true })),
  );

/** Requests that name something of another tenant, by its marker, as functions of the marker. */
export const GUESSES = [
  (mark) => ({ method: "tools/call", params: { name: `only_${mark}`, arguments: {} } }),
  (mark) => ({ method: "prompts/get", params: { name: `only_${mark}`, arguments: {} } }),
  (mark) => ({ method: "resources/read", params: { uri: `notes://${mark}` } }),
  (mark) => ({
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: `only_${mark}` }, argument: { name: "who", value: "" } },
  }),
  (mark) => ({ method: "tools/list", params: { filter: { groups: [`group-${mark}`] } } }),
  (mark) => ({ method: "tools/list", params: { filter: { tags: [`tag-${mark}`] } } }),
  (mark) => ({ method: "tools/list", params: { filter: { namePatterns: [`only_${mark}`] } } }),
  (mark) => ({ method: "tools/list", params: { filter: { where: `tag:tag-${mark}` } } }),
  (mark) => ({ method: "tools/list", params: { filter: { query: mark } } }),
  (mark) => ({ method: "resources/list", params: { filter: { uriPatterns: [`notes://${mark}`] } } }),
  (mark) => ({ method: "groups/list", params: { parent: `group-${mark}` } }),
  (mark) => ({ method: "dev.mcpsieve/explain", params: { name: `only_${mark}`, kind: "tool", filter: {} } }),
  (mark) => ({ method: "tools/call", params: { name: "notes", arguments: { [mark]: 7 } } }),
  ...[
    ["search_tools", (mark) => ({ query: mark })],
    ["search_tools", (mark) => ({ query: "notes", group: `group-${mark}` })],
    ["describe_tools", (mark) => ({ names: [`only_${mark}`] })],
    ["call_tool", (mark) => ({ name: `only_${mark}`, arguments: {} })],
    ["call_read_only_tool", (mark) => ({ name: `only_${mark}`, arguments: {} })],
  ].map(([name, args]) => (mark) => ({ method: "tools/call", params: { name, arguments: args(mark) }, path: search })),
  (mark) => ({
    method: "tools/call",
    params: { name: "open_tool_group", arguments: { group: `group-${mark}` } },
    path: groups,
  }),
];

/** Headers that name another caller, as functions of the caller. */
export const NAMING = [
  ["x-sieve-holder", ({ name }) => `principal:${name}`],
  ["x-holder", ({ name }) => name],
  ["x-principal", ({ name }) => name],
  ["x-forwarded-user", ({ name }) => name],
  ["x-tenant", ({ tenant }) => tenant],
  ["x-auth-request-user", ({ name }) => name],
  ["cf-access-authenticated-user-email", ({ name }) => name],
  ["cf-access-jwt-assertion", ({ name }) => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sub: name }))}.`],
  ["cf-connecting-ip", () => "127.0.0.1"],
  ["forwarded", ({ name }) => `for=127.0.0.1;by=${name}`],
  ["cookie", ({ name }) => `sieve-connect=${btoa(JSON.stringify({ holder: `principal:${name}`, until: 9e15 }))}`],
  ["mcp-param-holder", ({ name }) => name],
  ["x-original-url", () => "/connect/home"],
];
