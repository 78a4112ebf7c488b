// Runs classes of attack. Each class is a module of classes/ with `description` and `attempt(stage, size, random)`.
import { readdirSync } from "node:fs";
import { seedOf, seeded } from "./random.mjs";
import { brief } from "./verdict.mjs";

const folder = new URL("classes/", import.meta.url);
/** Maximum number of failures of one class that are reported in full. */
const REPORTED = 5;
/** Maximum duration of a class that names no other, in milliseconds. */
const LIMIT_MS = 900_000;

/** Returns every class by name, in alphabetical order. */
export async function loadClasses() {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".mjs"))
    .sort();
  const modules = await Promise.all(names.map((name) => import(new URL(name, folder))));
  return modules.map((module, at) => ({ name: names[at].replace(".mjs", ""), ...module }));
}

function limit(ms, name) {
  let timer;
  const expired = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${name} did not end within ${ms / 1_000} s`)), ms);
  });
  return { expired, clear: () => clearTimeout(timer) };
}

/** Runs a class. Returns counts and the failures, the first of them in full. */
export async function play({ name, description, attempt, limitMs = LIMIT_MS }, stage, size, seed) {
  const counts = { attempts: 0, held: 0, controls: 0 };
  const failures = [];
  const begun = performance.now();
  const scope = stage.scope();
  const clock = limit(limitMs, name);
  const work = async () => {
    for await (const step of attempt(scope, size, seeded(seedOf(seed, name)))) {
      if ("control" in step) {
        counts.controls += 1;
        if (!step.works) failures.push(`the control "${step.control}" fails: ${brief(step.saw)}`);
        continue;
      }
      counts.attempts += 1;
      if (step.held) counts.held += 1;
      else failures.push(`${brief(step.request, 600)} → ${brief(step.saw)}`);
    }
  };
  try {
    await Promise.race([work(), clock.expired]);
    if (counts.controls === 0) failures.push("no control proves that a success would be seen");
    if (counts.attempts === 0) failures.push("nothing was attempted");
  } catch (error) {
    failures.push(`the class stopped: ${error?.stack ?? error}`);
  } finally {
    clock.clear();
    await scope.stop();
  }
  return { name, description, ...counts, failures, seconds: (performance.now() - begun) / 1_000 };
}

/** Returns a class's failures as text, with the command that repeats them. */
export function report({ name, failures }, seed) {
  const shown = failures.slice(0, REPORTED).map((failure) => `  - ${failure}`);
  const more = failures.length > REPORTED ? [`  … and ${failures.length - REPORTED} more`] : [];
  return [
    `${name}: ${failures.length} failed; repeat with SEED=${seed} node tests/attacks/run.mjs ${name}`,
    ...shown,
    ...more,
  ].join("\n");
}

/** Returns the results as a table. */
export function table(results) {
  const rows = results.map(({ description, attempts, held, controls, failures }) => {
    const verdict = failures.length === 0 ? "held" : `**broken: ${failures.length}**`;
    return `| ${description} | ${attempts} | ${held} | ${controls} | ${verdict} |`;
  });
  return ["| class | attempts | held | controls | result |", "|---|--:|--:|--:|---|", ...rows].join("\n");
}
