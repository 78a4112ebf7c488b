// Compares the sizes of shipped files with benches/size-budget.json. Exits with 1 if one of them exceeds its limit.
import { existsSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const measures = {
  raw: (bytes) => bytes.length,
  gzip: (bytes) => gzipSync(bytes, { level: 9 }).length,
  brotli: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
};
const root = new URL("..", import.meta.url);
const budget = JSON.parse(readFileSync(new URL("benches/size-budget.json", root), "utf8"));

let over = 0;
for (const { file, name, limits } of budget) {
  const url = new URL(file, root);
  if (!existsSync(url)) {
    console.error(`${file} is missing; \`make build\` makes it`);
    process.exit(1);
  }
  const bytes = readFileSync(url);
  const cells = Object.entries(measures).map(([measure, of]) => {
    const size = of(bytes);
    const limit = limits[measure];
    if (limit !== undefined && size > limit) over += 1;
    return `${measure} ${size}${limit === undefined ? "" : size > limit ? ` (over ${limit})` : ` (of ${limit})`}`;
  });
  console.log(`${name}: ${cells.join(", ")}`);
}
process.exitCode = over === 0 ? 0 : 1;
