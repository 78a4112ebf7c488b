// @ts-check
// The task view: starts tasks of the page's server, lists them by a filter, follows their changes, and cancels or answers
// them. No request is sent before the view is opened.
import { events } from "./event-stream.js";

const MODERN = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const TASKS = `${PREFIX}tasks`;
const QUERY = "dev.mcpsieve/tasks/query";
const KEPT = 100; // ids that a caller without a token is remembered by
const PAUSE_MS = 1000; // before a stream that broke off is opened again
const ROWS = 5; // most rows of a list to choose several values from
const ENDED = ["completed", "failed", "cancelled"];
/** The tasks that can be started. Their batches are small, so that progress is visible. */
const JOBS = {
  report_issues: { batch: 1, pause_ms: 400 },
  import_issues: {
    issues: ["Tide tables", "Rain radar", "Night mode for maps"].map((title) => ({ title })),
    batch: 1,
    pause_ms: 400,
  },
  audit_issues: { batch: 1, pause_ms: 400 },
};

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);
const view = $("tasks");
const tasks = new Map();
let shown = []; // ids, as the filter has them
let stream = new AbortController();
let asked = 0;
let listings = 0;

function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child || child === 0));
  return element;
}

// ---- the server ---------------------------------------------------------------

async function post(method, params, signal) {
  const _meta = {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: { elicitation: {}, extensions: { [TASKS]: {} } },
  };
  const name = params.name ?? params.taskId;
  const token = $("task-token").value.trim();
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    ...(name && { "Mcp-Name": name }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++asked, method, params: { ...params, _meta } });
  return fetch(new URL("./mcp", location.href), { method: "POST", headers, body, signal });
}

/** The messages of an answer, whether it is one or a stream of them. */
async function* messages(response) {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return yield await response.json();
  for await (const data of events(response.body)) yield JSON.parse(data);
}

async function ask(method, params = {}) {
  let last;
  for await (const message of messages(await post(method, params))) last = message;
  if (last?.error) throw new Error(`${last.error.message} (${last.error.code})`);
  return last.result;
}

// ---- which tasks there are ---------------------------------------------------------

const mine = () => JSON.parse(sessionStorage.getItem("tasks") ?? "[]");
const remember = (id) => sessionStorage.setItem("tasks", JSON.stringify([id, ...mine()].slice(0, KEPT)));

function filter() {
  const form = new FormData($("task-filter"));
  const chosen = {
    status: form.getAll("status"),
    methods: form.getAll("methods").filter(Boolean),
    orderBy: form.get("orderBy"),
    order: form.get("order"),
  };
  const instant = (name) => form.get(name) && { [name]: new Date(String(form.get(name))).toISOString() };
  const times = Object.assign(
    {},
    ...["createdAfter", "createdBefore", "lastUpdatedAfter", "lastUpdatedBefore"].map(instant),
  );
  // Without a token only tasks that the page can name are listed.
  return { ...chosen, ...times, ...(!$("task-token").value.trim() && { taskIds: mine() }) };
}

