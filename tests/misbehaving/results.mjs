// The results of all clients and commands, their comparison, and the tables that show them.
import { KINDS, idOf } from "./core.mjs";
import { KINDS_OF_FORMS } from "./forms/index.mjs";

/** Letters of a cell: the four lists and a call. */
const LETTERS = { tools: "T", resources: "R", resourceTemplates: "M", prompts: "P" };
const CALL = "C";
/** What most forms list, which the record leaves out. */
const USUAL = Object.fromEntries(KINDS.map((kind) => [kind, ["one", "two"]]));
/** What is recorded of a client or command that lists and calls everything. */
const ALL = "all";
/** The commands whose gateway is called too. */
const CALLING = ["dev", "run"];

/** Returns the word of an id of a form. Ids of another shape stay. */
function wordOf(form, kind, id) {
  const [before, after] = idOf(form, kind, "\n").split("\n");
  const own = id.length >= before.length + after.length && id.startsWith(before) && id.endsWith(after);
  return own ? id.slice(before.length, id.length - after.length) : id;
}

/** Returns what of `lists` is missing, as it is recorded. `has(kind, word)` tells what was listed. */
function lackOf(lists, has, call) {
  const missing = KINDS.map((kind) => [kind, lists[kind].filter((word) => !has(kind, word))]).filter(
    ([, words]) => words.length > 0,
  );
  if (missing.length === 0 && call) return ALL;
  return { ...(missing.length > 0 ? { without: Object.fromEntries(missing) } : {}), ...(call ? {} : { call: false }) };
}

/**
 * Returns what is recorded of the observations `{ clients, commands }`, each by name and in the order of `forms`: by form
 * `{ lists?, clients, commands }`. `lists` has what any client lists. Of each client and command there is what it lacks of that,
 * `null` without a connection, and of `init` whether it accepts the server. Without `clients`, those of the record `before` stay.
 */
export function recordOf(forms, { clients, commands }, before = {}) {
  const byName = (observations, of) =>
    Object.fromEntries(Object.entries(observations).map(([name, all]) => [name, of(all)]));
  return Object.fromEntries(
    forms.map(({ name: form }, at) => {
      const row =
        clients === undefined
          ? before[form]
          : seenOf(
              form,
              byName(clients, (all) => all[at]),
            );
      if (row === undefined) throw new Error(`${form}: run the clients too, of which nothing is recorded`);
      const lists = listsOf(row);
      const ofCommand = ({ accepted, ids, call }, calls) =>
        ids === undefined
          ? accepted
          : lackOf(
              lists,
              (kind, word) => ids[kind].has(idOf(form, kind, word)) || ids[kind].has(word),
              !calls || call === "ok",
            );
      const seen = Object.entries(commands).map(([name, all]) => [name, ofCommand(all[at], CALLING.includes(name))]);
      return [form, { ...row, commands: Object.fromEntries(seen.filter(([, one]) => one !== undefined)) }];
    }),
  );
}

const listsOf = ({ lists = {} }) => ({ ...USUAL, ...lists });

/** Returns the row of a form with what its clients list. */
function seenOf(form, clients) {
  const all = Object.values(clients);
  const words = KINDS.map((kind) => [
    kind,
    [...new Set(all.flatMap((seen) => seen[kind].map((id) => wordOf(form, kind, id))))],
  ]);
  const unusual = words.filter(([kind, listed]) => listed.join() !== USUAL[kind].join());
  const lists = Object.fromEntries(words);
  const lacks = Object.entries(clients).map(([name, { problem, call, ...seen }]) => {
    const has = (kind, word) => seen[kind].some((id) => wordOf(form, kind, id) === word);
    return [name, problem === undefined ? lackOf(lists, has, call === "ok") : null];
  });
  return { ...(unusual.length > 0 ? { lists: Object.fromEntries(unusual) } : {}), clients: Object.fromEntries(lacks) };
}

/** Returns what the commands lose of a form that a client lists or calls. */
function lost(row) {
  const lists = listsOf(row);
  const calls = Object.values(row.clients).some(
    (lack) => lack && lack.call !== false && lists.tools.includes("one") && !lack.without?.tools?.includes("one"),
  );
  const listed = KINDS.some((kind) => lists[kind].length > 0);
  return Object.entries(row.commands).flatMap(([command, lack]) => {
    if (typeof lack === "boolean") return listed && !lack ? [`${command}: accepts the server`] : [];
    const missing = Object.entries(lack.without ?? {}).flatMap(([kind, words]) =>
      words.map((word) => `${command}: ${kind} ${word}`),
    );
    return calls && lack.call === false ? [...missing, `${command}: the call`] : missing;
  });
}

/**
 * Returns what the commands lose of a form without a reason, as words, and what the form says in vain that they leave out
 * (`without: { what, why }`).
 */
export function unexplained({ without = { what: [] } }, row) {
  const losses = lost(row);
  const about = (what) => (loss) => loss.endsWith(`: ${what}`);
  const vain = without.what.filter((what) => !losses.some(about(what)));
  return [
    ...losses.filter((loss) => !without.what.some((what) => about(what)(loss))),
    ...vain.map((what) => `nothing: ${what}`),
  ];
}

/** Returns a cell: a letter for each complete list and the call, a small one for a part, a dot for none. */
function cell(lack, lists, calls) {
  if (lack === undefined) return "";
  if (typeof lack === "boolean") return lack ? "yes" : "no";
  if (lack === null) return "–";
  const letters = KINDS.map((kind) => {
    const missing = lack.without?.[kind]?.length ?? 0;
    if (missing === lists[kind].length) return "·";
    return missing === 0 ? LETTERS[kind] : LETTERS[kind].toLowerCase();
  });
  return `\`${letters.join("")}${calls ? (lack.call === false ? "·" : CALL) : ""}\``;
}

const escaped = (text) => text.replaceAll("|", "\\|");

/** Returns the tables of the page. */
export function tablesOf(record) {
  const sections = Object.entries(KINDS_OF_FORMS).map(([heading, forms]) => {
    const rows = forms.map((form) => ({ form, row: record[form.name] })).filter(({ row }) => row !== undefined);
    const complete = ({ row }) =>
      row.lists === undefined &&
      [...Object.values(row.clients), ...Object.values(row.commands)].every((lack) => lack === ALL || lack === true);
    const cells = ({ row }) => [
      ...Object.values(row.clients).map((lack) => cell(lack, listsOf(row), true)),
      ...COMMANDS.map((name) => cell(row.commands[name], listsOf(row), CALLING.includes(name))),
    ];
    const table = rows
      .filter((one) => !complete(one))
      .map((one) => `| ${escaped(one.form.about)} | ${cells(one).join(" | ")} | ${one.form.without?.why ?? ""} |`);
    const names = [...Object.keys(rows[0].row.clients), ...COMMANDS];
    const head = [`| the server | ${names.join(" | ")} | why |`, `|---|${"---|".repeat(names.length)}---|`];
    const list = rows.filter(complete).map(({ form }) => `- ${form.about}`);
    const counted = list.length === 1 ? "this one" : `these ${list.length}`;
    return [
      `## ${heading}`,
      ...(table.length > 0 ? [[...head, ...table].join("\n")] : []),
      ...(list.length > 0
        ? [`All clients and commands list everything of ${counted}, and call the tool:`, list.join("\n")]
        : []),
    ].join("\n\n");
  });
  return `${sections.join("\n\n")}\n`;
}

/** The columns of commands. Over stdio there is no `init`. */
const COMMANDS = ["init", "check --live", "dev", "run"];
