// Compares the sizes of shipped files with benches/sizes.json and prints each with its change. `node scripts/size.mjs`
// fails if a file is more than 3 % larger; `UPDATE=1 make sizes` writes the file. benches/SIZES.md explains when. For an
// engine that was built without `split`, it prints what this costs the pages.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * Growth that passes. Ordinary changes and compiler updates move a size by less than a percent, so that few changes have
 * to update the file. A new dependency or a table of data adds more than 3 %.
 */
const TOLERANCE = 0.03;

/** Size of a WebAssembly module without sections. */
const EMPTY_MODULE = 8;

const root = new URL("..", import.meta.url);
const file = new URL("benches/sizes.json", root);
const count = (number) => number.toLocaleString("en");

/** Returns the size of a file in bytes: raw, and after each compression. */
export function sizesOf(bytes) {
  const hint = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, hint).length,
  };
}

/** Whether each of the sizes is within the tolerance. A file without recorded sizes is not. */
export const passes = (recorded, sizes) =>
  Object.entries(sizes).every(([measure, size]) => size <= recorded?.[measure] * (1 + TOLERANCE));

/** Returns the recorded files: their names, paths and sizes. */
export const recordedSizes = () => JSON.parse(readFileSync(file, "utf8"));

/** Whether the built package has the engine in parts. `scripts/build-whole` writes empty modules in place of parts. */
export const isSplit = () => statSync(new URL("pkg/dist/parts/search.wasm", root)).size > EMPTY_MODULE;

/** Prints what pages load at first if the engine is not split, compared with the recorded first module. */
function printWhole(recorded) {
  const first = recorded.find(({ file }) => file === "pkg/dist/parts/engine.wasm").sizes.brotli;
  const { brotli } = sizesOf(readFileSync(new URL("pkg/dist/sieve_bg.wasm", root)));
  const percent = ((brotli / first - 1) * 100).toFixed(0);
  console.log(
    `The engine is not split. Pages first load ${count(brotli)} bytes after brotli, not ${count(first)} (+${percent} %).`,
  );
}

function main() {
  const update = Boolean(process.env.UPDATE);
  let recorded = recordedSizes();
  if (existsSync(new URL("pkg/dist/parts/search.wasm", root)) && !isSplit()) {
    printWhole(recorded);
    if (process.argv.includes("--whole")) return;
    // A release must be split, and the recorded sizes are those of a release.
    if (update || process.env.CI) {
      console.error("error: expected an engine in parts: run `make setup`, and build without SPLIT=0");
      process.exitCode = 1;
      return;
    }
    recorded = recorded.filter(({ file }) => !file.startsWith("pkg/dist/parts/"));
  }
  const measured = [];
  const grown = [];
  for (const { name, file, sizes: before } of recorded) {
    const url = new URL(file, root);
    if (!existsSync(url)) {
      console.error(`error: ${file} is missing; \`make build\` makes it`);
      process.exitCode = 1;
      return;
    }
    const sizes = sizesOf(readFileSync(url));
    measured.push({ name, file, sizes });
    if (!passes(before, sizes)) grown.push(name);
    const cells = Object.entries(sizes).map(([measure, size]) => {
      const percent = (size / before?.[measure] - 1) * 100;
      const change = Number.isNaN(percent) ? "new" : `${percent < 0 ? "" : "+"}${percent.toFixed(2)} %`;
      return `${measure} ${count(size).padStart(9)} ${change.padStart(8)}`;
    });
    console.log(`${name.padEnd(26)} ${cells.join("   ")}`);
  }
  if (update) {
    const rows = measured.map(({ name, file, sizes: { raw, gzip, brotli } }) => {
      const sizes = `{ "raw": ${raw}, "gzip": ${gzip}, "brotli": ${brotli} }`;
      return `  { "name": "${name}", "file": "${file}", "sizes": ${sizes} }`;
    });
    writeFileSync(file, `[\n${rows.join(",\n")}\n]\n`);
  } else if (grown.length > 0) {
    console.error(`error: more than ${TOLERANCE * 100} % larger than in benches/sizes.json: ${grown.join(", ")}
If the growth is worth it, record it with \`UPDATE=1 make sizes\` and add a row to benches/SIZES.md`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
