// Response times of requests for hidden names and for names that do not exist, by which a caller could distinguish
// them. `startTimed` starts the Worker with both kinds of names, `sampleTimes` measures, `auc` compares.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { taskClient, tokens, EXTENSION } from "./tasks.mjs";
import { startWorkers } from "./workerd.mjs";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const BATCH = "2025-03-26";
const META = "io.modelcontextprotocol";
/**
 * Number of hidden names of each kind, and of visible ones. With many names, the cost of a single one averages out, and
 * a search that stops at the first hidden name shows.
 */
const NAMES = 300;
/** Number of presets, and of other callers' tasks. */
const FEW = 12;
/** Number of subscriptions for each class of names. A session may subscribe to 256 resources. */
const SUBSCRIBED = 100;
const WARM_ROUNDS = 10;

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
/** Returns a missing name of the same length and form: letters and digits after the scheme of a URI are replaced. */
export function missingName(name) {
  const [, scheme, rest] = /^(\w+:\/\/)?(.*)$/.exec(name);
  const another = rest.replaceAll(/\{.*?\}|[a-z]|[A-Z]|\d/g, (part) => {
    if (part.length > 1) return part;
    if (digits.includes(part)) return digits[randomInt(digits.length)];
    const letter = letters[randomInt(letters.length)];
    return part === part.toUpperCase() ? letter.toUpperCase() : letter;
  });
  return (scheme ?? "") + another;
}

const madeUp = (form, count = NAMES) => Array.from({ length: count }, () => missingName(form));
/** Returns hidden names that begin in turn with `P`, hidden by a policy, and `R`, hidden by a rule. */
const hiddenNames = (form) => madeUp(form).map((name, at) => name.replace(/[A-Z]/, "PR"[at % 2]));

/** Returns the lists of a server: the hidden names, and as many visible ones of the same length. */
function catalogOf(hidden) {
  const all = (kind, form) => [...hidden[kind], ...madeUp(form)];
  return {
    tools: all("tools", "tool_abcdefgh").map((name) => ({ name, inputSchema: { type: "object" } })),
    prompts: all("prompts", "prompt_abcdefgh").map((name) => ({ name })),
    resources: all("resources", "doc://abcdefgh").map((uri) => ({ uri, name: uri })),
    resourceTemplates: all("templates", "page://abcdefgh/{id}").map((uriTemplate) => ({
      uriTemplate,
      name: uriTemplate,
    })),
  };
}

/**
 * Starts a stateless MCP server that lists a catalog, and answers everything else with an error after `delay`
 * milliseconds.
 */
async function startListing(lists, delay) {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const listed = { ttlMs: 600_000, cacheScope: "public" };
  const results = {
    "server/discover": { ...listed, supportedVersions: [MODERN], capabilities },
    "tools/list": { ...listed, tools: lists.tools },
    "prompts/list": { ...listed, prompts: lists.prompts },
    "resources/list": { ...listed, resources: lists.resources },
    "resources/templates/list": { ...listed, resourceTemplates: lists.resourceTemplates },
  };
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const result = results[method] && { resultType: "complete", ...results[method] };
    const error = { code: -32602, message: `Resource not found: ${params?.uri}`, data: { uri: params?.uri } };
    if (!result) await sleep(delay);
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns a stateless request: `path`, `headers`, `body`. */
function modern(method, params, { path = "/mcp", about, capabilities = {}, headers = {} } = {}) {
  const _meta = { [`${META}/protocolVersion`]: MODERN, [`${META}/clientCapabilities`]: capabilities };
  const named = about === undefined ? {} : { "mcp-name": about };
  return {
    path,
    headers: { "mcp-protocol-version": MODERN, "mcp-method": method, ...named, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  };
}

/** Returns a function that returns requests of a session in the same form. */
const inSession =
  (session) =>
  (method, params, { path = "/mcp", headers = {}, task } = {}) => ({
    path,
    headers: { ...session, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, ...(task ? { task: {} } : {}) } }),
  });

