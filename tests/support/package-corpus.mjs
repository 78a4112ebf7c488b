// Runs the rows of the corpus (tests/fixtures/README.md) on the package, by file.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const fixtures = new URL("../fixtures/", import.meta.url);
const utf8 = new TextDecoder();
const read = (file) => JSON.parse(readFileSync(new URL(file, fixtures), "utf8"));

export const worlds = read("worlds.json");
export const searches = read("rank.json");
/**
 * Files that do not concern the engine, which has a single catalog, no calls, no protocol and no context middleware, and the rows of
 * locks, which `package-locks.test.mjs` runs.
 */
const ELSEWHERE = /^(arguments|merge|identity|declared|lock|middleware.*)$/;
/** File name without its extension → rows. Files without a list of rows belong to other tests. */
export const corpus = Object.fromEntries(
  readdirSync(fixtures)
    .filter((file) => file.endsWith(".json"))
    .map((file) => [file.slice(0, -".json".length), read(file)])
    .filter(([file, rows]) => Array.isArray(rows) && !ELSEWHERE.test(file)),
);

/** Returns the lists and the configuration of a world as text. */
export function textsOf({
  lists,
  listsText = JSON.stringify(lists),
  config,
  configText = config && JSON.stringify(config),
}) {
  return [listsText, configText];
}

/** Returns the equivalent inputs for a value: its text, and the value itself unless that is text too. */
const spellings = (value) => (typeof value === "string" ? [JSON.stringify(value)] : [JSON.stringify(value), value]);

/** Returns the caller of a row, as `sieve.view` takes it. */
function callerOf(terms) {
  const caller = {};
  for (const [term, values] of Object.entries(terms)) {
    // Scopes are a claim of the token.
    const [, word, name] = /^([a-z]+)(?:\.(.+))?$/.exec(term === "scope" ? "claim.scope" : term);
    const [member, value] = {
      client: ["client", values[0]],
      capability: ["capabilities", {}],
      claim: ["claims", values.length > 1 ? values : values[0]],
      header: ["headers", values],
    }[word] ?? [word, values[0]];
    if (name === undefined) caller[member] = value;
    else caller[member] = { ...caller[member], [name]: value };
  }
  return caller;
}

/** Returns the inputs for `sieve.filter` of a row. */
export function filtersOf(row) {
  if ("query" in row) return [new URLSearchParams(row.query)];
  if ("filterText" in row) return [row.filterText];
  return "filter" in row ? spellings(row.filter) : [undefined];
}

/** Returns whether a filter may be used without being compiled first. */
const asked = (filter) => typeof filter !== "string" && !(filter instanceof URLSearchParams);

/** Returns the exact text of each primitive in the text of a list result. */
function itemsOf(list) {
  const items = [];
  let depth = 0;
  let start = 0;
  for (const { 0: part, index } of list.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (part === "{" || part === "[") {
      depth += 1;
      if (depth === 3) start = index;
    } else if (part === "}" || part === "]") {
      depth -= 1;
      if (depth === 2) items.push(list.slice(start, index + 1));
    }
  }
  return items;
}

