// @ts-check
// The page: one state, one catalog, one picker. Each change is a turn, and the latest wins.
import { Preferences } from "mcp-sieve/init";
import "mcp-sieve/picker";
import { load, serversOf } from "./catalog.js";
import "./copy.js";
import { $, h, number } from "./dom.js";
import { KINDS } from "./kinds.js";
import { goodbye } from "./server.js";
import { claude, codex, cursor, vscode } from "./editors.js";
import { NEED_URL, SNIPPETS, addressOf, requestOf, snippet } from "./snippets.js";
import { fresh, fromHash, query, toHash, unspelt } from "./state.js";
import { keepToken, takeToken } from "./tokens.js";

const MOST_NOTES = 100;
const UNAUTHORIZED = 401;
/** What is said of the catalog while the form shows another source than that of the list. */
const NOT_LOADED = "Not loaded yet";
/** The `history.state` of an entry whose address spells the whole choice, even if that is no filter. */
const WHOLE = "whole";
const picker = $("picker");
const source = $("source");

let catalog = null; // what is loaded: {from, url, sample, server, sieve, notes}
let state = fresh();
let turn = { abort() {} };

// ---- turns --------------------------------------------------------------------

/**
 * @param {any} next
 * @param {{ text?: string, history?: "push" | "replace" | null, reload?: boolean }} [options]
 */
async function take(next, { text, history = "push", reload = false } = {}) {
  turn.abort();
  const mine = (turn = new AbortController());
  const elsewhere = reload || !catalog || ["from", "url", "sample"].some((key) => catalog[key] !== next[key]);
  $("results").ariaBusy = "true";
  if (elsewhere) $("loaded").textContent = "Loading…";
  try {
    if (elsewhere) {
      text ??= kept();
      const loaded = await load(next, text, mine.signal);
      if (mine.signal.aborted) {
        loaded.sieve.free();
        leave(loaded);
        return;
      }
      if (reload && !loaded.sieve.count({ kind: next.kind }))
        next.kind = Object.keys(KINDS).find((kind) => loaded.sieve.count({ kind })) ?? "tools";
      adopt(loaded, next.kind);
      $("access").hidden = next.from !== "url";
      if (next.from === "paste") keep(text);
    }
    // The catalog is adopted by now: without this filter the page goes on with all of it.
    let unread;
    try {
      if (next.spelt) next.filter = spelt(next.spelt);
    } catch (problem) {
      unread = problem;
      next.filter = {};
    }
    delete next.spelt;
    picker.kind = next.kind;
    const begins = next.filter === undefined;
    if (begins && !elsewhere) begin();
    else if (!begins && JSON.stringify(picker.filter) !== JSON.stringify(next.filter)) picker.filter = next.filter;
    next.filter = picker.filter; // with what is off and at hand
    fail(unread);
    const address = `#${toHash(next)}`;
    if (history) window.history[`${history}State`](WHOLE, "", address);
    else window.history.replaceState(WHOLE, "", begins && query(next.filter) ? address : undefined);
    state = next;
    draw();
  } catch (problem) {
    if (!mine.signal.aborted) fail(problem);
  } finally {
    if (turn === mine) {
      $("results").ariaBusy = "false";
      drawLoaded();
      $("waiting").hidden = Boolean(catalog);
      $("results").hidden = !catalog;
    }
  }
}

/** The filter that an address spells, if it spells one. */
function spelt(text) {
  const filter = catalog.sieve.filter(new URLSearchParams(text));
  const { applied } = filter;
  filter.free();
  return Object.keys(applied).length > 0 ? applied : undefined;
}

/** Begins the choice anew, with what is stored. */
function begin() {
  const { preferences } = picker;
  picker.filter = {};
  picker.preferences = preferences; // applies them
}

/** Ends the sessions at the servers of what was loaded. */
function leave({ server, servers = [server] }) {
  servers.forEach(goodbye);
}