function send(agent, base, { path, headers, body }) {
  return new Promise((done, fail) => {
    const all = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": Buffer.byteLength(body),
      ...headers,
    };
    const request = http.request(`${base}${path}`, { method: "POST", agent, headers: all }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk)).on("error", fail);
      response.on("end", () =>
        done({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", fail).end(body);
  });
}

async function openSession(agent, base, version, capabilities = {}) {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "timing", version: "1" } };
  const { headers } = await send(agent, base, {
    path: "/mcp",
    headers: {},
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  return { "mcp-session-id": headers["mcp-session-id"], "mcp-protocol-version": version };
}

const reference = (type, key) => (id) => ({ ref: { type, [key]: id }, argument: { name: "a", value: "" } });

/** Returns name → function from an id to a request, for every method with a name as a parameter. */
function requestsOf(era, ask) {
  const named = (method, params, more) => (id) => ask(method, params(id), { about: id, ...more });
  const tasks = { capabilities: { extensions: { [EXTENSION]: {} } }, task: true };
  const discover = (tool, args) => (name) =>
    ask("tools/call", { name: tool, arguments: args(name) }, { path: "/mcp?disclosure=search", about: tool });
  const complete = (type, key) => (id) => ask("completion/complete", reference(type, key)(id));
  const initialize = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "timing", version: "1" } };
  return {
    tools: {
      "tools/call": named("tools/call", (name) => ({ name })),
      "tools/call as a task": named("tools/call", (name) => ({ name }), tasks),
      // A group without tools, because otherwise the letters of a name decide which tools are similar to it.
      search_tools: discover("search_tools", (name) => ({ query: name, group: "none" })),
      call_tool: discover("call_tool", (name) => ({ name })),
      "X-MCP-Tools": (name) => ask("tools/list", {}, { headers: { "x-mcp-tools": name } }),
      "X-MCP-Exclude-Tools": (name) => ask("tools/list", {}, { headers: { "x-mcp-exclude-tools": name } }),
    },
    prompts: {
      "prompts/get": named("prompts/get", (name) => ({ name })),
      "completion/complete, prompt": complete("ref/prompt", "name"),
    },
    templates: { "completion/complete, template": complete("ref/resource", "uri") },
    resources: {
      "resources/read": named("resources/read", (uri) => ({ uri })),
      ...(era === LEGACY ? { "resources/subscribe": (uri) => ask("resources/subscribe", { uri }) } : {}),
    },
    presets: {
      "a preset's path": (name) =>
        era === LEGACY
          ? { ...ask("initialize", initialize, { path: `/mcp/${name}` }), headers: {} }
          : ask("tools/list", {}, { path: `/mcp/${name}` }),
    },
    tasks: { "tasks/get": named("tasks/get", (taskId) => ({ taskId }), tasks) },
  };
}

/** Returns the cases of one service: each has a name, its world, and pairs of requests, the first for a hidden name. */
async function casesOf(world, base, ids, agent) {
  const cases = [];
  const session = await openSession(agent, base, LEGACY);
  for (const [era, ask] of [
    [MODERN, modern],
    [LEGACY, inSession(session)],
  ]) {
    for (const [kind, methods] of Object.entries(requestsOf(era, ask))) {
      for (const [method, request] of Object.entries(methods)) {
        const most = method === "resources/subscribe" ? SUBSCRIBED : NAMES;
        const pairs = (ids[kind] ?? []).slice(0, most).map(({ hidden, missing }) => ({
          hidden: request(hidden),
          missing: request(missing),
          ids: [hidden, missing],
        }));
        if (pairs.length > 0) cases.push({ world, base, era, method, pairs });
      }
    }
  }
  // Both classes of the control are names that do not exist.
  const control = cases.find(({ method }) => method === "tools/call");
  const never = control.pairs.map(({ ids: [, id] }) => {
    const [hidden, missing] = [missingName(id), missingName(id)];
    const about = (name) => modern("tools/call", { name }, { about: name });
    return { hidden: about(hidden), missing: about(missing), ids: [hidden, missing] };
  });
  cases.push({ ...control, method: "control: neither exists", pairs: never });
  const batch = inSession(await openSession(agent, base, BATCH));
  const several = (name) => {
    const { body, ...rest } = batch("tools/call", { name });
    return { ...rest, body: `[${body}]` };
  };
  cases.push({
    world,
    base,
    era: BATCH,
    method: "batch of tools/call",
    pairs: ids.tools.map(({ hidden, missing }) => ({
      hidden: several(hidden),
      missing: several(missing),
      ids: [hidden, missing],
    })),
  });
  return cases;
}

/** What depends on the text of the request: hashes, counted ids, and the visible tool with the most similar name. */
const CHOSEN = /"filterHash":"[^"]*"|^id: .*$| \(did you mean `[^`]*`\?\)/gm;

/** Returns a reply without the name in the request and what else depends on its text. */
const masked = ({ status, headers, text }, id) =>
  `${status} ${headers["content-type"]} ${text.replaceAll(id, "NAME").replaceAll(CHOSEN, "")}`;

/**
 * Starts the Worker with its own tracker and in front of a server, with hidden names of every kind. A policy hides half
 * of them, and a rule the others. Resolves with the cases to sample and `stop`. Throws if the reply for a hidden name
 * differs from that for a missing one, regardless of time.
 */
