import { Sieve } from "mcp-sieve";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const PREFIX = "io.modelcontextprotocol/";
const REPORT = "dev.mcpsieve/filter";
const LIMITS = { pages: 1000, seconds: 20, rows: 100 };
const KINDS = {
  tools: { method: "tools/list", key: "name", one: "tool", many: "tools" },
  resources: { method: "resources/list", key: "uri", one: "resource", many: "resources" },
  resourceTemplates: { method: "resources/templates/list", key: "uriTemplate", one: "template", many: "templates" },
  prompts: { method: "prompts/list", key: "name", one: "prompt", many: "prompts" },
};
const $ = (id) => document.getElementById(id);
const utf8 = new TextDecoder();

let catalog = null; // what is loaded: {from, url, server, sieve, declared, …}
let view = null; // what is shown of it: {sieve, items, filter, chosen, …}
let state = fresh();
let turn = { abort() {} };

// ---- state and its address ------------------------------------------------

function fresh() {
  return { from: "server", url: "", kind: "tools", groups: [], tags: [], concerns: {}, find: "" };
}

// The same words narrow a server's address and this page's own.
function query({ groups, tags, concerns }) {
  const names = (list) => list.map(encodeURIComponent).join(",");
  return [
    groups.length && `groups=${names(groups)}`,
    tags.length && `tags=${names(tags)}`,
    ...Object.entries(concerns).map(([name, value]) => `concern.${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  ].filter(Boolean).join("&");
}

function toHash(state) {
  const own = ["from", "url", "kind", "find"].filter((key) => state[key] !== fresh()[key]);
  return [...own.map((key) => `${key}=${encodeURIComponent(state[key])}`), query(state)].filter(Boolean).join("&");
}

function fromHash(hash) {
  const read = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const state = fresh();
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const [key, text = ""] = pair.split(/=(.*)/s);
    if (key === "groups" || key === "tags") state[key] = text.split(",").filter(Boolean).map(read);
    else if (key.startsWith("concern.")) state.concerns[read(key.slice(8))] = read(text);
    else if (key === "kind") state.kind = Object.hasOwn(KINDS, text) ? text : state.kind;
    else if (key === "from" || key === "url" || key === "find") state[key] = read(text);
  }
  return state;
}

function asFilter({ groups, tags, concerns }) {
  const filter = {};
  if (groups.length) filter.groups = groups;
  if (tags.length) filter.tags = tags;
  if (Object.keys(concerns).length) filter.concerns = Object.fromEntries(Object.entries(concerns).map(typed));
  return filter;
}

// An address holds text; a concern with a range holds numbers.
function typed([name, text]) {
  const values = catalog?.sieve.concerns.find((concern) => concern.name === name)?.values;
  return [name, !values || Array.isArray(values) || Number.isNaN(Number(text)) ? text : Number(text)];
}

// ---- a server over Streamable HTTP, either era ------------------------------

class Refusal extends Error {
  constructor(message, status, code) {
    super(message);
    Object.assign(this, { status, code });
  }
}

function message(server, method, params = {}) {
  if (server?.modern ?? true) {
    const _meta = { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: {} };
    return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  }
  return { jsonrpc: "2.0", id: 1, method, ...(Object.keys(params).length && { params }) };
}

function headers(server, method) {
  const found = {};
  if (server?.version ?? !server) found["MCP-Protocol-Version"] = server?.version ?? MODERN;
  if (server?.modern ?? true) found["Mcp-Method"] = method;
  if (server?.session) found["Mcp-Session-Id"] = server.session;
  return found;
}

async function ask(server, method, params, signal) {
  const notification = method.startsWith("notifications/");
  const body = { ...message(server, method, params), id: notification ? undefined : ++server.asked };
  const own = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const limit = AbortSignal.timeout(LIMITS.seconds * 1000);
  const ends = AbortSignal.any([signal, limit]);
  const where = new URL(server.url).host;
  const request = { method: "POST", headers: { ...own, ...headers(server, method) }, body: JSON.stringify(body), signal: ends };
  try {
    const response = await fetch(server.url, request);
    server.session ??= server.modern ? undefined : response.headers.get("mcp-session-id") ?? undefined;
    if (notification) return undefined;
    const { error, result } = await answer(response, body.id, where);
    if (error) throw new Refusal(`${where} refuses ${method}: ${error.message} (${error.code})`, response.status, error.code);
    if (Object(result) !== result) throw new Refusal(`${where} answers ${method} without a result`, response.status);
    return result;
  } catch (problem) {
    if (problem instanceof Refusal || signal.aborted) throw problem;
    if (limit.aborted) throw new Refusal(`${where} has not answered ${method} within ${LIMITS.seconds} seconds`, 504);
    throw new Refusal(`No answer from ${where} that this page may read. Either nothing listens there, or the server does ` +
      "not let pages of other origins in (CORS): it has to allow this page’s origin and the headers Mcp-Protocol-Version, " +
      "Mcp-Method and Mcp-Session-Id, and to expose Mcp-Session-Id. A gateway in front of it can do that.");
  }
}

async function answer(response, id, where) {
  const { status } = response;
  if (status === 401 || status === 403) {
    throw new Refusal(`${where} answers ${status}: it wants an authorization that this page does not send`, status);
  }
  const type = response.headers.get("content-type") ?? "no content type";
  if (type.startsWith("text/event-stream")) {
    for await (const data of events(response.body)) {
      const reply = parse(data, where);
      if (reply.id === id && ("result" in reply || "error" in reply)) return reply;
    }
    throw new Refusal(`${where} ended its stream without an answer`, status);
  }
  if (type.startsWith("application/json")) return parse(await response.text(), where);
  throw new Refusal(`${where} answers ${status} with ${type}, which is not MCP`, status);
}

function parse(text, where) {
  try {
    return Object(JSON.parse(text));
  } catch (problem) {
    throw new Refusal(`${where} answers with broken JSON: ${problem.message}`, 502);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "", done = false; !done;) {
      const chunk = await reader.read();
      done = chunk.done;
      rest += done ? "\n\n" : chunk.value;
      if (!done && !/[\r\n]/.test(chunk.value)) continue;
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop();
      for (const block of blocks) {
        const data = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data.trim()) yield data;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function pages(server, method, params, signal) {
  const found = [];
  const seen = new Set();
  for (let cursor; found.length < LIMITS.pages;) {
    found.push(await ask(server, method, cursor === undefined ? params : { ...params, cursor }, signal));
    cursor = found.at(-1).nextCursor;
    if (typeof cursor !== "string") return found;
    if (seen.has(cursor)) throw new Refusal(`${method} repeats the cursor “${cursor}”; its list has no end`);
    seen.add(cursor);
  }
  throw new Refusal(`${method} has more than ${LIMITS.pages} pages`);
}

// A modern request first. What does not know it answers with a plain 4xx (or fails the
// browser's preflight over the new headers); only then is a session opened.
async function connect(url, signal) {
  const server = { url, modern: true, version: MODERN, asked: 0 };
  try {
    const found = await ask(server, "server/discover", {}, signal);
    return Object.assign(server, { capabilities: found.capabilities ?? {}, info: found._meta?.[`${PREFIX}serverInfo`] ?? {} });
  } catch (problem) {
    const recognised = [-32020, -32021, -32022].includes(problem.code) || (problem.code === -32601 && problem.status === 404);
    const older = problem instanceof Refusal && !recognised && ![401, 403, 429].includes(problem.status) && !(problem.status >= 500);
    if (!older) throw problem;
  }
  Object.assign(server, { modern: false, version: undefined });
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "mcp-sieve-page", version: "1" } };
  const found = await ask(server, "initialize", params, signal);
  Object.assign(server, { version: found.protocolVersion, capabilities: found.capabilities ?? {}, info: found.serverInfo ?? {} });
  await ask(server, "notifications/initialized", {}, signal);
  return server;
}

function goodbye(server) {
  if (!server?.session) return;
  fetch(server.url, { method: "DELETE", headers: headers(server) }).catch(() => {});
}

async function readServer(url, signal) {
  const server = await connect(url, signal);
  const { tools, prompts, resources, filtering, extensions = {}, concerns = [] } = server.capabilities;
  const list = async (offered, method) => {
    try {
      return offered ? await pages(server, method, {}, signal) : [];
    } catch (problem) {
      if (problem.code === -32601) return []; // offered, but not that part of it
      throw problem;
    }
  };
  const facets = filtering ?? extensions["dev.mcpsieve/filtering"];
  const [groups, tags, ...lists] = await Promise.all([
    list(facets, "groups/list"), list(facets, "tags/list"), list(tools, "tools/list"), list(prompts, "prompts/list"),
    list(resources, "resources/list"), list(resources, "resources/templates/list"),
  ]);
  const declared = {
    groups: groups.flatMap((page) => page.groups ?? []),
    tags: tags.flatMap((page) => page.tags ?? []),
    concerns: extensions["dev.mcpsieve/concerns"]?.concerns ?? concerns,
  };
  return { server, lists: lists.flat(), declared };
}

// ---- the catalog ------------------------------------------------------------

function readPaste(text) {
  let parts;
  try {
    parts = [JSON.parse(text)].flat().map((part) => part?.result ?? part);
  } catch {
    return { lists: text, declared: {} }; // the engine says what is wrong with it, and where
  }
  const all = (key) => parts.flatMap((part) => (Array.isArray(part?.[key]) ? part[key] : []));
  const declared = { groups: all("groups"), tags: all("tags"), concerns: all("concerns") };
  const holds = (part, keys) => keys.some((key) => part?.[key]);
  const lists = parts.filter((part) => holds(part, Object.keys(KINDS)) || !holds(part, Object.keys(declared)));
  return { lists: lists.length ? lists : parts, declared };
}

// Concerns that nobody declared, from the values that the primitives carry.
function carriedConcerns(lists) {
  const found = new Map();
  const items = [lists].flat().flatMap((part) => Object.keys(KINDS).flatMap((kind) => part?.[kind] ?? []));
  for (const [name, value] of items.flatMap((item) => Object.entries(item?._meta?.concerns ?? {}))) {
    const values = [value].flat().filter((one) => typeof one === "string" || typeof one === "number");
    if (values.length) found.set(name, [...new Set([...(found.get(name) ?? []), ...values])]);
  }
  return [...found].map(([name, values]) => {
    const numbers = values.every((value) => typeof value === "number");
    return { name, values: numbers ? { min: Math.min(...values), max: Math.max(...values) } : values.map(String).sort() };
  });
}

function compile({ lists, declared, server }) {
  const only = (list, ...keys) => (Array.isArray(list) ? list : []).map((entry) =>
    Object.fromEntries(keys.filter((key) => key in Object(entry)).map((key) => [key, entry[key]])));
  const concerns = declared.concerns?.length ? declared.concerns : carriedConcerns(lists);
  const config = {
    groups: only(declared.groups, "name", "title", "description"),
    tags: only(declared.tags, "name", "description"),
    concerns: only(concerns, "name", "description", "values", "ordered", "default"),
  };
  const asks = Boolean(server && declared.concerns?.length); // only the server knows which primitive has which value
  try {
    return { config, asks, sieve: Sieve.compile(lists, config), notes: [] };
  } catch (problem) {
    const sieve = Sieve.compile(lists); // refuses for itself if the lists are the trouble
    return { asks: false, sieve, notes: [`the declared groups, tags and concerns are left out: ${problem.message}`] };
  }
}

function itemsOf(sieve, kind) {
  return sieve.size(kind) ? JSON.parse(utf8.decode(sieve.list(undefined, kind)))[kind] : [];
}

async function load({ from, url }, text, signal) {
  if (from === "url" && !/^https?:\/\/[^/]/i.test(url)) throw new Refusal("The address has to start with http:// or https://");
  if (from === "paste" && !text.trim()) throw new Refusal("Paste the text of a list result first. A link does not carry a pasted catalog.");
  const address = from === "url" ? url : new URL("./mcp", location.href).href;
  const read = from === "paste" ? readPaste(text) : await readServer(address, signal);
  return { from, url, server: read.server, strangers: { groups: new Set(), tags: new Set() }, ...compile(read) };
}

// Groups and tags are this page's work. Concerns of a server are the server's: it is asked
// for the list that they leave, and that list is narrowed further here.
async function look(state, signal) {
  const { kind, concerns } = state;
  const here = catalog;
  here[kind] ??= itemsOf(here.sieve, kind);
  if (!here.asks || !Object.keys(concerns).length) return { sieve: here.sieve, items: here[kind], chosen: asFilter(state) };
  const wanted = asFilter({ groups: [], tags: [], concerns });
  const key = JSON.stringify([kind, wanted]);
  if (here.narrowed?.key !== key) {
    const lists = await pages(here.server, KINDS[kind].method, { filter: wanted }, signal);
    const sieve = Sieve.compile(lists, here.config);
    here.narrowed = { key, sieve, items: itemsOf(sieve, kind), report: lists[0]._meta?.[REPORT] };
  }
  return { ...here.narrowed, asked: wanted.concerns, chosen: asFilter({ ...state, concerns: {} }) };
}

// ---- turns: one change at a time, the latest wins -----------------------------

async function take(next, { text, history = "push", reload = false } = {}) {
  turn.abort();
  const mine = turn = new AbortController();
  const elsewhere = reload || !catalog || catalog.from !== next.from || catalog.url !== next.url;
  let place = elsewhere ? "source-error" : "view-error";
  $("results").ariaBusy = "true";
  if (elsewhere) $("loaded").textContent = "Loading…";
  try {
    if (elsewhere) {
      text ??= kept();
      const loaded = await load(next, text, mine.signal);
      if (mine.signal.aborted) return void (loaded.sieve.free(), goodbye(loaded.server));
      adopt(loaded);
      if (next.from === "paste") keep(text);
      if (reload && !loaded.sieve.size(next.kind)) next.kind = Object.keys(KINDS).find((kind) => loaded.sieve.size(kind)) ?? "tools";
      fail("source-error");
      place = "view-error";
    }
    if (history) window.history[`${history}State`](null, "", `#${toHash(next)}`);
    state = next;
    drawPicker();
    await show(mine.signal);
  } catch (problem) {
    if (!mine.signal.aborted) fail(place, problem);
  } finally {
    if (turn === mine) {
      $("results").ariaBusy = "false";
      $("loaded").textContent = summary();
    }
  }
}

async function show(signal) {
  let seen;
  try {
    seen = await look(state, signal);
    fail("view-error");
  } catch (problem) {
    if (signal.aborted) return;
    fail("view-error", problem, "What is shown below is not narrowed by concerns. ");
    seen = await look({ ...state, concerns: {} }, signal);
  }
  if (!signal.aborted) draw(seen);
}

function adopt(loaded) {
  view?.filter.free();
  catalog?.narrowed?.sieve.free();
  catalog?.sieve.free();
  goodbye(catalog?.server);
  catalog = loaded;
  view = null;
  for (const id of ["picker", "bar", "results"]) $(id).hidden = false;
  const notes = [...loaded.notes, ...loaded.sieve.reports.map(({ kind, name, problem }) => `${kind} ${name}: ${problem}`)];
  const [title, list] = $("notes").children;
  $("notes").hidden = !notes.length;
  title.textContent = notes.length === 1 ? "1 remark on this catalog" : `${notes.length} remarks on this catalog`;
  list.replaceChildren(...notes.slice(0, LIMITS.rows).map((note) => h("li", {}, note)));
}

// A pasted text outlives a reload, not the tab. A full or a forbidden store only costs the reload.
function keep(text) {
  try { sessionStorage.setItem("pasted", text); } catch { /* not kept */ }
}

function kept() {
  try { return sessionStorage.getItem("pasted") ?? ""; } catch { return ""; }
}

function fail(id, problem, lead = "") {
  const at = problem?.at === undefined ? "" : `, at byte ${problem.at}`;
  const code = typeof problem?.code === "string" ? ` (${problem.code}${at})` : "";
  $(id).hidden = !problem;
  $(id).textContent = problem ? `${lead}${problem.message}${code}` : "";
}

// ---- drawing -------------------------------------------------------------------

function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child || child === 0).map((child) => child.nodeType ? child : String(child)));
  return element;
}

