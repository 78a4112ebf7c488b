// Runs forms at all official clients and commands.
import { fileURLToPath } from "node:url";
import { installCommand } from "../support/command.mjs";
import { eachOf } from "../support/each.mjs";
import { STDIO_FORMS } from "./forms/stdio.mjs";
import { ORACLES } from "./oracles.mjs";
import { startMisbehaving } from "./server.mjs";
import { SUBJECTS } from "./sieve.mjs";

const script = fileURLToPath(new URL("stdio.mjs", import.meta.url));

/**
 * Returns the observations of the forms as `{ clients, commands }`, each by name and in the order of the forms. There are no
 * `clients` if they are switched off. `report` is called with each name and how many seconds it took. They mostly wait, and a few
 * forms leave time for several `atATime`.
 */
export async function observe(forms, { clients = true, report = () => {}, atATime = 1 } = {}) {
  // The version 2 of the TypeScript client reports each list that a server does not announce.
  console.debug = () => {};
  const server = await startMisbehaving(forms);
  const command = await installCommand();
  command.install("workerd");
  const run = async (name, look) => {
    const begun = Date.now();
    const places = forms.map((form) => ({
      form: form.name,
      place: STDIO_FORMS.includes(form)
        ? [process.execPath, script, form.name]
        : server.url(name.replaceAll(/\W+/g, "-"), form.name),
    }));
    const seen = await look(places);
    report(name, Math.round((Date.now() - begun) / 1_000));
    return [name, seen];
  };
  try {
    const oracles = clients ? Object.entries(ORACLES) : [];
    const seen = await eachOf(oracles, ([name, look]) => run(name, look), atATime);
    const commands = await eachOf(Object.entries(SUBJECTS), ([name, look]) => run(name, look(command)), atATime);
    return { clients: clients ? Object.fromEntries(seen) : undefined, commands: Object.fromEntries(commands) };
  } finally {
    server.stop();
    await command.remove();
  }
}
