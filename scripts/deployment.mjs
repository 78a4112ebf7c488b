// What whoever runs the Worker elsewhere needs of its wrangler.jsonc, as JSON: the date and the objects.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
// Comments and commas at an end go; strings stay as they are.
const bare = text.replaceAll(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[^]*?\*\//g, "$1").replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, "$1");
const { compatibility_date, durable_objects, migrations } = JSON.parse(bare);
console.log(JSON.stringify({ compatibility_date, durable_objects, migrations }));
