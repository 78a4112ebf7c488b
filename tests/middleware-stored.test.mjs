// What the Worker stores for context middleware: documents and contexts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  OPERATOR,
  TOKEN,
  at,
  invoke,
  manage,
  middlewareWorkers,
  operationsOf,
  workers,
} from "./support/middleware-workers.mjs";
import { until } from "./support/until.mjs";

middlewareWorkers();

test("documents are the operator's, added, replaced, listed and removed", async () => {
  const listed = async () => (await manage("GET", "/middleware/documents")).documents.map(({ id }) => id).sort();
  for (const id of await listed()) await manage("DELETE", `/middleware/documents?id=${id}`);
  const put = (id, text, source = "s") =>
    manage("PUT", "/middleware/documents", { id, source, title: `Title ${id}`, text });
  assert.deepEqual(await put("a", "the harbour closes at nine"), { replaced: false });
  assert.deepEqual(await put("b", 'a "quoted" harbour AND (NOT open) OR * near'), { replaced: false });
  assert.deepEqual(await put("a", "the lighthouse closes at ten"), { replaced: true });
  assert.deepEqual(await listed(), ["a", "b"]);
  const found = async (text) => {
    const { result } = await invoke({ name: "document_retrieval", context: [{ type: "text", text }] });
    return result.metadata.sources.map(({ title }) => title);
  };
  assert.deepEqual(await found("when does the lighthouse close?"), ["Title a"]);
  assert.deepEqual(await found('harbour" OR text:* NEAR('), ["Title b"]);
  assert.deepEqual(await found("?!"), []);
  assert.deepEqual(await manage("DELETE", "/middleware/documents?id=a"), { removed: true });
  assert.deepEqual(await manage("DELETE", "/middleware/documents?id=a"), { removed: false });
  assert.deepEqual(await found("lighthouse"), []);
  const good = { id: "c", source: "s", title: "t", text: "x" };
  for (const [sent, status, why] of [
    ["{}", 400, /^expected a document: missing field `id`/],
    ["[".repeat(10_000), 400, /^expected a document: /],
    [JSON.stringify({ ...good, id: "" }), 400, /^expected an `id`$/],
    [JSON.stringify({ ...good, title: "t".repeat(1025) }), 400, /^expected at most 1024 bytes of `title`$/],
    [JSON.stringify({ ...good, text: "x".repeat(1 + (1 << 20)) }), 400, /^expected at most 1048576 bytes of `text`$/],
    [JSON.stringify({ ...good, text: "x".repeat(5 << 20) }), 413, /^the body is larger than 4194304 bytes$/],
  ]) {
    const refused = await fetch(at("on", "/middleware/documents"), {
      method: "PUT",
      headers: { authorization: `Bearer ${TOKEN}` },
      body: sent,
    });
    assert.equal(refused.status, status, sent.slice(0, 40));
    assert.match((await refused.json()).error.message, why);
  }
  // Ignored, a missing `id` would be reported as done, and an invalid cursor would return the first page again and again.
  for (const [method, path, why] of [
    ["DELETE", "/middleware/documents", "expected the `id` of a document"],
    ["DELETE", "/middleware/documents?id=", "expected the `id` of a document"],
    ["GET", "/middleware/documents?after=x", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=x", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=-1", "expected `after` as the `next` of a page"],
    ["GET", "/middleware/records?after=null", "expected `after` as the `next` of a page"],
  ]) {
    const refused = await fetch(at("on", path), { method, headers: { authorization: `Bearer ${TOKEN}` } });
    assert.deepEqual([refused.status, (await refused.json()).error.message], [400, why], path);
  }
  // A cursor beyond the largest possible id returns an empty page.
  for (const after of ["9007199254740993", "18446744073709551615"]) {
    assert.deepEqual((await manage("GET", `/middleware/documents?after=${after}`)).documents, []);
    assert.deepEqual((await manage("GET", `/middleware/records?after=${after}`)).records, []);
    const position = Array(8).fill(after).join(".");
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const audit = await fetch(at("on", `/audit?after=${position}`), { headers });
    assert.deepEqual([audit.status, (await audit.json()).operations], [200, []]);
  }
  assert.equal((await fetch(at("on", "/middleware/documents"))).status, 401);
});

test("kept contexts are read in pages of bounded size, and deleted", async () => {
  const keep = async (label, bytes) => {
    const context = [{ type: "text", text: "x".repeat(bytes) }];
    const { result } = await invoke({ name: "context_logger", arguments: { reason: "size", label }, context });
    return result.metadata.record;
  };
  const [first, second, third] = [
    await keep("one", 1_500_000),
    await keep("two", 1_500_000),
    await keep("three", 1_500_000),
  ];
  const [large, small] = [await keep("large", 1_950_000), await keep("small", 10)];
  const before = Number(first) - 1;
  const page = await manage("GET", `/middleware/records?after=${before}`);
  assert.deepEqual([page.records.map(({ id }) => id), page.next], [[first, second], Number(second)]);
  const rest = await manage("GET", `/middleware/records?after=${page.next}`);
  assert.deepEqual([rest.records.map(({ id }) => id), rest.next], [[third, large, small], null]);
  assert.match(rest.records[1].context.omitted, /^1950\d+ bytes, at most 1900000$/);

  assert.deepEqual(await manage("DELETE", `/middleware/records?id=${small}`), { removed: 1 });
  assert.deepEqual(await manage("DELETE", `/middleware/records?id=${small}`), { removed: 0 });
  for (const query of ["", "?id=x", "?before=yesterday", `?id=${first}&before=1`]) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const refused = await fetch(at("on", `/middleware/records${query}`), { method: "DELETE", headers });
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error.message, /^expected `id`, or `before` in milliseconds since 1970$/);
  }
  assert.ok((await manage("DELETE", `/middleware/records?before=${rest.records[2].at + 1}`)).removed >= 4);
  assert.deepEqual((await manage("GET", "/middleware/records")).records, []);
});

test("M-32 M-40 M-46: a context is kept where that was asked for, and nowhere else", async () => {
  const secret = "a very particular sentence";
  const context = [
    { type: "text", text: secret },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ];
  const { result } = await invoke({
    name: "context_logger",
    arguments: { reason: "before the model", label: "turn 9" },
    context,
  });
  assert.deepEqual(result.content, context);
  const { records } = await manage("GET", "/middleware/records");
  const kept = records.find(({ id }) => id === result.metadata.record);
  assert.deepEqual([kept.reason, kept.label, kept.context], ["before the model", "turn 9", context]);

  await invoke({ name: "timestamp_injector", context });
  let log;
  const logged = async () => {
    log = (await operationsOf("on")).filter(({ kind }) => kind === "timestamp_injector");
    return log.find(({ reason }) => reason === "changed");
  };
  const line = await until(logged, () => `a line of the changed context in ${JSON.stringify(log)}`);
  assert.equal(line.method, "middleware/invoke", JSON.stringify(log));
  assert.equal(JSON.stringify(log).includes(secret), false);
  assert.equal(workers.log().includes(secret), false);
});
