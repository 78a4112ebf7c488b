// Prints, as JSON, the members of a wrangler.jsonc that every host of the Worker needs: the compatibility date, the
// module types and the Durable Objects.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
// Removes comments and trailing commas, and keeps strings unchanged.
const bare = text
  .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[^]*?\*\//g, "$1")
  .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, "$1");
const { compatibility_date, rules, durable_objects, migrations } = JSON.parse(bare);
console.log(JSON.stringify({ compatibility_date, rules, durable_objects, migrations }));
