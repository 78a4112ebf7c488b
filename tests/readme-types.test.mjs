// Every block of TypeScript and JavaScript on the pages, compiled as strictly as TypeScript can, beside the packed package
// and the types of the libraries that the blocks import. The blocks come from the pages: a new one is compiled too.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installTarball, link } from "./support/tarball.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGES = [
  "README.md",
  "pkg/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const LIBRARIES = [
  "@ai-sdk/mcp",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@types/node",
  "@types/react",
  "ai",
  "react",
  "use-mcp",
  "zod",
];
const EXTENSIONS = { ts: "mts", tsx: "tsx", js: "mjs", mjs: "mjs", jsx: "jsx" };

/**
 * Errors that are known, by the block's file: TypeScript's codes, each once. A block that no longer has one of them fails
 * the test too.
 */
const KNOWN = {
  // The official client's types know no `filter`.
  "list.mjs": ["TS2353"],
};

/** The blocks of a page: their code, their language, and the name of the file that a comment gives them. */
function blocksOf(page) {
  const text = readFileSync(join(root, page), "utf8");
  const fenced = [...text.matchAll(/^(?:<!-- file: (\S+) -->\n)?```(\w+)\n([^]*?)^```$/gm)].flatMap(
    ([, file, language, code]) => {
      if (language === "html")
        return [...code.matchAll(/<script type="module">([^]*?)<\/script>/g)].map(([, script]) => ({
          language: "js",
          code: script,
        }));
      return language in EXTENSIONS ? [{ file, language, code }] : [];
    },
  );
  return fenced.map((block, at) => ({
    ...block,
    page,
    name: `${page.replaceAll(/\W/g, "-")}-${at + 1}.${EXTENSIONS[block.language]}`,
  }));
}

let consumer;
before(async () => {
  consumer = await installTarball();
  link(consumer, LIBRARIES);
});
after(() => consumer?.remove());

/** What TypeScript says of these blocks, by the name of the block. */
async function compile(folder, blocks, options) {
  mkdirSync(join(consumer.folder, folder));
  for (const { name, code } of blocks) consumer.write(`${folder}/${name}`, `${code}\nexport {};\n`);
  const settings = {
    extends: "../tsconfig.json",
    // The package's own types are checked elsewhere, those of others are not ours to mend.
    compilerOptions: {
      lib: ["esnext", "dom", "dom.iterable"],
      jsx: "react-jsx",
      types: ["node"],
      skipLibCheck: true,
      ...options,
    },
    include: ["*"],
  };
  const project = consumer.write(`${folder}/tsconfig.json`, JSON.stringify(settings));
  const { stdout } = await promisify(execFile)(
    fileURLToPath(new URL("node_modules/.bin/tsc", import.meta.url)),
    ["--project", project, "--pretty", "false"],
    { cwd: join(consumer.folder, folder) },
  ).catch((failed) => failed);
  const said = Map.groupBy(stdout.split(/\n(?! )/).filter(Boolean), (line) => line.split("(", 1)[0]);
  assert.deepEqual(
    [...said.keys()].filter((name) => !blocks.some((block) => block.name === name)),
    [],
    stdout,
  );
  return said;
}

function judge(blocks, said) {
  for (const { name, file, page, code } of blocks) {
    const lines = said.get(name) ?? [];
    const codes = [...new Set(lines.map((line) => /error (TS\d+)/.exec(line)?.[1]))].sort();
    assert.deepEqual(codes, KNOWN[file] ?? [], `${page}${file ? `, ${file}` : ""}:\n${lines.join("\n")}\n\n${code}`);
  }
}

const blocks = PAGES.flatMap(blocksOf);
const isScript = ({ language }) => /^m?jsx?$/.test(language);

test("the pages have blocks of each kind", () => {
  for (const page of ["README.md", "pkg/README.md"])
    assert.ok(
      blocks.some((block) => block.page === page),
      page,
    );
  for (const language of ["js", "ts", "tsx"])
    assert.ok(
      blocks.some((block) => block.language === language),
      language,
    );
  for (const file of Object.keys(KNOWN))
    assert.ok(
      blocks.some((block) => block.file === file),
      `no page has ${file}`,
    );
});

test("TypeScript on the pages is strict TypeScript", async () => {
  const typed = blocks.filter((block) => !isScript(block));
  judge(typed, await compile("typed", typed, {}));
});

test("JavaScript on the pages passes the same checks, without annotations", async () => {
  const scripts = blocks.filter(isScript);
  judge(scripts, await compile("scripts", scripts, { allowJs: true, checkJs: true, noImplicitAny: false }));
});
