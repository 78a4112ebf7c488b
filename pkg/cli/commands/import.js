// @ts-check
// `mcp-sieve import`: the servers of a host as a configuration, and Sieve in their place.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Unreadable, output, parseConfig, reading, rulesOf } from "../lib/input.js";
import { lint, locate } from "../lib/engine.js";
import { ENV_FILE } from "../lib/env-file.js";
import { YES } from "../lib/optional-packages.js";
import { MAX_SERVERS } from "../lib/gateway-inputs.js";
import { JSON_LINE, OUT } from "../lib/options.js";
import { ownCommand } from "../lib/own-command.js";
import { print, printJson, warn } from "../lib/print.js";
import { placeOf } from "../lib/files.js";
import { collect, includes } from "./import/collect.js";
import { readHostFile, usualFiles } from "./import/host-files.js";
import { backupOf, checkBackup, hasBackup, isHere, undo } from "./import/backups.js";
import { answersInitialize, withDraft } from "./import/command-trial.js";
import { checkSecrets, entryOf, installAll, isInWorkTree } from "./import/install.js";
import { DISCLOSURE, queryFor } from "./import/disclosure.js";
import { presetsIn, presetsOf } from "./import/presets.js";
import { failuresOf } from "./import/server-trial.js";
import { signInsOf } from "./import/sign-in.js";
import { environmentWith } from "./import/variables.js";
import { member, section } from "./init/jsonc.js";

export const usage = {
  summary: "Write sieve.jsonc from the servers that your hosts have, and put Sieve in their place.",
  takes: "[FILE]",
  most: Infinity,
  about: `FILE is the file of a host: mcp.json, claude_desktop_config.json, .vscode/mcp.json or .cursor/mcp.json (default: those
that exist here and in your home folder). Secrets stay out of sieve.jsonc, which refers to them as \${NAME}.
--install runs the programs that these files name, as their hosts do. A file of a git work tree is installed only if you name it.`,
  options: {
    out: { ...OUT, help: "The file to write (default: sieve.jsonc)." },
    install: {
      type: "boolean",
      help: "Start each server once, put Sieve in place of those that answer, and keep backups.",
    },
    undo: { type: "boolean", help: "Restore the files from their backups." },
    force: { type: "boolean", help: "Replace a file that exists, or was changed since it was installed." },
    ...ENV_FILE,
    json: JSON_LINE,
    ...YES,
  },
  examples: ["", ".vscode/mcp.json", "--install", "--undo"],
};

