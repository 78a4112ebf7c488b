// Lists the public API of each crate, one item a line, so that a review shows every change to it.
//
// `node scripts/public-api.mjs` writes the pages in docs/public-api; with `--check` it fails if a page is not current.
// Items with `#[doc(hidden)]` are not part of the API.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The crates, with their pages and the maximum number of names that their modules export. */
const CRATES = [
  { name: "mcp-sieve", page: "engine", maxNames: 142 },
  { name: "mcp-sieve-redact", page: "redact", maxNames: 40 },
  { name: "mcp-sieve-gateway", page: "gateway", maxNames: Infinity },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;

/** Returns the description of a crate that rustdoc writes as JSON, a format that is still unstable. */
function description(name) {
  execFileSync(
    "cargo",
    [
      "rustdoc",
      "--quiet",
      "--package",
      name,
      "--lib",
      "--",
      "-Z",
      "unstable-options",
      "--output-format",
      "json",
      "--document-hidden-items",
      "--cap-lints",
      "allow",
    ],
    // The variable that allows this is set for rustdoc only: with cargo it would change the fingerprint of every
    // dependency.
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, RUSTDOC: `${root}scripts/rustdoc-unstable` },
    },
  );
  return JSON.parse(readFileSync(`${target}/doc/${name.replaceAll("-", "_")}.json`, "utf8"));
}

const sources = new Map();

/** Returns the source text of an item, without comments. */
function text({ span }) {
  const { filename, begin, end } = span;
  if (!sources.has(filename)) sources.set(filename, readFileSync(`${root}${filename}`, "utf8").split("\n"));
  const lines = sources.get(filename).slice(begin[0] - 1, end[0]);
  lines[lines.length - 1] = lines.at(-1).slice(0, end[1]);
  lines[0] = lines[0].slice(begin[1] - 1);
  return lines.map((line) => line.replace(/^\s*\/\/.*/, "")).join(" ");
}

/**
 * Returns the text before the body, the value or the fields, on one line, with the path by which users name the item.
 */
function head(item, path) {
  const all = text(item);
  const ends = sortOf(item).includes("const") || sortOf(item).includes("type") ? "{;=" : "{;";
  let depth = 0;
  let end = 0;
  for (; end < all.length && !(depth === 0 && ends.includes(all[end])); end++) {
    if ("([".includes(all[end])) depth++;
    if (")]".includes(all[end])) depth--;
  }
  const line = all
    .slice(0, end)
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1");
  const named = line.replace(/^pub /, "").trim();
  // The text of an item that a macro generates is the call of the macro.
  return named.includes(item.name) ? named.replace(item.name, path) : `${sortOf(item)} ${path}`;
}

const isHidden = (item) => item.attrs.some((attr) => (attr.other ?? attr).includes?.("doc(hidden)"));
/** Returns the mark of a type that may get members in a later release without a new major version. */
const growing = (item) => (JSON.stringify(item.attrs).includes("non_exhaustive") ? "non_exhaustive " : "");
const isOpen = (item) => item && !isHidden(item) && (item.visibility === "public" || item.visibility === "default");
const sortOf = (item) => Object.keys(item.inner)[0];

/** The items of the crate that is being listed, by number. */
let index;
let lines;
/** Item → the path under which it is listed in full. Under any other path, a line refers to that one. */
let listed;
let names;

function members(ids, path) {
  for (const id of ids) if (isOpen(index[id])) show(index[id], `${path}::${index[id].name}`);
}

function implementations(ids, path) {
  const traits = new Set();
  for (const id of ids) {
    const { trait, items, is_synthetic: automatic, blanket_impl: blanket } = index[id].inner.impl;
    if (automatic || blanket || isHidden(index[id])) continue;
    if (trait) traits.add(trait.path.split("::").at(-1));
    else members(items, path);
  }
  traits.delete("StructuralPartialEq");
  for (const name of traits) lines.push(`impl ${name} for ${path}`);
}

/** Lists an item under the path by which users name it. */
function show(item, path) {
  const sort = sortOf(item);
  const inner = item.inner[sort];
  if (sort === "module") {
    lines.push(`mod ${path}`);
    exported(inner.items, path);
  } else if (sort === "struct") {
    lines.push(growing(item) + (inner.kind.tuple ? `struct ${path}` : head(item, path)));
    members(
      (inner.kind.plain?.fields ?? inner.kind.tuple ?? []).filter((id) => id !== null),
      path,
    );
    implementations(inner.impls, path);
  } else if (sort === "enum") {
    lines.push(growing(item) + head(item, path));
    members(inner.variants, path);
    implementations(inner.impls, path);
  } else if (sort === "trait") {
    lines.push(head(item, path));
    members(inner.items, path);
  } else if (sort === "variant") {
    lines.push(`variant ${path}`);
  } else if (sort === "struct_field") {
    lines.push(
      `field ${path}${text(item)
        .replace(/^pub /, "")
        .replace(/^[\w#]+:/, ":")
        .replace(/,$/, "")}`,
    );
  } else {
    lines.push(head(item, path));
  }
}

/** Lists the items that a module exports. A re-export is listed as the item that it names. */
function exported(ids, path) {
  for (const id of ids) {
    const item = index[id];
    if (!isOpen(item) || item.visibility !== "public" || sortOf(item) === "impl") continue;
    const use = item.inner.use;
    const target = use ? index[use.id] : item;
    const own = `${path}::${use?.name ?? item.name}`;
    if (use?.is_glob && target) {
      exported(target.inner.module.items, path);
      continue;
    }
    if (!target || sortOf(target) !== "module") names++;
    if (!target) lines.push(`use ${own} = ${use.source}`);
    else if (listed.has(target.id)) lines.push(`use ${own} = ${listed.get(target.id)}`);
    else {
      listed.set(target.id, own);
      show(target, own);
    }
  }
}

/** Returns the page of a crate, and the number of names in it. */
function listing({ name, maxNames }) {
  const crate = description(name);
  index = crate.index;
  lines = [];
  listed = new Map();
  names = 0;
  exported(index[crate.root].inner.module.items, name.replaceAll("-", "_"));
  const limit = maxNames === Infinity ? "" : `, at most ${maxNames}`;
  return { page: `# ${names} names${limit}; written by scripts/public-api.mjs\n${lines.join("\n")}\n`, names };
}

for (const crate of CRATES) {
  const { page, names } = listing(crate);
  const path = `docs/public-api/${crate.page}.txt`;
  if (process.argv[2] === "--check") {
    if (!existsSync(root + path) || readFileSync(root + path, "utf8") !== page) {
      console.error(`${path} is not the public API of ${crate.name}: run \`node scripts/public-api.mjs\``);
      process.exitCode = 1;
    }
  } else {
    mkdirSync(`${root}docs/public-api`, { recursive: true });
    writeFileSync(root + path, page);
  }
  console.log(`${crate.name}: ${names} names`);
  if (names > crate.maxNames) {
    console.error(`${crate.name} exports ${names} names, at most ${crate.maxNames}: hide what users do not need`);
    process.exitCode = 1;
  }
}