const number = (n) => n.toLocaleString("en");
const count = (n, kind) => `${number(n)} ${n === 1 ? KINDS[kind].one : KINDS[kind].many}`;
const quoted = (names, word) => names.map((name) => `“${name}”`).join(` ${word} `);
const wish = (concerns) => Object.entries(concerns).map(([name, value]) => `${name} ${value}`).join(", ");

function summary() {
  if (!catalog) return "No catalog loaded";
  if (!catalog.server) return "Pasted text";
  const { info, url, version } = catalog.server;
  return [[info.title ?? info.name ?? url, info.version].filter(Boolean).join(" "), `MCP ${version}`].join(", ");
}

function choice(type, name, value, label, note) {
  const input = h("input", { type, name, value });
  return h("label", {}, input, h("span", {}, label, note && h("small", {}, note)), type === "checkbox" && h("b", {}));
}

function concernField({ name, description, values }) {
  const field = `concern.${name}`;
  const legend = h("legend", {}, name, description && h("small", {}, description));
  if (Array.isArray(values)) {
    const options = ["", ...values].map((value) => choice("radio", field, value, value || "any"));
    return h("fieldset", {}, legend, h("div", { className: "segments" }, ...options));
  }
  const { min, max, step = "any" } = values;
  const input = h("input", { type: "number", name: field, min, max, step, placeholder: "any" });
  return h("fieldset", {}, legend, h("label", { className: "number" }, input, `${min} to ${max}`));
}