/** @param {Record<string, any>} given */
export default async function importServers({
  subjects,
  out = "sieve.jsonc",
  install: installing,
  undo: undoing,
  force,
  json,
  yes,
}) {
  const usual = subjects.length > 0 ? [] : usualFiles();
  // A repository may come from anyone, and `--install` runs the programs that the files name.
  const unnamed = installing ? usual.filter((path) => isHere(path) && isInWorkTree(path)) : [];
  const paths = subjects.length > 0 ? subjects : usual.filter((path) => !unnamed.includes(path));
  if (undoing) return restore(subjects.length > 0 ? subjects : paths.filter(hasBackup), force, json);
  if (unnamed.length > 0 && paths.length === 0) throw new Unreadable(ofRepository(unnamed));
  if (paths.length === 0)
    throw new Unreadable(
      "no file of a host is here or in your home folder: expected one, such as `npx mcp-sieve import mcp.json`",
    );
  if (out === "-") throw new Unreadable("--out: expected a file, which hosts and `npx mcp-sieve run` read");
  if (!existsSync(dirname(resolve(out)))) throw new Unreadable(`${out}: there is no such folder`);
  const kept = !force && existsSync(out);
  if (kept && !installing)
    throw new Unreadable(`${out} exists already: add --force to replace it, or -o FILE to write another file`);
  if (installing) paths.forEach(checkBackup);
  const own = installing ? ownCommand() : [];
  const files = paths.map(readHostFile);
  const all = readable(out, collect(files));
  if (installing) checkFiles(files, all, out);
  const { upstreams, variables, reports, signIns } = await usable(files, all, { path: out, yes, installing });
  const wanted = presetsOf(reports, upstreams.length);
  const known = kept ? parseConfig(rulesOf(out)) : undefined;
  if (known && !includes(known, upstreams))
    throw new Unreadable(
      `${out} exists already and has other servers than your hosts: add --force to replace it, or -o FILE to write another file`,
    );
  const served = known ? presetsIn(out, known, reports, wanted) : wanted;
  const installations = files
    .map((file, at) => ({
      file,
      taken: reports[at].taken.map(({ name }) => name),
      preset: served[at]?.name,
      query: queryFor(file.path, known, served[at]),
    }))
    .filter(({ taken }) => installing && taken.length > 0)
    .map((one) => ({ ...one, entry: entryOf(own, out, one, variables) }));
  const changing = installations.map(({ file }) => file.path);
  const text = textFor(upstreams, wanted.filter(Boolean));
  if (installations.length > 0) {
    const [first] = installations;
    const start = (path) => answersInitialize(entryOf(own, path, first, variables), hostEnvironment(variables));
    await (kept ? start(out) : withDraft(out, text, start));
  }
  if (upstreams.length > 0 && !kept) output(out, text);
  installAll(installations);
  const names = variables.map(({ name, server, place }) => ({ name, server, place }));
  const warnings = changing.filter(isInWorkTree).map(ofWorkTree);
  if (unnamed.length > 0) warnings.push(ofRepository(unnamed));
  if (json)
    printJson({
      config: upstreams.length > 0 ? out : undefined,
      files: reports.map(({ taken, ...report }) => ({ ...report, taken: taken.map(({ entry, ...one }) => one) })),
      variables: names,
      signIns,
      installed: changing,
      presets: Object.fromEntries(installations.flatMap(({ file, preset }) => (preset ? [[file.path, preset]] : []))),
      backups: changing.map(backupOf),
      warnings,
    });
  else {
    print(...told(reports), ...summary({ out, kept, upstreams, names, signIns, installations, subjects, own }));
    warn(...warnings);
  }
  return upstreams.length > 0 ? 0 : 1;
}

/** The environment in which a host starts Sieve. */
const hostEnvironment = (variables) => environmentWith(variables, process.env);

/** Returns what was collected. Refuses servers that the gateway does not take, with their place in the file that would be written. */
function readable(out, found) {
  const { upstreams } = found;
  if (upstreams.length === 0) return found;
  if (upstreams.length > MAX_SERVERS)
    throw new Unreadable(`expected at most ${MAX_SERVERS} servers, got ${upstreams.length}`);
  const text = textFor(upstreams, presetsOf(found.reports, upstreams.length).filter(Boolean));
  reading(out, () => lint(text, [], []), { text, locate });
  return found;
}

/** Refuses files that may not be written, before a server is started and before another file is written. */
function checkFiles(files, { variables, reports }, out) {
  const changing = files.map(({ path }) => path).filter((_, at) => reports[at].taken.length > 0);
  checkSecrets(changing, variables);
  [...changing, out].forEach(placeOf);
}

/**
 * Collects the servers again with the sign-in of those that need one and, before an installation that starts or asks each server
 * once, without those that fail. These stay in the files of the hosts.
 * @param {Parameters<typeof collect>[0]} files
 * @param {ReturnType<typeof collect>} found
 * @param {{ path: string, yes?: boolean, installing?: boolean }} options
 */
async function usable(files, found, { installing, ...options }) {
  /** The servers of a report with these names, each as its `entry`. @type {(names: { has(name: string): boolean }, reports: any[]) => any[]} */
  const taken = (names, reports) => reports.flatMap((report) => report.taken).filter(({ as }) => names.has(as));
  const signIns = await signInsOf(found.upstreams, found.reports);
  const guarded = new Set(taken(signIns, found.reports).map(({ entry }) => entry));
  const all = collect(files, new Map(), guarded);
  if (!installing) return all;
  const environment = hostEnvironment(all.variables);
  const failures = await failuresOf(all.upstreams, { ...options, environment });
  const reason = ({ as }) => `does not start, and stays in this file: ${failures.get(as)}`;
  return collect(files, new Map(taken(failures, all.reports).map((one) => [one.entry, reason(one)])), guarded);
}

