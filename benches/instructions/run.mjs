// Counts the instructions of eleven cases and compares them with counts.json. The counts do not depend on the speed or
// load of the machine. `node benches/instructions/run.mjs` fails if a case differs by more than 3 %; `make instructions
// UPDATE=1` writes the file.
//
// Only instructions of the program itself count, not those of other objects. The C library copies and compares memory
// differently on each processor, and its allocator changes from release to release.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TOLERANCE = 0.03;
const PROFILE = "counted";
/** The function of the program to which counting is limited, as callgrind prints its name. */
const MEASURED = "bench_instructions::measured*";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = new URL("counts.json", import.meta.url);
const count = (number) => number.toLocaleString("en");
const run = (command, args) => execFileSync(command, args, { cwd: root, encoding: "utf8" });

/**
 * Returns the number of instructions that functions of `object` executed themselves, from the text of a profile. A line
 * of costs has a position and a cost. The line after `calls=` has the cost of the called function, which is counted at
 * that function.
 */
export function ownInstructions(profile, object) {
  const names = new Map();
  let own = false;
  let called = false;
  let sum = 0;
  for (const line of profile.split("\n")) {
    const named = /^ob=\((\d+)\)(?: (.*))?$/.exec(line);
    if (named) {
      const [, number, name] = named;
      if (name !== undefined) names.set(number, name);
      own = names.get(number) === object;
      continue;
    }
    // The objects of called functions use the same numbers.
    const other = /^cob=\((\d+)\) (.*)$/.exec(line);
    if (other) names.set(other[1], other[2]);
    else if (line.startsWith("calls=")) called = true;
    else if (/^[+\-*\d]/.test(line)) {
      if (own && !called) sum += Number(line.split(" ")[1]);
      called = false;
    }
  }
  return sum;
}

async function measure(program, name, folder) {
  const out = join(folder, name);
  const options = [
    "--tool=callgrind",
    `--callgrind-out-file=${out}`,
    "--collect-atstart=no",
    `--toggle-collect=${MEASURED}`,
  ];
  await promisify(execFile)("valgrind", [...options, program, name]).catch((error) => {
    throw new Error(`${name}: ${error.stderr || error.message}`);
  });
  const instructions = ownInstructions(readFileSync(out, "utf8"), program);
  if (instructions === 0) throw new Error(`${name}: nothing was counted`);
  return instructions;
}

async function main() {
  if (process.arch !== "x64" || process.platform !== "linux") {
    console.log("instructions are counted on Linux on x86-64 alone: skipped");
    return;
  }
  const compiler = run("rustc", ["--version"]).trim();
  const saved = JSON.parse(readFileSync(file, "utf8"));
  if (!process.env.UPDATE && saved.compiler !== compiler) {
    console.log(
      `counts.json is of ${saved.compiler}, this is ${compiler}: write it with \`make instructions UPDATE=1\``,
    );
    // Each compiler generates other instructions. The file must match the compiler in CI only, where changes are
    // accepted.
    process.exitCode = process.env.CI ? 1 : 0;
    return;
  }
  run("cargo", ["build", "--quiet", "--profile", PROFILE, "--package", "bench-instructions"]);
  const { target_directory } = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--no-deps"]));
  const program = join(target_directory, PROFILE, "bench-instructions");
  const names = run(program, []).trim().split("\n");
  const folder = mkdtempSync(join(tmpdir(), "instructions-"));
  const counts = {};
  try {
    const waiting = [...names];
    const work = async () => {
      for (let name = waiting.shift(); name; name = waiting.shift())
        counts[name] = await measure(program, name, folder);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const off = [];
  for (const name of names) {
    const before = saved.instructions[name];
    const change = before ? counts[name] / before - 1 : Number.NaN;
    if (!(Math.abs(change) <= TOLERANCE)) off.push(name);
    const words = before ? `${change < 0 ? "" : "+"}${(change * 100).toFixed(2)} %` : "new";
    console.log(`${name.padEnd(12)} ${count(counts[name]).padStart(14)}  ${words}`);
  }
  off.push(...Object.keys(saved.instructions).filter((name) => !names.includes(name)));
  if (process.env.UPDATE) {
    const instructions = Object.fromEntries(names.map((name) => [name, counts[name]]));
    writeFileSync(file, `${JSON.stringify({ compiler, instructions }, undefined, 2)}\n`);
  } else if (off.length > 0) {
    console.error(`error: more than 3 % from counts.json: ${off.join(", ")}
A case that got slower is a regression, unless its reason is worth it. To accept the counts: make instructions UPDATE=1`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