// A name that was chosen but is not in the catalog is offered too, so that it can be unchosen.
function offered(field) {
  const known = catalog.sieve[field];
  const strangers = catalog.strangers[field];
  for (const name of state[field]) if (!known.some((one) => one.name === name)) strangers.add(name);
  return [...known, ...[...strangers].map((name) => ({ name, description: "not in this catalog" }))];
}

function drawPicker() {
  const { sieve } = catalog;
  const [groups, tags, { concerns }] = [offered("groups"), offered("tags"), sieve];
  const shape = JSON.stringify([groups, tags, concerns, sieve.hash]);
  if (drawPicker.shape !== shape) {
    drawPicker.shape = shape;
    const [rows, chips] = ["groups", "tags"].map((id) => $(id).lastElementChild);
    rows.replaceChildren(...groups.map(({ name, title = name, description }) =>
      choice("checkbox", "groups", name, title, description)));
    chips.replaceChildren(...tags.map(({ name }) => choice("checkbox", "tags", name, name)));
    tags.forEach(({ description = "" }, at) => { chips.children[at].control.title = description; });
    $("concerns").replaceChildren(...concerns.map(concernField));
    const kinds = Object.keys(KINDS).filter((kind) => sieve.size(kind) || kind === "tools");
    const named = (kind) => KINDS[kind].many.replace(/^./, (first) => first.toUpperCase());
    $("kinds").replaceChildren(...kinds.map((kind) => choice("radio", "kind", kind, named(kind), number(sieve.size(kind)))));
    $("groups").hidden = !groups.length;
    $("tags").hidden = !tags.length;
    $("no-facets").hidden = groups.length + tags.length + concerns.length > 0;
  }
  for (const input of $("picker").querySelectorAll("input")) {
    const wanted = state.concerns[input.name.replace("concern.", "")] ?? "";
    if (input.type === "checkbox") input.checked = state[input.name].includes(input.value);
    else if (input.type === "radio") input.checked = input.value === wanted;
    else input.value = wanted;
  }
  for (const input of $("kinds").querySelectorAll("input")) input.checked = input.value === state.kind;
  if ($("find").value !== state.find) $("find").value = state.find;
  $("clear").disabled = !query(state);
}