function adopt(loaded, kind) {
  if (catalog) picker.sieve = undefined; // what is off at one server is not at another
  picker.kind = kind; // before there is anything to draw
  if (catalog) picker.filter = {};
  picker.preferences = new Preferences(
    loaded.server?.url ?? `${loaded.from} ${loaded.sample}${loaded.servers ? loaded.url : ""}`,
  );
  picker.sieve = loaded.sieve;
  catalog?.sieve.free();
  if (catalog) leave(catalog);
  catalog = loaded;
  $("request").hidden = false;
  const notes = [
    ...loaded.notes,
    ...loaded.sieve.reports.map(({ kind, name, problem }) => `${kind} ${name}: ${problem}`),
  ];
  const [title, list] = $("notes").children;
  $("notes").hidden = !notes.length;
  title.textContent = notes.length === 1 ? "1 remark on this catalog" : `${notes.length} remarks on this catalog`;
  list.replaceChildren(...notes.slice(0, MOST_NOTES).map((note) => h("li", {}, note)));
  const kinds = Object.keys(KINDS).filter((kind) => loaded.sieve.count({ kind }) || kind === "tools");
  const named = (kind) => KINDS[kind].many.replace(/^./, (first) => first.toUpperCase());
  $("kinds").replaceChildren(
    ...kinds.map((kind) => choice("kind", kind, named(kind), number(loaded.sieve.count({ kind })))),
  );
}

/** Keeps the token that was entered for these servers, and empties its field: it is no token for the next ones. */
function keepTokens(servers) {
  const field = $("token");
  if (field.value.trim() !== "") keepToken(servers, field.value.trim());
  field.value = "";
}

// A pasted text outlives a reload, not the tab. A full or a forbidden store only costs the reload.
function keep(text) {
  try {
    sessionStorage.setItem("pasted", text);
  } catch {
    /* not kept */
  }
}

function kept() {
  try {
    return sessionStorage.getItem("pasted") ?? "";
  } catch {
    return "";
  }
}

/** A server that needs a token leads to its field, wherever the catalog comes from. */
function askForToken(problem) {
  if (problem?.status !== UNAUTHORIZED) return;
  $("access").hidden = false;
  $("token").focus();
}

function fail(problem) {
  const at = problem?.at === undefined ? "" : `, at byte ${problem.at}`;
  const code = typeof problem?.code === "string" ? ` (${problem.code}${at})` : "";
  $("source-error").hidden = !problem;
  $("source-error").textContent = problem ? `${problem.message}${code}` : "";
  askForToken(problem);
}

// ---- drawing ------------------------------------------------------------------

function summary() {
  if (!catalog) return "No catalog loaded";
  if (catalog.from === "paste") return "Pasted text";
  if (catalog.from === "sample")
    return catalog.sample
      .split(",")
      .map((name) => `Sample “${name}”`)
      .join(", ");
  return (catalog.servers ?? [catalog.server]).map(titleOf).join("; ");
}

function titleOf({ info, url, version }) {
  return [[info.title ?? info.name ?? url, info.version].filter(Boolean).join(" "), `MCP ${version}`].join(", ");
}

function choice(name, value, label, note) {
  return h("label", {}, h("input", { type: "radio", name, value }), h("span", {}, label, note && h("small", {}, note)));
}

