// Runs the rows of the corpus (tests/fixtures/README.md) on the package's middleware.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const FILES = ["middleware", "middleware-pii", "middleware-secrets", "middleware-moderation"];
const rowsOf = (file) => JSON.parse(readFileSync(new URL(`../fixtures/${file}.json`, import.meta.url), "utf8"));
// A host always has a library, even if it is empty.
const concerned = ({ name }) => name !== "documents: there are none here";

const { policies, patterns, rows: ownRows, refused } = rowsOf("middleware-own");
/** The rows with the operator's policies and patterns that apply to them. */
const own = [...ownRows.map((row) => ({ ...row, policies, patterns })), ...refused];

/** File name without its extension → rows. */
export const middlewareCorpus = {
  ...Object.fromEntries(FILES.map((file) => [file, rowsOf(file).filter(concerned)])),
  "middleware-own": own,
};

const pointer = (value, path) =>
  path
    .split("/")
    .slice(1)
    .reduce((found, key) => found?.[key] ?? null, value);

/** Asserts a row's expectations. */
export async function runMiddleware({ Middleware, SieveError }, row) {
  const { documents, tools, reaches, keeps, now, policies, patterns } = row;
  const kept = [];
  let found;
  try {
    const middleware = new Middleware({
      now: now === undefined ? undefined : () => now,
      documents,
      tools: tools && Object.values(tools),
      reaches: reaches && (async (url) => reaches[url]),
      record: keeps && ((record) => kept.push(record)),
      policies,
      patterns,
    });
    found = await middleware.invoke(row.function, row.context, row.arguments);
  } catch (error) {
    assert.ok(error instanceof SieveError, `${row.name}: ${error.stack}`);
    const { code, path, message } = error;
    for (const [key, value] of Object.entries(row.error ?? {}))
      assert.equal({ code, path, message }[key], value, row.name);
    assert.ok(row.error, `${row.name}: ${message}`);
    return;
  }
  assert.equal(row.error, undefined, row.name);
  // Hosts receive the refusal together with the result; the rows do not contain it.
  const { refusal, ...result } = found;
  if (row.result) assert.deepEqual(result, row.result, row.name);
  assert.equal(refusal !== undefined, found.metadata?.allow === false, row.name);
  for (const [path, expected] of Object.entries(row.at ?? {}))
    assert.deepEqual(pointer(found, path), expected, `${row.name} ${path}`);
  if (row.kept) assert.deepEqual(kept, row.kept, row.name);
}