function draw(seen) {
  const { kind, find } = state;
  const { key } = KINDS[kind];
  const filter = seen.sieve.filter(seen.chosen);
  view?.filter.free();
  view = { ...seen, filter };
  const picked = [...view.sieve.select(filter, kind).indices].map((index) => view.items[index]);
  const found = find.trim() ? about(find, filter, picked) : picked;
  const left = new Set(picked.map((item) => item[key]));
  view.hidden = catalog[kind].map((item) => item[key]).filter((name) => !left.has(name));
  drawCount(picked.length, found.length);
  drawFacetCounts();
  drawRequest();
  slices($("list"), $("more"), found, row);
  $("empty").hidden = found.length > 0;
  const total = catalog[kind].length;
  $("empty").textContent = total ? `None of the ${count(total, kind)} is left.` : `This catalog has no ${KINDS[kind].many}.`;
  const hidden = view.hidden.length;
  $("hidden").hidden = !hidden;
  $("hidden").firstElementChild.textContent = `Why ${count(hidden, kind)} ${hidden === 1 ? "is" : "are"} hidden`;
  drawReasons();
}

// What the words are about, the best first; then what has them in its name, as a word that is half typed.
function about(words, filter, picked) {
  const { kind } = state;
  const hits = view.sieve.search(words, { filter, kind, limit: Infinity }).map(({ index }) => view.items[index]);
  const typed = picked.filter((item) => item[KINDS[kind].key].toLowerCase().includes(words.trim().toLowerCase()));
  return [...new Set([...hits, ...typed])];
}

