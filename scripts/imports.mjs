// Fails when a JavaScript file imports a relative path that is not in the repository. Files that a build, an installation
// or a test writes are left out, since lint runs before these. So are imports behind the first declaration, which
// programs in strings contain too.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
const files = new Set(listed.split("\n"));
const made =
  /(^|\/)(build|dist|node_modules)\/|^web\/pkg\/|^worker\/index\.js$|^tests\/crossings\/index\.js$|^tests\/support\/react\/tools-readme\.tsx$/;
const declaration = /^(?:export )?(?:default )?(?:async )?(?:const|let|function|class|test|describe)\b/m;
const specifier = /^(?:import|export)\b[^"';]*["'](\.{1,2}\/[^"']+)["']/gm;

let found = 0;
const missing = [];
for (const file of files) {
  if (!/\.(js|mjs|jsx)$/.test(file)) continue;
  const [head] = readFileSync(root + file, "utf8").split(declaration, 1);
  for (const [, path] of head.matchAll(specifier)) {
    const target = posix.join(posix.dirname(file), path);
    found += 1;
    if (!files.has(target) && !made.test(target)) missing.push(`${file}: ${path}`);
  }
}
if (found === 0) missing.push("no file has a relative import, which cannot be");
if (missing.length > 0) {
  console.error(`imports of files that are not in the repository:\n${missing.join("\n")}`);
  process.exit(1);
}