/** The warning on a changed file of a project. */
const ofWorkTree = (path) =>
  isHere(path)
    ? `${path} is in a git work tree: commit neither the change, which names a file of this machine, nor ${backupOf(path)}, which contains the secrets of the original`
    : `${path} is in a git work tree: do not commit the change, which names a file of this machine`;

/** The message on files of a repository, which are not installed unless they are named. */
const ofRepository = (paths) =>
  `${paths.join(", ")}: not installed, because the file belongs to a git work tree and names programs that \`--install\` runs: if you trust it, name it, \`npx mcp-sieve import ${paths.join(" ")} --install\``;

function restore(paths, force, json) {
  if (paths.length === 0) throw new Unreadable("no file has a backup: Sieve is not installed in any");
  for (const path of paths) undo(path, force);
  if (json) printJson({ restored: paths });
  else print(...paths.map((path) => `${path}: restored as it was before Sieve was installed`));
  return 0;
}

/** The text of the configuration. */
function textFor(upstreams, presets) {
  return [
    "// Written by `npx mcp-sieve import` from the files of your hosts. `npx mcp-sieve check` reviews the file.",
    "{",
    "  // Variables in ${…} are secrets, which stand in your environment and not here.",
    ...(upstreams.length === 1 ? [member("upstream", upstreams[0])] : section("upstreams", upstreams)),
    "",
    "  // How tools are listed: all of them if they fit the budget, otherwise a few by which a model finds the others.",
    member("disclosure", DISCLOSURE),
    "",
    "  // Which tools callers see: groups, tags and policies.",
    ...section("groups", []),
    ...section("rules", []),
    ...(presets.length > 0
      ? ["", "  // The servers of each host, which starts Sieve with `--preset NAME`.", ...section("presets", presets)]
      : []),
    "}",
    "",
  ].join("\n");
}

/** A line for each server of each file. */
function told(reports) {
  return reports.flatMap(({ path, taken, left }) => [
    `${path}`,
    ...taken.flatMap(({ name, as, notes }) => [
      `  ${name}: taken${as === name ? "" : ` as ${as}`}`,
      ...notes.map((note) => `    ${note}`),
    ]),
    ...left.map(({ name, reason }) => `  ${name}: left out: ${reason}`),
  ]);
}

/** A word for a shell. */
const quoted = (/** @type {string} */ word) =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function summary({ out, kept, upstreams, names, signIns, installations, subjects, own }) {
  if (upstreams.length === 0) return ["", "No server was imported, and nothing is written."];
  const secrets = names.map(({ name, server, place }) => `  ${name} (${place} of ${server})`);
  return [
    "",
    `${out}: ${upstreams.length} server${upstreams.length === 1 ? "" : "s"}${kept ? "; the file stays as it is" : ""}`,
    ...(secrets.length > 0 ? ["Variables that it needs in the environment:", ...secrets] : []),
    ...(signIns.length > 0 ? ["Servers to which you sign in, in your browser:"] : []),
    ...signIns.map((name) => `  npx mcp-sieve login ${quoted(name)} --config ${quoted(out)}`),
    ...installations.map(
      ({ file: { path }, preset }) =>
        `${path}: starts Sieve instead${preset === undefined ? "" : `, with the preset \`${preset}\` for the servers that it had`}; the file as it was, with its secrets, is ${backupOf(path)}`,
    ),
    installations.length > 0
      ? `Restart your hosts. \`${[...own, "import", "--undo", ...subjects].join(" ")}\` restores their files.`
      : "`npx mcp-sieve run` serves it; `npx mcp-sieve import --install` puts Sieve in place of these servers.",
  ];
}