function drawCount(picked, found) {
  const { kind, find } = state;
  const total = catalog[kind].length;
  const rest = ` of ${count(total, kind)}${find.trim() && `, ${number(found)} about “${find.trim()}”`}`;
  // An unchanged line is left alone, or it would be read out again.
  if ($("count").textContent !== number(picked) + rest) $("count").replaceChildren(h("strong", {}, number(picked)), rest);
  Object.assign($("share"), { max: total || 1, value: picked });
  const { ignored = [], matched = view.items.length, total: of = total } = view.report ?? {};
  const served = view.asked && `The server narrows by concerns: it leaves ${number(matched)} of ${count(of, kind)} for ${wish(view.asked)}.`;
  const dropped = [...view.filter.ignored, ...ignored].map(({ field, reason }) => `Ignored: ${field} (${reason}).`);
  const remarks = [served, ...dropped].filter(Boolean);
  $("remark").hidden = !remarks.length;
  $("remark").textContent = remarks.join(" ");
}

// What each group would show, and what each further tag would leave.
function drawFacetCounts() {
  const { groups = [], tags = [] } = view.chosen;
  for (const input of $("picker").querySelectorAll("input[type=checkbox]")) {
    const { name, value, parentElement: label } = input;
    const would = name === "groups" ? { groups: [value] } : { tags: [...new Set([...tags, value])] };
    const n = view.sieve.count({ ...view.chosen, ...would }, state.kind);
    label.lastElementChild.textContent = number(n);
    label.classList.toggle("dim", n === 0 && !groups.includes(value) && !tags.includes(value));
  }
}