/** Lists and draws; does not draw if another list was begun meanwhile. */
async function list() {
  const turn = (listings += 1);
  const wanted = filter();
  const found = [];
  if (wanted.taskIds?.length !== 0) {
    for (let cursor; ; ) {
      const page = await ask(QUERY, { filter: wanted, ...(cursor !== undefined && { cursor }) });
      found.push(...page.tasks);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  }
  if (turn !== listings) return; // the later list has other filters, or newer statuses
  for (const task of found) tasks.set(task.taskId, { ...tasks.get(task.taskId), ...task });
  const open = found.filter(({ status, taskId }) => status === "input_required" && !tasks.get(taskId).inputRequests);
  for (const { taskId } of open) tasks.set(taskId, await ask("tasks/get", { taskId }));
  if (turn !== listings) return;
  shown = found.map(({ taskId }) => taskId);
  draw();
}

/** Hears of every change of the tasks that have not ended, until there is none or another list takes its place. */
async function follow() {
  stream.abort();
  const own = (stream = new AbortController());
  const taskIds = shown.filter((id) => !ENDED.includes(tasks.get(id).status));
  if (taskIds.length === 0) return;
  try {
    for await (const { method, params } of messages(
      await post("subscriptions/listen", { notifications: { taskIds } }, own.signal),
    )) {
      if (method !== "notifications/tasks") continue;
      const { _meta, ...task } = params;
      tasks.set(task.taskId, { method: tasks.get(task.taskId)?.method, ...task });
      await list(); // it may have another place now, or none
    }
  } catch (problem) {
    if (!own.signal.aborted) say(`The stream of changes broke off: ${problem.message}`);
  }
  if (own.signal.aborted || !view.open) return;
  await new Promise((done) => setTimeout(done, PAUSE_MS));
  if (!own.signal.aborted) await refresh();
}

async function refresh() {
  await tell(list);
  follow();
}

/** Does something, and says what goes wrong with it. */
async function tell(does) {
  try {
    say("");
    return await does();
  } catch (problem) {
    say(problem.message);
  }
}

function say(words) {
  $("task-said").hidden = words === "";
  $("task-said").textContent = words;
}

// ---- drawing -----------------------------------------------------------------------

/** The rows by task: what is drawn in each, and the elements that an update keeps. */
const rows = new Map();

/**
 * Puts these elements into their parent, in this order. The one with the focus is never moved: a moved element loses it.
 */
function arrange(parent, wanted) {
  for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
  let next = null;
  for (const child of wanted.toReversed()) {
    if (child.contains(document.activeElement))
      while (child.nextElementSibling !== next) child.before(child.nextElementSibling);
    else if (child.parentNode !== parent || child.nextElementSibling !== next) parent.insertBefore(child, next);
    next = child;
  }
}

// An update changes what it has to: a person who types an answer keeps the form, its values and the focus.
function draw() {
  const list = $("task-list");
  const focused = /** @type {any} */ (document.activeElement);
  const held = [...rows.values()].find(({ item }) => item.contains(focused));
  const question = [...(held?.forms ?? [])].find(([, { form }]) => form.contains(focused))?.[0];
  for (const [id, { item }] of rows) {
    if (shown.includes(id)) continue;
    rows.delete(id);
    item.remove();
  }
  for (const id of shown) {
    const row = rows.get(id) ?? startRow(id);
    const told = JSON.stringify(tasks.get(id));
    if (row.told !== told) drawRow(row, tasks.get(id));
    row.told = told;
  }
  arrange(
    list,
    shown.map((id) => rows.get(id).item),
  );
  if (held?.item.isConnected && !focused.isConnected) {
    // Not a button of the row: the next space or Enter was meant for a field.
    const same = focused.name && held.forms.get(question)?.fields.find(({ name }) => name === focused.name);
    (same?.input ?? held.item).focus();
  }
  $("task-empty").hidden = shown.length > 0;
}

function startRow(taskId) {
  const item = h("li", { tabIndex: -1 });
  item.dataset.task = taskId;
  const cancel = h(
    "button",
    {
      type: "button",
      ariaLabel: `Cancel ${taskId}`,
      onclick: () =>
        tell(async () => {
          await ask("tasks/cancel", { taskId });
          await list();
        }),
    },
    "Cancel",
  );
  const row = { item, head: h("div", { className: "row" }), cancel, forms: new Map(), told: undefined };
  rows.set(taskId, row);
  return row;
}

function drawRow(row, task) {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, result, error } = task;
  const outcome = error?.message ?? result?.content?.[0]?.text;
  const look =
    ENDED.includes(status) &&
    status !== "cancelled" &&
    !outcome &&
    h(
      "button",
      {
        type: "button",
        className: "quiet",
        ariaLabel: `Show the result of ${taskId}`,
        onclick: () =>
          tell(async () => {
            tasks.set(taskId, { ...task, ...(await ask("tasks/get", { taskId })) });
            draw();
          }),
      },
      "Show the result",
    );
  const times = `created ${new Date(createdAt).toLocaleTimeString()}, updated ${new Date(lastUpdatedAt).toLocaleTimeString()}`;
  const requests = status === "input_required" ? (task.inputRequests ?? {}) : {};
  row.forms = new Map(
    Object.entries(requests).map(([key, request]) => {
      const before = row.forms.get(key);
      const asked = JSON.stringify(request);
      return [key, before?.asked === asked ? before : { asked, ...question(taskId, key, request.params, before) }];
    }),
  );
  const head = [
    h("code", {}, taskId),
    h("b", { className: `status ${status}` }, status.replace("_", " ")),
    h("small", {}, times),
    !ENDED.includes(status) && row.cancel,
    look,
  ];
  arrange(row.head, head.filter(Boolean));
  const parts = [
    row.head,
    statusMessage && h("p", {}, statusMessage),
    ...[...row.forms.values()].map(({ form }) => form),
    outcome && h("pre", { tabIndex: 0, role: "group", ariaLabel: `Result of ${taskId}` }, outcome),
  ];
  arrange(row.item, parts.filter(Boolean));
}

