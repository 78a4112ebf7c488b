// Every tool, prompt and resource of the built-in tracker, through the running Worker and over MCP. Each is used once
// as intended, and a later read shows its effect. Each kind of rejection occurs once.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { ask, send } from "./support/raw-client.mjs";
import { startWorker } from "./support/workerd.mjs";

const ajv = formats(new Ajv({ strict: true, allowUnionTypes: true }));
const persist = mkdtempSync(join(tmpdir(), "sieve-tracker-"));
const outputs = new Map(); // tool name → validator of its outputSchema, null without one
const succeeded = new Set();
let worker;

async function rpc(method, params = {}, name = params.name ?? params.uri) {
  const headers = name === undefined ? {} : { "mcp-name": name };
  const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }, ...params._meta };
  return (await send(worker.mcp, method, { ...params, _meta }, { headers })).json();
}

/** Returns the result of a tool: structured content if it declares an output schema, otherwise its text. */
async function use(name, args = {}, again = {}) {
  const { result, error } = await rpc("tools/call", { name, arguments: args, ...again });
  assert.equal(error, undefined, name);
  const [{ type, text }, ...more] = result.content;
  assert.deepEqual([type, more], ["text", []], name);
  assert.notEqual(result.isError, true, `${name}: ${text}`);
  succeeded.add(name);
  const valid = outputs.get(name);
  if (!valid) {
    assert.equal(result.structuredContent, undefined, `${name} declares no structured result`);
    return text;
  }
  assert.ok(valid(result.structuredContent), `${name}: ${ajv.errorsText(valid.errors)}`);
  assert.deepEqual(JSON.parse(text), result.structuredContent, name);
  return result.structuredContent;
}

/** Returns the error text of a tool. */
async function refusal(name, args) {
  const { result, error } = await rpc("tools/call", { name, arguments: args });
  assert.equal(error, undefined, name);
  assert.equal(result.isError, true, `${name} took ${JSON.stringify(args)}`);
  assert.equal(result.structuredContent, undefined, name);
  return result.content[0].text;
}

const hours = (count) => new Date(Date.UTC(2031, 4, 5) + count * 3_600_000).toISOString().replace(".000", ""); // a Monday
const ids = (rows) => rows.map(({ id }) => id);

before(async () => {
  worker = await startWorker({ persist });
  const { result } = await rpc("tools/list");
  for (const { name, outputSchema } of result.tools) outputs.set(name, outputSchema ? ajv.compile(outputSchema) : null);
});
after(async () => {
  await worker?.stop();
  rmSync(persist, { recursive: true, force: true });
});

test("the catalog is complete and its schemas hold", async () => {
  const {
    result: { tools },
  } = await rpc("tools/list");
  assert.ok(tools.length >= 24);
  assert.equal(tools[0].inputSchema.required, undefined, "the first tool can be called with nothing");
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.groups.length && tool.tags.length, tool.name);
    assert.deepEqual([tool.inputSchema.type, tool.inputSchema.additionalProperties], ["object", false], tool.name);
    ajv.compile(tool.inputSchema);
    const { readOnlyHint, destructiveHint = false } = tool.annotations;
    assert.equal(readOnlyHint, tool.tags.includes("read"), tool.name);
    assert.equal(!readOnlyHint, tool.tags.includes("write"), tool.name);
    assert.equal(destructiveHint, tool.tags.includes("destructive"), tool.name);
  }
  const stable = tools.filter(({ groups, tags }) => groups.includes("issues") && tags.includes("stable"));
  assert.ok(stable.length >= 4 && stable.length <= 10, `${stable.length} stable tools for issues`);
});