function drawRequest() {
  const { server } = catalog;
  const { method } = KINDS[state.kind];
  const address = new URL(server?.url ?? "./mcp", location.href);
  const filter = asFilter(state);
  const sent = Object.entries(headers(server, method)).map((header) => header.join(": "));
  $("address").textContent = [address.href, query(state)].filter(Boolean).join(address.search ? "&" : "?");
  $("request").textContent = pretty(message(server, method, Object.keys(filter).length ? { filter } : {}));
  $("headers").textContent = `POST ${address.pathname}, with ${sent.join(", ")}`;
}

function drawReasons() {
  if (!view || !$("hidden").open) return $("reasons").replaceChildren();
  slices($("reasons"), $("more-hidden"), view.hidden, (name) => h("li", {}, h("code", {}, name), h("span", {}, why(name))));
}

function why(name) {
  const { rule, wanted = [], found = [], concern } = view.sieve.explain(name, view.filter, state.kind).reason ?? {};
  const has = (word, nothing) => (found.length ? `${word} ${quoted(found, "and")}` : nothing);
  const missing = wanted.filter((name) => !found.includes(name));
  if (rule === "groups") return `not in ${quoted(wanted, "or")}; ${has("in", "in no group")}`;
  if (rule === "tags") return `without ${quoted(missing, "and")}; ${has("has", "has no tag")}`;
  if (rule === "concern") return `${concern} is ${quoted(found, "or")}, not ${quoted(wanted, "or")}`;
  if (rule === "unknown" && view.asked) return `left out by the server for ${wish(view.asked)}`;
  return "not in this catalog";
}

// Long lists come in slices: a button brings the next one and hands the focus on to it.
function slices(list, button, items, draw) {
  let next = 0;
  const more = () => {
    const rows = items.slice(next, next + LIMITS.rows).map(draw);
    next += rows.length;
    list.append(...rows);
    button.hidden = next >= items.length;
    button.textContent = `Show ${Math.min(LIMITS.rows, items.length - next)} more of ${(items.length - next).toLocaleString("en")}`;
    return rows[0];
  };
  list.replaceChildren();
  more();
  button.onclick = () => {
    const first = more();
    const target = first?.querySelector("summary") ?? Object.assign(first, { tabIndex: -1 });
    target.focus();
  };
}