/** The form of a question. What was filled in before stays in the fields that are asked for in the same way again. */
function question(taskId, key, { message, requestedSchema }, before) {
  const { properties = {}, required = [] } = requestedSchema ?? {};
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    ...field(name, schema, required.includes(name)),
  }));
  for (const { name, schema, input } of fields) {
    const old = before?.fields.find(
      (one) => one.name === name && JSON.stringify(one.schema) === JSON.stringify(schema),
    );
    if (old) restore(input, old.input);
  }
  const answer = (action) =>
    tell(async () => {
      const content =
        action === "accept"
          ? Object.fromEntries(
              fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined),
            )
          : undefined;
      await ask("tasks/update", { taskId, inputResponses: { [key]: { action, ...(content && { content }) } } });
      await list();
    });
  const form = h(
    "form",
    {
      className: "question",
      onsubmit: (event) => {
        event.preventDefault();
        answer("accept");
      },
    },
    h("p", {}, message),
    ...fields.map(({ name, schema: { title }, input }) =>
      input.type === "checkbox" ? h("label", {}, input, title ?? name) : h("label", {}, title ?? name, input),
    ),
    h(
      "div",
      { className: "row" },
      h("button", {}, "Answer"),
      h("button", { type: "button", onclick: () => answer("decline") }, "Decline"),
    ),
  );
  form.ariaLabel = message;
  return { form, fields };
}

function restore(input, old) {
  if (old.type === "checkbox") input.checked = old.checked;
  else if (old.options) [...old.options].forEach(({ selected }, at) => (input.options[at].selected = selected));
  else input.value = old.value;
}

/** The values to choose from, with their titles: those of `enum`, or the constants of `oneOf` or `anyOf`. */
function choices(/** @type {any} */ schema) {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (values) return values.map((value, at) => [value, enumNames?.[at] ?? value]);
  const alternatives = (oneOf ?? anyOf)?.filter((one) => one?.const !== undefined);
  return alternatives?.length ? alternatives.map(({ const: value, title }) => [value, title ?? value]) : undefined;
}

/** Returns the field of a property, and a function that reads its value: `undefined` if it was left empty. */
function field(name, schema, required) {
  const { type, default: initial } = schema;
  if (type === "array") return several(name, schema, required);
  const values = choices(schema);
  if (values) {
    const none = !(required && values.some(([value]) => value === initial)) && h("option", { value: "" }, "–");
    const options = values.map(([value, title]) => h("option", { value, selected: value === initial }, String(title)));
    const input = h("select", { name, required }, none, ...options);
    return { input, read: () => values.find((_, at) => options[at].selected)?.[0] };
  }
  if (type === "boolean") {
    // A required box would have to be checked: the answer could not be "no".
    const input = h("input", { name, type: "checkbox", checked: initial === true });
    return { input, read: () => input.checked };
  }
  if (type === "number" || type === "integer") {
    const { minimum: min = "", maximum: max = "" } = schema;
    const step = type === "integer" ? 1 : "any";
    const input = h("input", { name, required, type: "number", min, max, step, value: initial ?? "" });
    return { input, read: () => (input.value === "" ? undefined : Number(input.value)) };
  }
  const input = h("input", { name, required, type: "text", value: initial ?? "" });
  return { input, read: () => (input.value === "" ? undefined : input.value) };
}

/** A field of an array, whose items are chosen from a list. */
function several(name, { items = {}, default: initial = [], minItems = 0 }, required) {
  const values = choices(items) ?? [];
  const options = values.map(([value, title]) =>
    h("option", { value, selected: initial.includes(value) }, String(title)),
  );
  // An array that may be empty needs no item, even where the property is required.
  const input = h(
    "select",
    { name, multiple: true, required: required && minItems > 0, size: Math.min(options.length, ROWS) },
    ...options,
  );
  const read = () => {
    const chosen = values.filter((_, at) => options[at].selected).map(([value]) => value);
    return chosen.length || required ? chosen : undefined;
  };
  return { input, read };
}

// ---- what people do ----------------------------------------------------------------

$("task-start").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("task-job").value;
  tell(async () => {
    const made = await ask("tools/call", { name, arguments: JOBS[name] });
    if (made.resultType !== "task") throw new Error("The server returned the result at once and created no task");
    remember(made.taskId);
    await refresh();
  });
});
$("task-filter").addEventListener("change", refresh);
$("task-filter").addEventListener("submit", (event) => event.preventDefault());
$("task-token").addEventListener("change", refresh);
view.addEventListener("toggle", () => (view.open ? refresh() : stream.abort()));
