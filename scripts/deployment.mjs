// What the Worker needs wherever it runs, from its wrangler.jsonc, as JSON: the date, the module types and the objects.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
// Comments and commas at an end go; strings stay as they are.
const bare = text
  .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[^]*?\*\//g, "$1")
  .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, "$1");
const { compatibility_date, rules, durable_objects, migrations } = JSON.parse(bare);
console.log(JSON.stringify({ compatibility_date, rules, durable_objects, migrations }));