const rows = new WeakMap(); // an item keeps its row, and so stays open when the list around it changes

function row(item) {
  if (rows.has(item)) return rows.get(item);
  const name = item[KINDS[state.kind].key];
  const title = item.title ?? item.annotations?.title ?? (item.name === name ? undefined : item.name);
  const head = h("span", { className: "head" }, h("code", {}, name), title && h("span", { className: "title" }, title));
  const what = item.description && h("span", { className: "what" }, item.description);
  const facets = ["groups", "tags"].flatMap((key) => [item[key] ?? item._meta?.[`dev.mcpsieve/${key}`] ?? []].flat()
    .map((one) => h("li", { className: key }, one)));
  const details = h("details", {}, h("summary", {}, head, what));
  details.addEventListener("toggle", () => details.append(
    h("ul", { className: "facets", ariaLabel: "Groups and tags", hidden: !facets.length }, ...facets),
    h("pre", {}, JSON.stringify(item, null, 2))), { once: true });
  const entry = h("li", {}, details);
  rows.set(item, entry);
  return entry;
}

// The request on few lines: what frames it on the first, then each member of each parameter.
function pretty({ params = {}, ...frame }) {
  const line = (part) => {
    if (Array.isArray(part)) return `[${part.map(line).join(", ")}]`;
    return Object(part) === part ? `{${members(part).join(", ")}}` : JSON.stringify(part);
  };
  const members = (object) => Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}: ${line(value)}`);
  const blocks = Object.entries(params).map(([key, value]) => `  "${key}": {\n    ${members(value).join(",\n    ")}}`);
  return blocks.length ? `${line(frame).slice(0, -1)}, "params": {\n${blocks.join(",\n")}}}` : line(frame);
}

// ---- events ----------------------------------------------------------------------

function drawSource(from) {
  for (const part of $("source").querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== from;
  $("source").elements.from.value = from;
}

$("source").addEventListener("change", (event) => { if (event.target.name === "from") drawSource(event.target.value); });
$("source").addEventListener("submit", (event) => {
  event.preventDefault();
  const { from, url, text } = $("source").elements;
  const next = { from: from.value, url: from.value === "url" ? url.value.trim() : "" };
  const again = next.from !== "paste" && next.from === catalog?.from && next.url === catalog.url;
  take({ ...(again ? state : fresh()), ...next }, { text: text.value, reload: true });
});

$("picker").addEventListener("change", () => {
  const chosen = new FormData($("picker"));
  const concerns = [...chosen].filter(([name, value]) => name.startsWith("concern.") && value !== "")
    .map(([name, value]) => [name.slice(8), value]);
  take({ ...state, groups: chosen.getAll("groups"), tags: chosen.getAll("tags"), concerns: Object.fromEntries(concerns) });
});
$("picker").addEventListener("reset", (event) => {
  event.preventDefault();
  take({ ...state, groups: [], tags: [], concerns: {} });
});
$("picker").addEventListener("submit", (event) => event.preventDefault());
$("kinds").addEventListener("change", (event) => take({ ...state, kind: event.target.value }));
$("find").addEventListener("input", (event) => take({ ...state, find: event.target.value }, { history: "replace" }));
$("hidden").addEventListener("toggle", drawReasons);

$("skip").addEventListener("click", (event) => { // the fragment is taken: it holds the state
  event.preventDefault();
  $("results").focus();
});

document.addEventListener("click", async (event) => {
  const id = event.target.dataset?.copy;
  if (!id) return;
  try {
    await navigator.clipboard.writeText($(id).textContent);
    $("said").textContent = `Copied the ${id}`;
    event.target.classList.add("done");
    setTimeout(() => event.target.classList.remove("done"), 1500);
  } catch {
    getSelection().selectAllChildren($(id));
    $("said").textContent = `The browser does not let this page copy; the ${id} is selected instead`;
  }
});

function restore() {
  const next = fromHash(location.hash);
  $("source").elements.url.value = next.url;
  if (next.from === "paste") $("source").elements.text.value = kept();
  drawSource(next.from);
  return take(next, { history: null });
}
window.addEventListener("popstate", restore);
restore();