function draw() {
  const { kind, filter } = state;
  for (const input of $("kinds").querySelectorAll("input")) input.checked = input.value === kind;
  const asked = picker.sieve.filter(filter);
  const ignored = asked.ignored.map(({ field, reason }) => `Ignored: ${field} (${reason}).`);
  ignored.push(...asked.unknown.map(({ field, reason }) => `Matches nothing: ${field} (${reason}).`));
  asked.free();
  // Groups below others, or below their servers, are a tree: lines.
  picker.classList.toggle(
    "flat",
    picker.picker.groups.every(({ level }) => level === 0),
  );
  say("count", picker.labels.selected(picker.picker.summary, picker.kindWords));
  $("remark").hidden = !ignored.length;
  say("remark", ignored.join(" "));
  const address = addressOf(catalog.server, filter, $("disclosure").value);
  say("address", address);
  const lost = unspelt(filter).map((value) => `“${value}”`);
  $("unspelt").hidden = !lost.length;
  say(
    "unspelt",
    lost.length
      ? `The URL cannot hold ${lost.join(", ")}: a comma separates values there. It leaves this part out.`
      : "",
  );
  // A client cannot connect to a pasted text, or to several servers by one URL.
  const connects = Boolean(catalog.server);
  for (const id of ["copy-url", "by-url", "claude", "codex"]) $(id).hidden = !connects;
  $("no-url").hidden = connects;
  say("command", claude(catalog.server, address));
  say("codex-command", codex(catalog.server, address));
  $("vscode").href = vscode(catalog.server, address);
  $("cursor").href = cursor(catalog.server, address);
  const shown = $("snippets").querySelector(":checked").value;
  say("snippet", snippet(shown, { server: catalog.server, kind, filter }));
  const lacks = !connects && NEED_URL.includes(shown);
  for (const part of [$("snippet"), $("snippet-copy")]) part.hidden = lacks;
  $("no-snippet").hidden = !lacks;
  $("more").href = `./more.html#${new URLSearchParams(requestOf({ server: catalog.server, kind, filter }))}`;
}

// An unchanged line is left alone, or it would be read out again.
function say(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

// ---- events -------------------------------------------------------------------

function drawSource(from) {
  for (const part of source.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== from;
  source.elements.from.value = from;
  $("access").hidden = from !== "url";
  drawLoaded();
}

function drawLoaded() {
  $("loaded").textContent = !catalog || catalog.from === source.elements.from.value ? summary() : NOT_LOADED;
}

source.addEventListener("change", (event) => {
  if (event.target.name !== "from") return;
  fail(); // what was wrong was wrong with another
  drawSource(event.target.value);
});
// An address that is typed ends with Enter. Shift and Enter make a line for another.
$("url").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  source.requestSubmit();
});
source.addEventListener("submit", (event) => {
  event.preventDefault();
  const { from, url, sample, text } = source.elements;
  const next = {
    from: from.value,
    url: from.value === "url" ? url.value.trim() : "",
    sample: from.value === "sample" ? sample.value : "",
  };
  keepTokens(serversOf(next));
  const again =
    next.from !== "paste" && catalog && Object.entries(next).every(([key, value]) => catalog[key] === value);
  take({ ...(again ? state : fresh()), ...next }, { text: text.value, reload: true });
});
picker.addEventListener("change", ({ detail }) => {
  // The picker reports the stored preferences that it began with, which the state has already.
  if (JSON.stringify(detail.filter) === JSON.stringify(state.filter)) draw();
  else take({ ...state, filter: detail.filter });
});
$("try").addEventListener("click", async () => {
  // The page has no server, or its server does not answer.
  drawSource("sample");
  await take({ ...fresh(), from: "sample", sample: source.elements.sample.value });
  $("results").focus();
});
$("kinds").addEventListener("change", (event) => take({ ...state, kind: event.target.value }));
$("snippets").addEventListener("change", draw);
$("disclosure").addEventListener("change", draw);
$("snippets").append(...Object.entries(SNIPPETS).map(([value, label]) => choice("snippet", value, label)));
$("snippets").querySelector("input").checked = true;

$("skip").addEventListener("click", (event) => {
  // the fragment is taken: it holds the state
  event.preventDefault();
  $("results").focus();
});

function restore({ state: entry } = /** @type {any} */ ({})) {
  const given = takeToken();
  if (given !== undefined) keepToken(serversOf(fresh()), given);
  const next = fromHash(location.hash);
  // Back to an entry without a filter: everything was chosen there, whatever has been stored since.
  if (entry === WHOLE && !next.spelt) next.filter = {};
  source.elements.url.value = next.url;
  if (next.sample) source.elements.sample.value = next.sample;
  if (next.from === "paste") source.elements.text.value = kept();
  drawSource(next.from);
  return take(next, { history: null });
}
window.addEventListener("popstate", restore);
restore();
try {
  // The first access waits for the browser to read its storage. It is made while the server and the engine are awaited.
  localStorage.getItem("");
} catch {
  /* not allowed here */
}
