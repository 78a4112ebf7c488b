// Requests of an attacker as text: calls with repeated and respelled members, and requests for what the lock hides.
import { NAMES, allowed, forbidden, like, spelled } from "./members.mjs";
import { HIDDEN, REFUSED } from "./world.mjs";

const STATELESS = "2026-07-28";
const PLACES = [HIDDEN, REFUSED];
const CALLERS = ["call_tool", "call_tool", "call_read_only_tool"];

/** Returns a member given once, twice, or once more under another spelling of its key, in a random order. */
function repeated(key, values, random) {
  const members = values.map((value, at) => {
    const name = at > 0 && random.chance(0.5) ? like(key, random) : key;
    return `${spelled(name, random, 0.1)}:${value}`;
  });
  return random.shuffle(members);
}

/** Returns the value of `arguments`: the object, its text, or the object at another place. */
const wrapped = (text, random) =>
  random.chance(0.85)
    ? text
    : random.pick([
        () => JSON.stringify(text),
        () => `[${text}]`,
        () => `{"arguments":${text}}`,
        () => `{"0":${text}}`,
        () => "null",
        () => `{"$ref":"#/params/_meta"}`,
      ])();

const OTHERS = [
  () => `"task":{"ttl":60000}`,
  () => `"task":{}`,
  (bad) => `"input":${bad}`,
  (bad) => `"arguments ":${bad}`,
  (bad) => `"Arguments":${bad}`,
  (bad) => `"\\u0061rguments":${bad}`,
  (bad) => `"requestState":"x","inputResponses":${bad}`,
];

/** Returns the members of a call that tries to pass what narrows `name`. */
function callMembers(name, random) {
  const bad = wrapped(forbidden(name, random), random);
  const good = allowed(name, random);
  const more = random.pick([[good, bad], [bad, good], [good, bad, good], []]);
  const all = random.chance(0.8) ? [bad] : more;
  const names = PLACES.includes(name)
    ? random.pick([[like(name, random)], [name], ["note", name], [name, "note"]])
    : random.chance(0.85)
      ? [name]
      : random.pick([[like(name, random)], ["note", name]]);
  const named = names.map((each) => spelled(each, random, 0.15));
  const members = [...repeated("name", named, random), ...repeated("arguments", all, random)];
  if (random.chance(0.25)) members.push(random.pick(OTHERS)(bad));
  return { members: random.shuffle(members), about: names[0], bad };
}

/** Returns a call of a tool, directly or through the tools of a disclosure. */
function call(random) {
  const name = random.pick(NAMES);
  const { members, about, bad } = callMembers(name, random);
  if (random.chance(0.7)) return { method: "tools/call", members, about, bad, name };
  const caller = random.pick(CALLERS);
  const inner = `{${members.join()}}`;
  const outer = random.pick([[inner], [inner], [JSON.stringify(inner)], [`{"name":"note"}`, inner]]);
  return {
    method: "tools/call",
    members: [`"name":"${caller}"`, ...repeated("arguments", outer, random)],
    about: caller,
    path: "/mcp?disclosure=search",
    bad,
    name,
  };
}

const text = (value) => JSON.stringify(value);
/** Returns a request for what the lock hides or lists by name alone, or for a list. */
function unreviewed(random) {
  const name = like(random.pick(PLACES), random);
  const word = random.pick([name, name.slice(0, -1), "SECRET", "changed", "bound parameter", "*", "region default"]);
  const tool = (called, args) => ({
    method: "tools/call",
    members: [`"name":"${called}"`, `"arguments":${text(args)}`],
    about: called,
    path: "/mcp?disclosure=search",
  });
  const asking = (method, ...members) => ({ method, members, about: name });
  const uri = random.pick([
    `doc://${name}`,
    `DOC://${name}`,
    `doc:///${name}`,
    `doc://note/../${name}`,
    `doc://${name}/7`,
  ]);
  const path = random.pick(["/mcp", "/mcp?disclosure=search", "/mcp?disclosure=outline", "/mcp?disclosure=groups"]);
  const ref = random.pick([
    { type: "ref/prompt", name },
    { type: "ref/resource", uri: `doc://${name}/{id}` },
    { type: "ref/resource", uri },
  ]);
  const about = {
    method: random.pick(["resources/read", "resources/subscribe"]),
    members: [`"uri":${spelled(uri, random)}`],
  };
  return random.pick([
    () => ({ ...asking("tools/list", `"filter":{"namePatterns":[${text(word)}]}`), about: undefined, path }),
    () => ({
      ...asking(`${random.pick(["tools", "prompts", "resources", "resources/templates"])}/list`),
      about: undefined,
      path,
    }),
    () => tool("search_tools", { query: word, limit: 50 }),
    () => tool("describe_tools", { names: random.shuffle([name, random.pick(NAMES), random.pick(NAMES)]) }),
    () => tool("list_tool_groups", {}),
    () => tool("open_tool_group", { group: random.pick(["(ungrouped)", word]) }),
    () => asking("prompts/get", `"name":${spelled(name, random)}`),
    () => asking("prompts/get", ...repeated("name", random.shuffle(['"note"', spelled(name, random)]), random)),
    () => ({ ...about, about: uri }),
    () => ({
      ...asking("completion/complete", `"ref":${text(ref)}`, `"argument":{"name":"a","value":"S"}`),
      about: undefined,
    }),
    () => asking("dev.mcpsieve/explain", `"kind":"tool","name":${text(name)}`),
  ])();
}