test("C-55: the default configuration declares every group and tag in use, and rules and `_meta` give the concerns", async () => {
  const names = async (filter) => (await rpc("tools/list", { filter })).result.tools.map(({ name }) => name);
  const {
    result: { tools },
  } = await rpc("tools/list");
  for (const facet of ["groups", "tags"]) {
    const declared = (await rpc(`${facet}/list`)).result[facet];
    assert.ok(
      declared.every(({ name, description }) => name && description),
      facet,
    );
    assert.deepEqual(new Set(tools.flatMap((tool) => tool[facet])), new Set(declared.map(({ name }) => name)));
  }
  assert.deepEqual(await names({ concerns: { cost: "high" } }), [
    "server_time",
    "tracker_status",
    "reset_tracker",
    "report_issues",
    "import_issues",
    "audit_issues",
    "find_free_time",
  ]);
  // Both mapping styles of the proposal: an internal one by rules, and the field of a primitive.
  const stated = tools.filter(({ _meta }) => _meta?.concerns).map(({ name, _meta }) => [name, _meta.concerns]);
  const slow = { cost: "high", performance: "slow" };
  assert.deepEqual(stated, [
    ["import_issues", slow],
    ["audit_issues", slow],
  ]);
  assert.deepEqual((await names({ concerns: { performance: "fast" } })).includes("audit_issues"), false);
  const harmful = tools.filter(({ tags }) => tags.includes("destructive")).map(({ name }) => name);
  assert.deepEqual(
    new Set(await names({ concerns: { security: "elevated" } })),
    new Set(["server_time", "tracker_status", ...harmful]),
  );
  assert.deepEqual(await names({ groups: ["places"], concerns: { lifecycle: "preview", cost: "minimal" } }), [
    "add_place",
    "remove_place",
    "measure_distance",
  ]);
});

test("a new tracker has something of everything", async () => {
  const { stored, limits, open_issues } = await use("tracker_status");
  assert.deepEqual(stored, {
    issues: 12,
    comments: 6,
    labels: 6,
    pull_requests: 4,
    reviews: 3,
    notes: 5,
    events: 6,
    places: 8,
  });
  assert.equal(open_issues, 9);
  for (const kind of Object.keys(stored)) assert.ok(limits[kind] > stored[kind], kind);
  assert.equal((await use("list_events")).total, 6, "the sample lies in the days to come");
  const { now, unix_seconds } = await use("server_time", { utc_offset_minutes: 90 });
  assert.ok(now.endsWith("+01:30"));
  assert.equal(Date.parse(now), unix_seconds * 1000);
  assert.ok(Math.abs(Date.now() - unix_seconds * 1000) < 60_000);
});

test("an issue from opening to deletion", async () => {
  const made = await use("create_issue", {
    title: "Tide tables",
    body: "For walks on the coast.",
    labels: ["FEATURE"],
    author: "ines",
  });
  const issue = made.id;
  assert.deepEqual(
    { ...made, created_at: 0, updated_at: 0 },
    {
      id: 13,
      title: "Tide tables",
      body: "For walks on the coast.",
      state: "open",
      reason: null,
      priority: "medium",
      assignee: null,
      author: "ines",
      labels: ["feature"],
      comments: 0,
      created_at: 0,
      updated_at: 0,
      closed_at: null,
    },
  );
  await use("update_issue", { issue, priority: "urgent", assignee: "mara" });
  const changed = await use("get_issue", { issue });
  assert.deepEqual([changed.priority, changed.assignee, changed.title], ["urgent", "mara", "Tide tables"]);
  assert.equal((await use("update_issue", { issue, assignee: null })).assignee, null);

  await use("create_label", { name: "coast", color: "blue" });
  assert.deepEqual((await use("add_label", { issue, label: "coast" })).labels, ["coast", "feature"]);
  assert.deepEqual((await use("add_label", { issue, label: "Coast" })).labels, ["coast", "feature"], "twice is once");
  assert.deepEqual((await use("remove_label", { issue, label: "feature" })).labels, ["coast"]);
  assert.equal((await use("list_labels")).labels.find(({ name }) => name === "coast").open_issues, 1);

  const first = await use("add_comment", { issue, body: "Which source?", author: "tomas" });
  const second = await use("add_comment", { issue, body: "The harbour office." });
  assert.equal(second.author, "guest");
  assert.match(await use("delete_comment", { comment: first.id }), /Deleted comment/);
  assert.deepEqual(ids((await use("list_comments", { issue })).comments), [second.id]);

  assert.deepEqual(ids((await use("list_issues", { label: "coast" })).issues), [issue]);
  assert.equal((await use("list_issues", { sort: "priority" })).issues[0].priority, "urgent");
  assert.deepEqual(ids((await use("list_issues")).issues).slice(0, 1), [issue], "latest change first");
  const closed = await use("close_issue", { issue, reason: "not_planned", comment: "Another app does it." });
  assert.deepEqual([closed.state, closed.reason, closed.comments], ["closed", "not_planned", 2]);
  assert.ok(!ids((await use("list_issues")).issues).includes(issue));
  assert.deepEqual(ids((await use("list_issues", { state: "closed", label: "coast" })).issues), [issue]);
  const reopened = await use("reopen_issue", { issue });
  assert.deepEqual([reopened.state, reopened.reason, reopened.closed_at], ["open", null, null]);

  assert.match(await use("delete_label", { label: "coast" }), /1 issues carried it/);
  assert.deepEqual((await use("get_issue", { issue })).labels, []);
  assert.match(await use("delete_issue", { issue }), /Deleted issue 13/);
  assert.match(await refusal("get_issue", { issue }), /there is no issue 13/);
  assert.equal((await use("create_issue", { title: "Next" })).id, 14, "a number is not used again");
  await use("delete_issue", { issue: 14 });
});

