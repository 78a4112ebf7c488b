// Uses every member of the package as a strict TypeScript project would; it is checked, not run.
import { Filter, Picker, Preferences, Sieve, SieveError, filterTools, wrapClient } from "mcp-sieve";
import type { PickerChangeEvent, SievePickerElement } from "mcp-sieve/picker";
import type {
  AppliedFilter,
  Caller,
  Concern,
  Config,
  Explanation,
  Expression,
  FilterInput,
  Group,
  Ignored,
  Kind,
  ListResult,
  Match,
  QueryOptions,
  Reason,
  Report,
  SearchOptions,
  Selection,
  Tag,
  UnknownName,
} from "mcp-sieve";
import type { OwnTags } from "mcp-sieve";
import type { EffectiveConcerns, ListChange, McpClient, WrapOptions, Wrapped } from "mcp-sieve";
import init, { initSync, Sieve as Uninitialised } from "mcp-sieve/init";
import type { Source } from "mcp-sieve/init";

interface Tool {
  name: string;
  inputSchema: { type: "object" };
  annotations?: { readOnlyHint?: boolean };
}
const tools: Tool[] = [{ name: "a", inputSchema: { type: "object" } }];
const page: ListResult = { tools, nextCursor: "2" };
const match: Expression = {
  all: [
    "kind:tool",
    { not: { annotation: { readOnlyHint: true } } },
    { any: [{ name: "a*" }, { priority: { ">=": 0.5 } }] },
  ],
};
const config: Config = {
  groups: [{ name: "a", title: "A" }],
  concerns: [
    { name: "cost", values: { min: 0, max: 10, step: 1 }, default: 0 },
    { name: "risk", values: ["low", "high"], ordered: true },
  ],
  rules: [
    { match: "name:a*", groups: ["a"], concerns: { cost: [1, 2], risk: "low" } },
    { match, hide: true },
  ],
  policies: [{ name: "open", show: "-tag:internal" }],
  onInvalidConcern: "clamp",
};

let sieve: Sieve = Sieve.compile(page);
sieve = Sieve.compile([page, { prompts: [] }, { jsonrpc: "2.0", id: 1, result: { resources: [] } }], config);
sieve = Sieve.compile('{"tools":[]}', "{} // none");
sieve = Sieve.compile(new Uint8Array(), null);
sieve = Uninitialised.compile({ tools });

const facts: [string, readonly Report[], readonly Group[], readonly Tag[], readonly Concern[]] = [
  sieve.hash,
  sieve.reports,
  sieve.groups,
  sieve.tags,
  sieve.concerns,
];
const kind: Kind = "resourceTemplates";
const input: FilterInput = {
  groups: ["a"],
  tags: null,
  concerns: { cost: 3, risk: ["low", "high"], speed: null },
  where: match,
};
const typed: FilterInput = { where: "name:a* -tag:beta" };
const filter: Filter = sieve.filter(input);
const others: Filter[] = [sieve.filter(), sieve.filter("{}"), sieve.filter(new URL("http://a/?groups=b").searchParams)];
const described: [string, AppliedFilter, readonly Ignored[], AppliedFilter] = [
  filter.hash,
  filter.applied,
  filter.ignored,
  filter.toJSON(),
];

const numbers: number[] = [
  sieve.count(),
  sieve.count({ kind }),
  sieve.count({ filter }),
  sieve.count({ filter: input, kind: "prompts" }),
  sieve.count({ filter: typed } satisfies QueryOptions),
  sieve.count({ filter: null }),
  sieve.count(null),
];
const selection: Selection = sieve.select({ filter, kind });
const indices: Uint32Array = selection.indices;
const bytes: Uint8Array[] = [sieve.list({ filter }), sieve.view({ kind })];
const response = new Response(sieve.list({ filter: input }));
const caller: Caller = { claims: { role: "staff" }, headers: new Headers(), meta: {}, preset: "read-only" };
const seen: Sieve[] = [
  sieve.view(caller),
  sieve.view({ claims: null, client: { name: "host" }, method: "tools/list" }),
];
const unknown: readonly UnknownName[] = filter.unknown;
const declaring: Sieve = Sieve.compile([{ tools: [] }, { groups: [] }, { tags: [] }, { concerns: [] }]);
console.log(seen.length, unknown, declaring.reports);
const names: string[] = sieve.names({ filter, kind: "resources" });
const matches: Match[] = [
  ...sieve.search("file a ticket"),
  ...sieve.search("a", { filter, kind, limit: Infinity } satisfies SearchOptions),
  ...sieve.search("a", null),
];
for (const { index, name, score } of matches) [index.toFixed(), name.trim(), score.toFixed()];
const explanation: Explanation = sieve.explain("a", { filter, kind });
if (!explanation.shown) {
  const reason: Reason = explanation.reason;
  if (reason.rule === "where") names.push(...reason.wanted, ...reason.found);
  if (reason.rule === "concern") numbers.push(reason.concern.length, reason.wanted.length + reason.found.length);
}

