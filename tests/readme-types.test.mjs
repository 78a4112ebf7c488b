// Compiles every block of TypeScript and JavaScript on the pages, as strictly as TypeScript can, against the packed
// package and the types of the imported libraries. The blocks are read from the pages, so new ones are compiled too.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import "./support/home.mjs";
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
  "mcp-handler",
  "react",
  "use-mcp",
  "zod",
];
const EXTENSIONS = { ts: "mts", tsx: "tsx", js: "mjs", mjs: "mjs", jsx: "jsx" };

/**
 * Known errors by the block's file: TypeScript's codes, each once. The test also fails if a block no longer has one of
 * them.
 */
const KNOWN = {
  // These libraries are not installed here, and the test of the page runs the programs.
  "provider.mjs": ["TS2307"],
  "notes.mjs": ["TS2307"],
  // A server that listens on a port may also listen on a path, as far as types know.
  "each.mjs": ["TS2307", "TS2339", "TS2531"],
  // The official client's types lack `filter`.
  "list.mjs": ["TS2353"],
};

/** Returns the blocks of a page: their code, their language, and the file name in the comment before them. */
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

/** Returns the errors of TypeScript for these blocks, by the name of the block. */
async function compile(folder, blocks, options) {
  mkdirSync(join(consumer.folder, folder));
  for (const { name, code } of blocks) consumer.write(`${folder}/${name}`, `${code}\nexport {};\n`);
  const settings = {
    extends: "../tsconfig.json",
    // Other tests check the package's own types. Those of third parties are not checked.
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