const header = (value) => (/^[!-~]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`);
const envelope = (random, bad) => {
  const tasks = random.chance(0.1) ? `"extensions":{"io.modelcontextprotocol/tasks":{}}` : "";
  const more = bad !== undefined && random.chance(0.2) ? `,"arguments":${bad},"amount":5,"tenant_id":"EVIL-own"` : "";
  return `"_meta":{"io.modelcontextprotocol/protocolVersion":"${STATELESS}","io.modelcontextprotocol/clientCapabilities":{${tasks}}${more}}`;
};

/** Returns the message of a request. `isStateless` adds what each request of that revision has. */
function message({ method, members, bad }, id, isStateless, random) {
  const inner = isStateless || random.chance(0.03) ? [...members, envelope(random, bad)] : members;
  const params = [`{${inner.join()}}`];
  // Parameters that are allowed, beside those that are not.
  if (random.chance(0.05)) params.push(`{"name":"note","arguments":{}${isStateless ? `,${envelope(random)}` : ""}}`);
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}",${repeated("params", params, random).join()}}`;
}

const MORE = [
  () => ({ "mcp-param-amount": "5" }),
  () => ({ "mcp-param-amount": "5000" }),
  () => ({ "mcp-param-tenant": "EVIL-own" }),
  () => ({ "mcp-param-tenant_id": "EVIL-own", "mcp-param-region": "EVIL-own" }),
  () => ({ "mcp-name": "note" }),
];
const QUERIES = ["amount=5", "arguments=%7B%7D", "tenant_id=EVIL-own", "name=note"];

/** Returns one random request of a client: `{path, headers, body}`. Some have the id of another one. */
export function request(client, number, random) {
  const made = random.chance(0.8) ? call(random) : unreviewed(random);
  const id = random.chance(0.1) ? 1 : 10 * number;
  const headers = client.isStateless
    ? {
        "mcp-protocol-version": STATELESS,
        "mcp-method": made.method,
        ...(made.about === undefined ? {} : { "mcp-name": header(made.about) }),
      }
    : {};
  if (["mark", "ship"].includes(made.name) || random.chance(0.1)) Object.assign(headers, random.pick(MORE)());
  const alone = message(made, id, client.isStateless, random);
  const others = () =>
    `{"jsonrpc":"2.0","id":${id + 1},"method":"tools/call","params":{"name":"pay","arguments":{"amount":5}}}`;
  const body = client.takesBatches && random.chance(0.5) ? `[${random.shuffle([alone, others()]).join()}]` : alone;
  const path = made.path ?? "/mcp";
  const query = random.chance(0.1) ? `${path.includes("?") ? "&" : "?"}${random.pick(QUERIES)}` : "";
  return { path: path + query, headers, body };
}

/** Draws nothing: a message of it has all members once, in their order. */
const never = { chance: () => false, shuffle: (all) => all };
const plain = (client, method, members, number, more) => ({
  path: "/mcp",
  headers: client.isStateless ? { "mcp-protocol-version": STATELESS, "mcp-method": method, ...more } : {},
  body: message({ method, members }, 10 * number, client.isStateless, never),
});

/** Returns an allowed call, for controls and for races. */
export function allowedCall(client, name, text, number) {
  const more = name === "mark" ? { "mcp-param-amount": String(JSON.parse(text).amount) } : {};
  return plain(client, "tools/call", [`"name":"${name}"`, `"arguments":${text}`], number, {
    "mcp-name": name,
    ...more,
  });
}

/** Returns a request for the list of tools. */
export const listCall = (client, number) => plain(client, "tools/list", [], number);