try {
  sieve.filter("[");
} catch (error) {
  if (!(error instanceof SieveError)) throw error;
  const known: "json" | "filter_type" | string = error.code;
  const place: [number | undefined, string | undefined, string] = [error.at, error.path, error.message];
  const loading: [string | undefined, number | undefined, string | undefined, boolean] = [
    error.url,
    error.status,
    error.contentType,
    error.code === "load",
  ];
  console.log(known, place, loading, error.name === "SieveError");
}

{
  using scoped = Sieve.compile(page);
  using narrow = scoped.filter({ tags: ["x"] });
  numbers.push(scoped.count({ filter: narrow }));
}
filter.free();
sieve.free();

const source: Source = new URL("https://example.com/sieve.wasm");
const ready: Promise<void>[] = [init(), init(source), init(fetch("sieve.wasm"))];
const at_once: void = initSync(new Uint8Array());
console.log(facts, others, described, indices, bytes, response, names, ready, at_once);

// @ts-expect-error a sieve is compiled, not constructed
new Sieve();
// @ts-expect-error so is a filter
new Filter();
// @ts-expect-error a list of tags is no filter
sieve.count({ filter: ["x"] });
// @ts-expect-error a filter is an option
sieve.count({ groups: ["a"] });
// @ts-expect-error so is a compiled one
sieve.names(filter);
// @ts-expect-error there is no such kind
sieve.count({ filter, kind: "tool" });
// @ts-expect-error an unknown field is a slip
sieve.filter({ group: ["a"] });
// @ts-expect-error lists are named by kind
Sieve.compile({ items: [] });
// @ts-expect-error there is no such setting
Sieve.compile(page, { rule: [] } satisfies Config);
// @ts-expect-error what a catalog says of itself cannot be set
sieve.hash = "";

declare const tagKeeper: Preferences;
const own: OwnTags = { favorites: { tools: ["a"], resources: ["b://c"] } };
const tagged: Sieve = Sieve.compile(page, config, { tags: own, caller: 1 }).tagged(tagKeeper.tags);
const tagging: boolean[] = [tagKeeper.tag("a", "favorites"), tagKeeper.untag("a", ["favorites"], { kind: "prompts" })];
const titles: (string | undefined)[] = tagged.tags.filter((tag) => tag.own).map(({ title }) => title);
// @ts-expect-error there is no such kind
tagKeeper.tag("a", "b", { kind: "tool" });
export { tagged, tagging, titles };

interface Theirs extends McpClient {
  listTools(params?: { cursor?: string }): Promise<{ tools: { name: string }[]; nextCursor?: string }>;
  callTool(params: { name: string }): Promise<string>;
  connect(transport: URL, options?: { timeout?: number }): Promise<void>;
}
declare const theirs: Theirs;
const options: WrapOptions = {
  filter: { groups: ["a"] },
  config,
  by: "auto",
  concerns: { cost: ["low", 3] },
  preferences: tagKeeper,
};
const wrapped: Wrapped<Theirs> = wrapClient(theirs, options);
wrapped.filter = { tags: ["b"] };
const whose: "server" | "client" = wrapped.filteredBy(filter);
const named: Promise<string[]> = wrapped
  .listTools({ filter: { groups: ["a"] }, cursor: "2" })
  .then((result) => result.tools.map(({ name }) => name));