/** Returns the runners. Each asserts a row's expectations. `open` returns the sieve of a world. */
export function runners({ Sieve, SieveError }, open, command) {
  const refused = (call, { code, message, path, at }, row) => {
    assert.throws(call, (error) => {
      assert.ok(error instanceof SieveError, `${row.name}: ${error}`);
      const { code: foundCode, path: foundPath, at: foundAt } = error;
      assert.deepEqual(
        { code: foundCode, message: error.message, path: foundPath, at: foundAt },
        { code, message, path, at },
      );
      return true;
    });
  };

  return {
    lint(row) {
      const [lists, config = "{}"] = textsOf({ listsText: undefined, ...row });
      const filter = "query" in row ? row.query : row.filter && JSON.stringify(row.filter);
      const { findings } = JSON.parse(
        command.lint(config, lists === undefined ? [] : [""], lists === undefined ? [] : [lists], filter),
      );
      const bytes = new TextEncoder().encode(config);
      const found = findings.map(({ at, ...finding }, index) => {
        assert.equal(at === undefined, /^(catalog|filter)/.test(finding.place), finding.place);
        const { text } = row.findings[index] ?? {};
        return text === undefined
          ? finding
          : { ...finding, text: utf8.decode(bytes.subarray(at)).slice(0, text.length) };
      });
      assert.deepEqual(found, row.findings);
    },

    select(row) {
      const sieve = open(row.world);
      const { kind } = row;
      const order = sieve.names({ kind });
      for (const input of filtersOf(row)) {
        for (const earlier of row.before ?? [])
          for (const narrow of filtersOf(earlier)) {
            const filter = sieve.filter(narrow);
            assert.deepEqual(sieve.names({ filter, kind }), earlier.select);
            filter.free();
          }
        const filter = sieve.filter(input);
        const list = utf8.decode(sieve.list({ filter, kind }));
        const { count, indices } = sieve.select({ filter, kind });
        assert.deepEqual(sieve.names({ filter, kind }), row.select);
        assert.equal(sieve.count({ filter, kind }), row.select.length);
        assert.equal(count, row.select.length);
        assert.deepEqual(
          [...indices].map((index) => order[index]),
          row.select,
        );
        assert.equal(utf8.decode(sieve.view({ filter, kind })), list);
        assert.deepEqual(idsOf(JSON.parse(list), kind), row.select);
        assert.deepEqual([filter.ignored, filter.unknown], [row.ignored ?? [], row.unknown ?? []]);
        if ("applied" in row) assert.deepEqual(filter.applied, row.applied);
        if ("list" in row) assert.equal(list, row.list);
        const items = itemsOf(list);
        assert.equal(items.length, row.select.length);
        for (const [name, text] of Object.entries(row.items ?? {})) assert.equal(items[row.select.indexOf(name)], text);
        for (const other of (row.alike ?? []).flatMap(spellings)) {
          const same = sieve.filter(other);
          assert.equal(same.hash, filter.hash);
          assert.deepEqual(sieve.names({ filter: same, kind }), row.select);
          same.free();
        }
        if (asked(input)) {
          assert.deepEqual(sieve.names({ filter: input, kind }), row.select);
          assert.equal(sieve.count({ filter: input, kind }), row.select.length);
        }
        filter.free();
      }
    },

    refuse(row) {
      if ("lists" in row || "listsText" in row) {
        const inputs = "listsText" in row ? [row.listsText] : spellings(row.lists);
        for (const lists of inputs) refused(() => Sieve.compile(lists), row.error, row);
      } else if ("config" in row || "configText" in row) {
        // `null` means no configuration to the package. As text, it is an invalid configuration.
        const inputs =
          "configText" in row ? [row.configText] : spellings(row.config).filter((config) => config !== null);
        for (const config of inputs) refused(() => Sieve.compile({ tools: [] }, config), row.error, row);
      } else {
        const sieve = open(row.world);
        for (const input of filtersOf(row)) {
          refused(() => sieve.filter(input), row.error, row);
          if (asked(input)) refused(() => sieve.count({ filter: input }), row.error, row);
        }
        assert.equal(sieve.count(), sieve.count(), "the next question is answered");
      }
    },

    explain(row) {
      const sieve = open(row.world);
      for (const input of filtersOf(row)) {
        const filter = sieve.filter(input);
        assert.deepEqual(sieve.explain(row.of, { filter, kind: row.kind }), { shown: row.shown, reason: row.reason });
        assert.equal(sieve.names({ filter, kind: row.kind }).includes(row.of), row.shown);
        filter.free();
      }
    },

    tokens(row) {
      const sieve = Sieve.compile({ tools: [row.tool] });
      const { count, exact } = sieve.tokens();
      assert.ok(Math.abs(count / row.o200k - 1) < 0.15, `${count} of ${row.o200k}`);
      assert.equal(exact, false);
    },

    facets(row) {
      const sieve = open(row.world);
      for (const facet of ["groups", "tags", "concerns", "reports"]) {
        if (facet in row) assert.deepEqual(sieve[facet], row[facet]);
      }
      if (!("sizes" in row)) return;
      const sizes = { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0, skills: 0, ...row.sizes };
      for (const [kind, size] of Object.entries(sizes)) assert.equal(sieve.count({ kind }), size);
    },

    views(row) {
      // A caller without members is the one that a catalog is compiled for.
      const known = Object.keys(row.caller).length > 0;
      const sieve = known ? open(row.world).view(callerOf(row.caller)) : open(row.world);
      for (const input of filtersOf(row)) {
        const filter = sieve.filter(input);
        for (const [kind, names] of Object.entries(row.see)) assert.deepEqual(sieve.names({ filter, kind }), names);
        assert.deepEqual([filter.ignored, filter.unknown], [row.ignored ?? [], row.unknown ?? []]);
        filter.free();
      }
      for (const facet of ["groups", "tags"]) {
        if (facet in row)
          assert.deepEqual(
            sieve[facet].map(({ name }) => name),
            row[facet],
          );
      }
    },

    picker(row) {
      const picker = open(row.world).picker();
      const setters = { find: "words", show: "showing", kind: "kind" };
      let code;
      const changed = row.steps.map(([step, ...args]) => {
        try {
          if (step in setters) picker[setters[step]] = args[0];
          // Here, the kind is an option.
          else if (args.length === 3) return picker[step](args[0], args[1], { kind: args[2] });
          else return picker[step](...args);
        } catch (error) {
          assert.ok(error instanceof SieveError, String(error));
          code = error.code;
        }
        return false;
      });
      assert.equal(code, row.error);
      if ("changed" in row) assert.deepEqual(changed, row.changed);
      if (row.expect.preferences) assert.equal(picker.preferences, row.expect.preferences);
      const {
        filter,
        rows,
        reasons = {},
        states = {},
        marks = {},
        members = {},
        left = {},
        values,
        steps,
        ranks = {},
        budget,
      } = row.expect;
      if (filter) assert.deepEqual(picker.filter, filter);
      const found = picker.rows(0, 1000);
      if (rows)
        assert.deepEqual(
          found.map(({ name }) => name),
          rows,
        );
      assert.equal(picker.order().length, found.length);
      assert.deepEqual(
        [...picker.order()],
        found.map(({ index }) => index),
      );
      for (const [name, rules] of Object.entries(reasons)) {
        const row = found.find((row) => row.name === name);
        assert.deepEqual([row.reasons.map(({ rule }) => rule), row.reason.rule], [rules, rules[0]]);
      }
      for (const [name, rank] of Object.entries(ranks))
        assert.deepEqual(found.find((row) => row.name === name).rank, rank);
      if (budget) {
        const { candidates, candidateTokens, dropped } = picker.summary;
        assert.deepEqual({ candidates, candidateTokens, dropped }, budget);
      }
      const facet = (name) => [...picker.groups, ...picker.tags].find((facet) => facet.name === name);
      for (const [name, state] of Object.entries(states)) assert.equal(facet(name).state, state, name);
      for (const [name, mark] of Object.entries(marks))
        assert.equal(picker.tags.find((tag) => tag.name === name).mark, mark);
      for (const [name, count] of Object.entries(members)) assert.equal(facet(name).members, count, name);
      for (const [name, count] of Object.entries(left)) assert.equal(facet(name).left, count, name);
      if (values) {
        const told = picker.concerns.map(({ name, options }) => [
          name,
          options.map(({ value, chosen, members, left }) => [value, chosen, members, left]),
        ]);
        assert.deepEqual(Object.fromEntries(told), values);
      }
      if (steps) assert.deepEqual([picker.summary.undo, picker.summary.redo], steps);
      picker.free();
    },

    pages(row) {
      // The package returns whole lists, so all pages are joined.
      const sieve = open(row.world);
      for (const input of filtersOf(row)) {
        const filter = sieve.filter(input);
        assert.deepEqual(sieve.names({ filter, kind: row.kind }), row.pages.flat());
        filter.free();
      }
    },

    expressions(row) {
      const { lists, config = {} } = row.world ? worlds[row.world] : { lists: { tools: [] } };
      const compile = (match) =>
        Sieve.compile(lists, { ...config, rules: [...(config.rules ?? []), { match, tags: ["hit"] }] });
      const path = `rules[${config.rules?.length ?? 0}].match`;
      if (row.error) {
        const within = row.error.path === undefined ? path : `${path}.${row.error.path}`;
        return refusedRule(() => compile(row.source), within, row.error.message);
      }
      if (row.reads === "caller") {
        refusedRule(() => compile(row.source), path, "reads the caller");
        return Sieve.compile(lists, { policies: [{ name: "policy", show: row.source }] }).free();
      }
      for (const source of [row.source, row.canonical, ...("json" in row ? [row.json] : [])]) {
        const sieve = compile(source);
        assert.deepEqual(sieve.names({ filter: { tags: ["hit"] }, kind: row.kind }), row.matches);
        sieve.free();
      }
    },
  };

  function refusedRule(call, path, message) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof SieveError, String(error));
      assert.deepEqual({ code: error.code, path: error.path }, { code: "config", path });
      assert.ok(error.message.includes(message), error.message);
      return true;
    });
  }
}

function idsOf(result, kind = "tools") {
  const key = { tools: "name", prompts: "name", resources: "uri", resourceTemplates: "uriTemplate", skills: "uri" }[
    kind
  ];
  assert.deepEqual(Object.keys(result), [kind]);
  return result[kind].map((item) => item[key]);
}