test("a report reads every issue in steps, and says how far it is", async () => {
  const whole = await use("report_issues");
  assert.deepEqual([whole.issues, whole.by_state, whole.comments], [12, { open: 9, closed: 3 }, 6]);
  assert.deepEqual(whole.open_by_priority, { high: 1, low: 2, medium: 5, urgent: 1 });
  assert.deepEqual([whole.open_by_assignee.nobody, whole.open_by_label.bug, whole.oldest_open.id], [2, 4, 1]);

  const told = await ask(worker.mcp, "tools/call", {
    name: "report_issues",
    arguments: { batch: 5 },
    _meta: { progressToken: "p" },
  });
  const steps = told.slice(0, -1).map(({ message }) => message.params);
  assert.deepEqual(
    steps.map(({ progress, total, message }) => [progress, total, message]),
    [
      [5, 12, "read 5 of 12 issues"],
      [10, 12, "read 10 of 12 issues"],
    ],
  );
  const { finished_at: _, ...report } = told.at(-1).message.result.structuredContent;
  const { finished_at: __, ...expected } = whole;
  assert.deepEqual(report, expected, "however large the steps are");
  assert.match(await refusal("report_issues", { batch: 0 }), /^`batch` must be an integer from 1 to 500$/);
});

test("an import asks half-way, writes once, and can be declined", async () => {
  const rows = ["Tide tables", "dark MAP style", "Tide tables", "Rain radar"].map((title) => ({
    title,
    labels: ["feature"],
  }));
  const args = { issues: rows, batch: 2, author: "ines" };
  const asked = async (args) => (await rpc("tools/call", { name: "import_issues", arguments: args })).result;
  const { inputRequests, requestState, resultType } = await asked(args);
  assert.equal(resultType, "input_required");
  assert.match(
    inputRequests.confirm.params.message,
    /^Import 2 new issues\? 2 more have a title that is there already: “dark MAP style”, “Tide tables”$/,
  );
  assert.equal((await use("list_issues")).total, 9, "nothing is written before somebody says so");

  const answer = (action, content) => ({ requestState, inputResponses: { confirm: { action, content } } });
  const declined = await use("import_issues", args, answer("accept", { proceed: false }));
  assert.deepEqual(
    [declined, (await use("list_issues")).total],
    [{ outcome: "declined", rows: 4, imported: 0, issues: [] }, 9],
  );
  assert.deepEqual(await use("import_issues", args, answer("decline")), declined);
  const done = await use("import_issues", args, answer("accept", { proceed: true }));
  assert.deepEqual(done, { outcome: "imported", rows: 4, imported: 2, issues: [15, 16] });
  assert.deepEqual(
    await use("import_issues", args, answer("accept", { proceed: true })),
    done,
    "the same answer again writes nothing again",
  );
  const made = await use("get_issue", { issue: 15 });
  assert.deepEqual([made.title, made.author, made.labels], ["Tide tables", "ines", ["feature"]]);

  const again = await asked({ issues: rows.slice(3), batch: 50 });
  const both = {
    requestState: again.requestState,
    inputResponses: { confirm: { action: "accept", content: { proceed: true, known: "import" } } },
  };
  assert.equal(
    (await use("import_issues", { issues: rows.slice(3), batch: 50 }, both)).imported,
    1,
    "known titles too, if that is wanted",
  );
  for (const issue of [15, 16, 17]) await use("delete_issue", { issue });
  assert.match(
    await refusal("import_issues", { issues: [{ title: "a" }, { title: "b", labels: ["nope"] }] }),
    /^nothing was imported: `issues\[1\]`: there is no label `nope`/,
  );
  assert.match(await refusal("import_issues", { issues: [] }), /^`issues` must be a list of 1 to 500 items/);
});