export async function startTimed({ delay = 2 } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const pair = (id) => ({ hidden: id, missing: missingName(id) });
  const presets = madeUp("preset-abcdefgh", FEW);
  const hiddenPresets = presets.map((name) => ({ name, when: "claim.role:ops", filter: { where: "kind:*" } }));
  const hide = (byPolicy, byRule) => ({
    policies: [
      { name: "hidden", show: byPolicy.map((pattern) => `-name:${pattern} and -uri:${pattern}`).join(" and ") },
    ],
    rules: byRule.map((pattern) => ({ match: `name:${pattern} or uri:${pattern}`, hide: true })),
    presets: hiddenPresets,
  });
  const made = {
    tools: hiddenNames("tool_Abcdefgh"),
    prompts: hiddenNames("prompt_Abcdefgh"),
    resources: hiddenNames("doc://Abcdefgh"),
    templates: hiddenNames("page://Abcdefgh/{id}"),
  };
  const own = {
    tools: [
      "create_issue",
      "get_issue",
      "list_issues",
      "search_issues",
      "close_issue",
      "list_labels",
      "create_note",
      "search_notes",
    ],
    prompts: ["triage_issue", "weekly_plan"],
    resources: ["tracker://limits", "tracker://agenda"],
  };
  const alternate = (rest) =>
    Object.values(own)
      .flat()
      .filter((_, at) => at % 2 === rest)
      .map((name) => `"${name}"`);
  const behind = await startListing(catalogOf(made), delay);
  const env = { SIEVE_TOKENS: tokens("alice") };
  const workers = await startWorkers([
    { name: "tracker", config: hide(alternate(0), alternate(1)), env, assets: "none" },
    { name: "gateway", config: hide(["*_P*", "*//P*"], ["*_R*", "*//R*"]), env, upstream: behind.url, assets: "none" },
  ]);
  const stop = async () => {
    agent.destroy();
    await workers.stop();
    behind.stop();
  };
  try {
    const alice = taskClient(`${workers.urls.tracker}/mcp`, "alice");
    const tasks = [];
    while (tasks.length < FEW) tasks.push((await alice.call("report_issues", { batch: 3 })).taskId);
    const pairs = (ids) => Object.fromEntries(Object.entries(ids).map(([kind, of]) => [kind, of.map(pair)]));
    const cases = [
      ...(await casesOf("tracker", workers.urls.tracker, pairs({ ...own, presets, tasks }), agent)),
      ...(await casesOf("gateway", workers.urls.gateway, pairs({ ...made, presets }), agent)),
    ];
    for (const { method, era, world, base, pairs } of cases) {
      for (const { hidden, missing, ids } of pairs.slice(0, FEW)) {
        const [one, other] = [
          masked(await send(agent, base, hidden), ids[0]),
          masked(await send(agent, base, missing), ids[1]),
        ];
        if (one !== other) throw new Error(`${world}, ${era} ${method}: ${one} is not ${other}`);
      }
    }
    return { cases, agent, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function shuffled(list) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}

/**
 * Measures the milliseconds of `samples` requests of either class of each case, in random order, so that a slowdown of
 * the machine affects all. `gap` is the pause between two requests, in milliseconds. Resolves with the cases, each with
 * `hidden` and `missing`.
 */
export async function sampleTimes({ cases, agent }, samples, gap = 0) {
  const times = cases.map(() => ({ hidden: [], missing: [] }));
  for (let round = -WARM_ROUNDS; round < samples; round += 1) {
    const turns = shuffled(cases.flatMap((one, at) => ["hidden", "missing"].map((kind) => ({ one, at, kind }))));
    for (const { one, at, kind } of turns) {
      const request = one.pairs[randomInt(one.pairs.length)][kind];
      if (gap > 0) await sleep(gap);
      const began = performance.now();
      await send(agent, one.base, request);
      if (round >= 0) times[at][kind].push(performance.now() - began);
    }
  }
  return cases.map(({ world, era, method }, at) => ({ world, era, method, ...times[at] }));
}

/**
 * Returns the probability that a value of `one` is larger than one of `other` (Mann-Whitney): 0.5 if they cannot be
 * distinguished.
 */
export function auc(one, other) {
  const all = [...one.map((value) => ({ value, ours: true })), ...other.map((value) => ({ value, ours: false }))].sort(
    (a, b) => a.value - b.value,
  );
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to].value === all[from].value) to += 1;
    // Equal values share their ranks.
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at += 1) if (all[at].ours) ranks += rank;
    from = to;
  }
  return (ranks - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
}

/** Returns the middle 95 % of `auc` over samples redrawn from both (bootstrap). */
export function aucInterval(one, other, rounds = 500) {
  const again = (values) => values.map(() => values[randomInt(values.length)]);
  const found = Array.from({ length: rounds }, () => auc(again(one), again(other))).sort((a, b) => a - b);
  return [found[Math.floor(rounds * 0.025)], found[Math.ceil(rounds * 0.975) - 1]];
}
