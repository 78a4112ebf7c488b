// `make misbehaving`: every form at every client and command. Prints what the commands lose, and writes the record and the page.
// ONLY=pattern runs some of the forms, and CLIENTS=keep keeps what is recorded of the clients.
import { existsSync, writeFileSync } from "node:fs";
import { FORMS } from "./forms/index.mjs";
import { observe } from "./observe.mjs";
import { PAGE, RECORD, pageText, recorded } from "./page.mjs";
import { recordOf, unexplained } from "./results.mjs";

const { ONLY = "", CLIENTS = "" } = process.env;
const forms = FORMS.filter(({ name }) => new RegExp(ONLY).test(name));
const before = existsSync(RECORD) ? recorded() : {};
const report = (name, seconds) => console.log(`${name}: ${seconds} s`);
const found = recordOf(forms, await observe(forms, { clients: CLIENTS !== "keep", report }), before);
const record = Object.fromEntries(FORMS.map(({ name }) => [name, found[name] ?? before[name]]));
for (const form of forms) {
  const losses = unexplained(form, record[form.name]);
  if (losses.length > 0) console.log(`${form.name}: ${losses.join(", ")}`);
}
const rows = Object.entries(record).map(([name, row]) => `  ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
writeFileSync(RECORD, `{\n${rows.join(",\n")}\n}\n`);
writeFileSync(PAGE, pageText(record));
process.exit(0);