test("an audit fails where a rule is broken, and says where", async () => {
  assert.deepEqual(await use("audit_issues", { rules: ["label", "body"], batch: 4 }), {
    checked: 9,
    rules: ["label", "body"],
  });
  assert.equal(
    await refusal("audit_issues", { batch: 4 }),
    "2 of 9 open issues break a rule: issue 5 has no assignee; issue 7 has no assignee",
  );
});

test("lists come in pages", async () => {
  const seen = [];
  for (let offset = 0; offset !== null; ) {
    const page = await use("list_issues", { state: "all", sort: "created", limit: 5, offset });
    assert.equal(page.total, 12);
    seen.push(...ids(page.issues));
    offset = page.next_offset;
  }
  assert.deepEqual(seen, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(await use("list_issues", { offset: 99 }), { issues: [], total: 9, next_offset: null });
});

test("search finds beginnings of words, and nothing else can be typed", async () => {
  assert.deepEqual(ids((await use("search_issues", { query: "WAY" })).issues).sort(), [1, 8]);
  const { issues, total } = await use("search_issues", { query: "export way", limit: 1 });
  assert.deepEqual([ids(issues), total], [[1], 1]);
  assert.match(issues[0].excerpt, /\*\*waypoint\*\*/);
  assert.equal((await use("search_issues", { query: "GPX", state: "closed" })).total, 2);
  for (const query of [
    '"',
    "way*",
    'a" OR "b',
    "title:route",
    "NEAR(a b)",
    "-x",
    "^a",
    "'; DROP TABLE issues; --",
    "a\0b",
    "{a}",
  ]) {
    const { result } = await rpc("tools/call", { name: "search_issues", arguments: { query } });
    if (result.isError) assert.match(result.content[0].text, /at least one letter or digit/, query);
  }
  await use("update_issue", { issue: 5, body: "Now it says marmot." });
  assert.deepEqual(ids((await use("search_issues", { query: "marmot" })).issues), [5], "the index follows changes");
  assert.equal((await use("search_issues", { query: "button" })).total, 0);
});

test("a pull request is merged when its reviewers agree", async () => {
  const made = await use("create_pull_request", {
    title: "Find names without accents",
    branch: "fix/accents",
    closes: [6],
    draft: true,
  });
  const pull_request = made.id;
  assert.deepEqual([made.state, made.draft, made.base, made.closes], ["open", true, "main", [6]]);
  assert.match(
    await refusal("create_pull_request", { title: "Again", branch: "fix/accents" }),
    /open for this branch already/,
  );
  assert.match(await refusal("merge_pull_request", { pull_request }), /is a draft/);
  assert.equal((await use("update_pull_request", { pull_request, draft: false })).draft, false);
  assert.match(await refusal("merge_pull_request", { pull_request }), /nobody has approved/);
  await use("review_pull_request", { pull_request, verdict: "approve", author: "mara" });
  await use("review_pull_request", {
    pull_request,
    verdict: "request_changes",
    body: "A test, please.",
    author: "jonas",
  });
  assert.match(await refusal("merge_pull_request", { pull_request }), /jonas requested changes/);
  await use("review_pull_request", { pull_request, verdict: "comment", author: "jonas" });
  assert.match(await refusal("merge_pull_request", { pull_request }), /jonas requested changes/);
  assert.equal(
    (await use("review_pull_request", { pull_request, verdict: "approve", author: "jonas" })).reviews.length,
    4,
  );
  const merged = await use("merge_pull_request", { pull_request, method: "rebase" });
  assert.deepEqual([merged.state, merged.merge_method], ["merged", "rebase"]);
  assert.equal((await use("get_issue", { issue: 6 })).reason, "completed");
  assert.match(await refusal("close_pull_request", { pull_request }), /is merged/);
  assert.equal((await use("close_pull_request", { pull_request: 3 })).state, "closed");
  assert.deepEqual(ids((await use("list_pull_requests", { state: "merged" })).pull_requests), [pull_request, 4]);
  assert.equal((await use("get_pull_request", { pull_request: 4 })).reviews[0].author, "aiko");
});

test("notes are written, found, extended and deleted", async () => {
  const text = 'It\'s "quoted", {braced}, \u{1F9ED}, and ends\0 here; DROP TABLE notes';
  const { id: note } = await use("create_note", { title: "Compass", body: text, tags: ["gear", "field"] });
  assert.equal((await use("get_note", { note })).body, text, "texts come back as they went in");
  assert.deepEqual(
    (await use("update_note", { note, append: "Needs calibration." })).body,
    `${text}\n\nNeeds calibration.`,
  );
  assert.deepEqual((await use("update_note", { note, title: "Pocket compass", tags: ["gear"] })).tags, ["gear"]);
  assert.deepEqual(ids((await use("list_notes", { tag: "gear" })).notes), [note]);
  assert.deepEqual(ids((await use("search_notes", { query: "calibrat pocket" })).notes), [note]);
  assert.match(await refusal("update_note", { note, append: "x".repeat(20_000) }), /longer than 20000 characters/);
  await use("delete_note", { note });
  assert.equal((await use("search_notes", { query: "calibration" })).total, 0);
  assert.match(await refusal("delete_note", { note }), /there is no note/);
});

test("events overlap, move, leave gaps and are cancelled", async () => {
  const walk = await use("create_event", {
    title: "Walk",
    start: hours(10),
    end: hours(12),
    attendees: ["ines", "mara"],
    location: "Coast",
  });
  const call = await use("create_event", {
    title: "Call",
    start: "2031-05-05T13:00:00+02:00",
    end: hours(13),
    attendees: ["ines"],
  });
  assert.equal(call.start, hours(11), "any offset is understood");
  assert.deepEqual(ids(call.conflicts), [walk.id]);
  const span = { from: hours(0), to: hours(24) };
  assert.deepEqual(ids((await use("list_events", span)).events), [walk.id, call.id]);
  assert.deepEqual(ids((await use("list_events", { ...span, attendee: "mara" })).events), [walk.id]);
  const free = async (more) =>
    (await use("find_free_time", { ...span, minutes: 60, ...more })).slots.map(({ start, end }) => [start, end]);
  assert.deepEqual(await free(), [
    [hours(9), hours(10)],
    [hours(13), hours(17)],
  ]);
  assert.deepEqual(await free({ attendees: ["mara"] }), [
    [hours(9), hours(10)],
    [hours(12), hours(17)],
  ]);
  assert.deepEqual(await free({ attendees: ["nobody"], utc_offset_minutes: 120 }), [[hours(7), hours(15)]]);
  const moved = await use("move_event", { event: call.id, start: hours(15) });
  assert.deepEqual([moved.end, moved.conflicts], [hours(17), []], "it keeps its length");
  assert.deepEqual(await free(), [
    [hours(9), hours(10)],
    [hours(12), hours(15)],
  ]);
  await use("cancel_event", { event: call.id });
  assert.match(await refusal("get_event", { event: call.id }), /there is no event/);
  assert.equal((await use("get_event", { event: walk.id })).location, "Coast");
});

test("places are found, measured and forgotten", async () => {
  assert.deepEqual(ids((await use("find_place", { query: "zurich" })).places).sort(), [1, 2], "accents do not matter");
  const near = { latitude: 52.52, longitude: 13.4 };
  const close = await use("find_place", { near, radius_km: 10 });
  assert.deepEqual(
    close.places.map(({ name }) => name),
    ["Berlin Hauptbahnhof", "Tiergarten"],
  );
  assert.ok(close.places[0].distance_km > 1 && close.places[0].distance_km < 3);
  assert.deepEqual(ids((await use("find_place", { kind: "library" })).places), [6, 3]);
  const way = await use("measure_distance", { from: 4, to: 6 });
  assert.ok(Math.abs(way.distance - 928) < 5, `${way.distance} km from Berlin to London`);
  assert.deepEqual([way.unit, way.direction], ["km", "W"]);
  const miles = await use("measure_distance", { from: 4, to: 6, unit: "mi" });
  assert.ok(Math.abs(miles.distance * 1.609344 - way.distance) < 0.01);
  const added = await use("add_place", {
    name: "Stone Town",
    kind: "park",
    city: "Zanzibar",
    country: "Tanzania",
    latitude: -6.16,
    longitude: 39.19,
  });
  assert.deepEqual(await use("get_place", { place: added.id }), added);
  await use("remove_place", { place: added.id });
  assert.equal((await use("find_place", { query: "zanzibar" })).total, 0);
});

test("a refusal says what was expected", async () => {
  const rows = [
    ["create_issue", {}, /^`title` is required, a string of 1 to 200 characters$/],
    ["create_issue", { title: "x".repeat(201) }, /^`title` must be a string of 1 to 200 characters$/],
    ["create_issue", { title: 7 }, /^`title` must be a string/],
    [
      "create_issue",
      { title: "a", priority: "extreme" },
      /^`priority` must be one of `low`, `medium`, `high` or `urgent`$/,
    ],
    [
      "create_issue",
      { title: "a", labels: ["bug", "bug"] },
      /^`labels` must be a list of at most 20 items, no two alike/,
    ],
    ["create_issue", { title: "a", labels: ["bug", ""] }, /^`labels\[1\]` must be a string of 1 to 50 characters$/],
    ["create_issue", { title: "a", labels: ["nope"] }, /^there is no label `nope`/],
    ["create_issue", { titel: "a" }, /^`titel` is not an argument; known are .*`title`.*; `title` is required/],
    ["list_issues", { limit: 0 }, /^`limit` must be an integer from 1 to 50$/],
    ["list_issues", { limit: 1.5 }, /^`limit` must be an integer/],
    ["update_issue", { issue: 1 }, /^give at least one field to change$/],
    ["close_issue", { issue: 10 }, /^issue 10 is closed already$/],
    ["reopen_issue", { issue: 1 }, /^issue 1 is open already$/],
    ["remove_label", { issue: 1, label: "docs" }, /^issue 1 does not carry `docs`$/],
    ["create_label", { name: "BUG" }, /^there is a label `bug` already$/],
    ["create_pull_request", { title: "a", branch: "main" }, /^`branch` and `base` must be two branches$/],
    ["create_pull_request", { title: "a", branch: "b", closes: [99] }, /^there is no issue 99$/],
    ["create_event", { title: "a", start: "tomorrow", end: hours(1) }, /^`start` must be an RFC 3339 date and time/],
    ["create_event", { title: "a", start: hours(1), end: hours(1) }, /^`end` must be after `start`$/],
    ["list_events", { from: hours(2), to: hours(1) }, /^`to` must be after `from`$/],
    ["find_free_time", { from: hours(0), to: hours(800) }, /at most 31 days/],
    ["find_place", { near: { latitude: 91, longitude: 0 } }, /^`near.latitude` must be a number from -90 to 90$/],
    ["find_place", { radius_km: 1 }, /^`radius_km` needs `near`$/],
    ["search_notes", { query: "--" }, /^`query` must hold at least one letter or digit$/],
    ["reset_tracker", { confirm: false }, /^`confirm` must be `true`$/],
    ["tracker_status", { verbose: true }, /^`verbose` is not an argument; it takes none$/],
  ];
  for (const [name, args, expected] of rows)
    assert.match(await refusal(name, args), expected, `${name} ${JSON.stringify(args)}`);
  assert.equal((await use("list_issues", { state: "all" })).total, 12, "a refusal leaves nothing behind");
});

test("what is not a tool's to refuse is an error of the request", async () => {
  assert.deepEqual((await rpc("tools/call", { name: "no_such_tool" })).error, {
    code: -32602,
    message: "Unknown tool: no_such_tool",
  });
  assert.equal((await rpc("tools/call", { name: "list_issues", arguments: [] })).error.code, -32602);
});

test("resources are pages to read", async () => {
  const {
    result: { resources },
  } = await rpc("resources/list");
  const {
    result: { resourceTemplates },
  } = await rpc("resources/templates/list");
  const pages = resourceTemplates.map(({ uriTemplate, mimeType }) => ({
    uri: uriTemplate.replace("{id}", "1"),
    mimeType,
  }));
  for (const { uri, mimeType } of [...resources, ...pages]) {
    const { result } = await rpc("resources/read", { uri });
    const [content] = result.contents;
    assert.deepEqual([content.uri, content.mimeType], [uri, mimeType]);
    if (mimeType === "application/json") JSON.parse(content.text);
    else assert.match(content.text, /^# /, uri);
  }
  const { result } = await rpc("resources/read", { uri: "issue://1" });
  assert.match(result.contents[0].text, /^# Issue 1: Route export drops the last waypoint\n[^]*three-point file/);
  for (const uri of ["issue://999", "issue://01", "issue://-1", "issue://", "tracker://nothing", "note://1/", "x"]) {
    const { error } = await rpc("resources/read", { uri });
    assert.deepEqual([error.code, error.data], [-32602, { uri }], uri);
  }
});

test("prompts carry what the model has to know", async () => {
  const text = ({ messages }) => messages.map(({ content }) => content.text ?? content.resource.text).join("\n");
  const get = async (name, args) => (await rpc("prompts/get", { name, arguments: args })).result;
  const triage = await get("triage_issue", { issue: "2" });
  assert.equal(triage.messages[0].content.resource.uri, "issue://2");
  assert.match(text(triage), /map tile is missing[^]*- crash: The app ends/);
  assert.match(text(await get("release_notes", {})), /Give up on empty track segments[^]*Import hangs/);
  assert.match(text(await get("release_notes", { since: "2100-01-01" })), /Merged since 2100-01-01:\n- none/);
  const plan = text(await get("weekly_plan", { person: "tomas" }));
  assert.match(plan, /Undo for moved waypoints[^]*Planning/);
  assert.doesNotMatch(plan, /Region|Offline maps/);
  const rows = [
    ["no_such_prompt", {}, "Unknown prompt: no_such_prompt"],
    ["triage_issue", {}, "`issue` is required, the number of an issue as a string"],
    ["triage_issue", { issue: "99" }, "there is no issue 99"],
    ["release_notes", { since: "May" }, "`since` must be a day, as YYYY-MM-DD"],
    ["weekly_plan", { who: "mara" }, "`who` is not an argument of this prompt; it takes `person`"],
  ];
  for (const [name, args, message] of rows) {
    assert.deepEqual((await rpc("prompts/get", { name, arguments: args })).error, { code: -32602, message });
  }
});

test("arguments are completed", async () => {
  const complete = async (ref, name, value) =>
    (await rpc("completion/complete", { ref, argument: { name, value } }, null)).result.completion;
  const prompt = (name) => ({ type: "ref/prompt", name });
  const template = (uri) => ({ type: "ref/resource", uri });
  assert.deepEqual(await complete(prompt("weekly_plan"), "person", "m"), {
    values: ["mara"],
    total: 1,
    hasMore: false,
  });
  assert.deepEqual((await complete(prompt("triage_issue"), "issue", "Dark")).values, ["7"]);
  assert.deepEqual((await complete(template("issue://{id}"), "id", "1")).values, ["1", "10", "11", "12"]);
  assert.equal((await complete(template("pull://{id}"), "id", "")).total, 5);
  assert.deepEqual((await complete(template("note://{id}"), "id", "checklist")).values, ["1"]);
  assert.ok(
    (await complete(prompt("release_notes"), "since", "20")).values.every((day) => /^\d{4}-\d\d-\d\d$/.test(day)),
  );
  const { error } = await rpc(
    "completion/complete",
    { ref: prompt("weekly_plan"), argument: { name: "issue", value: "" } },
    null,
  );
  assert.deepEqual(error, { code: -32602, message: "`weekly_plan` has no argument `issue`" });
});

test("many at once get a number each, and the store is bounded", async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, at) => use("create_issue", { title: `At once ${at}` })),
  );
  assert.equal(new Set(ids(made)).size, 20);
  for (let at = 6; at < 100; at++) await use("create_label", { name: `label ${at}` });
  assert.match(await refusal("create_label", { name: "one more" }), /holds 100 labels already/);
  const twenty = Array.from({ length: 20 }, (_, at) => `label ${at + 10}`);
  const { id: issue } = await use("create_issue", { title: "Labelled", labels: twenty });
  assert.match(await refusal("add_label", { issue, label: "bug" }), /carries 20 labels already/);
});

test("a restart keeps everything, a reset keeps nothing", async () => {
  const { id: issue } = await use("create_issue", { title: "Survives a restart" });
  await worker.restart();
  assert.equal((await use("get_issue", { issue })).title, "Survives a restart");
  assert.equal((await use("search_issues", { query: "survives" })).total, 1);
  assert.match(await use("reset_tracker", { confirm: true }), /sample data/);
  assert.deepEqual(
    [(await use("tracker_status")).stored.issues, (await use("search_issues", { query: "survives" })).total],
    [12, 0],
  );
  assert.equal((await use("create_issue", { title: "After the reset" })).id, 13);
});

test("no tool was left out", () => {
  assert.deepEqual(
    [...outputs.keys()].filter((name) => !succeeded.has(name)),
    [],
  );
});