const called: Promise<string> = wrapped.callTool({ name: "a" });
const listed: Promise<[{ name: string }[], { name: string }[], Sieve]> = Promise.all([
  wrapped.listGroups({ counts: true }).then(({ groups }) => groups),
  wrapped.listTags().then(({ tags }) => tags),
  wrapped.catalog(),
]);
const some: Partial<{ a: number; b: string }> = filterTools({ a: 1, b: "2" }, sieve, { filter });
const shown: { name: string; x: number }[] = filterTools([{ name: "a", x: 1 }], sieve);
filterTools({ one__a: 1 }, sieve, { filter, originalName: (name) => name.slice("one__".length) });
const connecting: Promise<void> = wrapped.connect(new URL("https://a.example"), {
  timeout: 1,
  concerns: { cost: { max: 3 }, area: null },
});
const declaredNames: Promise<string[]> = wrapped
  .listConcerns()
  .then(({ concerns }) => concerns.map(({ name }) => name));
const updated: Promise<EffectiveConcerns> = wrapped.updateConcerns({ cost: "low" }, { timeout: 1 });
const stop: () => void = wrapped.onChange(({ list }: ListChange) => list === "resources" && stop());
// @ts-expect-error a concern takes no truth value
wrapped.updateConcerns({ cost: true });
export { connecting, declaredNames, updated };
// @ts-expect-error no such field
wrapped.listTools({ filter: { group: ["a"] } });
export { whose, named, called, listed, some, shown };

using choosing: Picker = sieve.picker();
const changed: boolean[] = [
  choosing.toggle("a"),
  choosing.exclude("a"),
  choosing.mark("b", "must"),
  choosing.setConcern("cost", ["low", 3]),
  choosing.setConcern("cost", null),
  choosing.setQuery("words"),
  choosing.setDisabled("a"),
  choosing.setDisabled("a", false, { kind: "prompts" }),
  choosing.setFavorite("a"),
  choosing.setOnlyFavorites(),
  choosing.set({ groups: ["a"] }),
  choosing.clear(),
  choosing.undo(),
  choosing.redo(),
  choosing.prefer(choosing.preferences),
];
[choosing.kind, choosing.showing, choosing.words] = ["resources", "hidden", "words"];
const order: Uint32Array = choosing.order();
const rows: [string, number, boolean][] = choosing.rows(0, 9).map(({ name, tokens, off }) => [name, tokens, off]);
const states: ("off" | "on" | "mixed" | "excluded")[] = choosing.groups.map(({ state }) => state);
const left: number =
  choosing.tags.reduce((sum, { left }) => sum + left, 0) +
  choosing.concerns.flatMap(({ options }) => options).length +
  choosing.summary.tokens;
const chosen: AppliedFilter = choosing.filter;
const kept = new Preferences("server", { user: "me", storage: { getItem: () => null, setItem() {}, removeItem() {} } });
const outcome: [boolean, boolean, AppliedFilter, string | undefined, boolean, boolean, string | undefined] = [
  kept.apply(choosing),
  kept.save(choosing),
  kept.filter(sieve, chosen),
  kept.export(),
  kept.import("{}", choosing),
  kept.forget(),
  kept.problem,
];
// @ts-expect-error there is no such mark
choosing.mark("b", "maybe");
// @ts-expect-error a choice is made by a sieve
new Picker();
const element: SievePickerElement = document.createElement("mcp-sieve-picker");
element.sieve = sieve;
element.filter = { groups: ["a"] };
element.preferences = kept;
element.presets = [{ name: "safe", filter: { not: { tags: ["destructive"] } } }];
element.labels = { groups: "Gruppen" };
const hears = (event: PickerChangeEvent): void => {
  element.filter = event.detail.filter;
};
element.addEventListener("change", hears);
element.addEventListener("change", ({ detail }) => detail.filter.groups?.join());
element.addEventListener("click", ({ clientX }) => clientX.toFixed());
element.addEventListener("mine", { handleEvent() {} }, { once: true });
element.removeEventListener("change", hears);
const found: SievePickerElement | null = document.querySelector("mcp-sieve-picker");
// @ts-expect-error the detail of a change is a filter
element.addEventListener("change", ({ detail }) => detail.filters);
export { found };
const values: [AppliedFilter, string, HTMLFormElement | null] = [element.filter, element.value, element.form];
export { changed, order, rows, states, left, outcome, values };
