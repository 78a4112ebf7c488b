// Servers that misbehave, in front of the official clients and of the commands of the package. What an official client lists, the
// commands list too, or the form gives the reason. Some forms run here; `make misbehaving` runs all of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { FORMS } from "./misbehaving/forms/index.mjs";
import { observe } from "./misbehaving/observe.mjs";
import { PAGE, pageText, recorded } from "./misbehaving/page.mjs";
import { recordOf, unexplained } from "./misbehaving/results.mjs";

/** One form of so many runs in every build. */
const EVERY = 12;
/** Number of clients, and of commands, that try the forms at a time. */
const AT_A_TIME = 4;
const some = FORMS.filter((_, at) => at % EVERY === 0);
const record = recorded();

test("every form is recorded, and the page shows the record", () => {
  assert.deepEqual(
    Object.keys(record),
    FORMS.map(({ name }) => name),
  );
  assert.equal(readFileSync(PAGE, "utf8"), pageText(record));
});

test("nothing that an official client lists is lost without a reason", () => {
  const losses = FORMS.map((form) => [form.name, unexplained(form, record[form.name])]);
  assert.deepEqual(
    losses.filter(([, losses]) => losses.length > 0),
    [],
  );
});

describe(`${some.length} forms`, () => {
  let found;
  before(async () => {
    found = recordOf(some, await observe(some, { atATime: AT_A_TIME }));
  });

  for (const { name, about } of some)
    test(`${name}: ${about}`, () => {
      assert.deepEqual(found[name], record[name]);
    });
});
