// The types of a configuration in pkg/types/config.d.ts match the schema.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { configTypes } from "../scripts/config-types.mjs";

const source = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const schema = () => JSON.parse(source("crates/gateway/src/config/sieve.schema.json"));

test("pkg/types/config.d.ts equals the output of the schema", () => {
  assert.equal(source("pkg/types/config.d.ts"), configTypes(schema()), "run `node scripts/config-types.mjs`");
});

test("a schema that the script cannot express stops it", () => {
  const patterned = schema();
  patterned.$defs.comparison.oneOf[1].patternProperties = { "^~$": { type: "string" } };
  assert.throws(() => configTypes(patterned), /no key type for the pattern \^~\$/);
  const dangling = schema();
  dangling.properties.auth.$ref = "#/$defs/login";
  assert.throws(() => configTypes(dangling), /refers to #\/\$defs\/login, which it does not define/);
});
