// Faults of one list, of a page of it, and of its cursors.
import { KINDS, LISTS, METHOD_NOT_FOUND, withError, withResult } from "../core.mjs";
import { html, json, late, never, reset, status } from "../replies.mjs";

/** What a server may do with the request for one list. */
const FAULTS = {
  "internal-error": ["answers -32603", ({ answer }) => json(withError(answer, -32603, "Internal error"))],
  "http-500": ["answers HTTP 500", () => status(500, "Internal Server Error")],
  "http-404": ["answers HTTP 404", () => status(404, "Not Found")],
  unknown: [
    "does not know the method that it announces",
    ({ answer }) => json(withError(answer, METHOD_NOT_FOUND, "Method not found")),
  ],
  "no-list": [
    "answers with a text in place of the array",
    ({ answer }, kind) => json(withResult(answer, { [kind]: "none" })),
  ],
  null: ["answers with `null` in place of the array", ({ answer }, kind) => json(withResult(answer, { [kind]: null }))],
  empty: ["answers with a result without the array", ({ answer }) => json(withResult(answer, {}))],
  never: ["never answers", () => never],
  html: ["answers with a page in HTML", () => html()],
  reset: ["resets the connection", () => reset],
};
const methodOf = (kind) => Object.keys(LISTS).find((method) => LISTS[method] === kind);

/** What `init` does not accept, and why. */
export const WITHOUT_TOOLS = {
  what: ["accepts the server"],
  why: "`init` writes no file without the tools, and names the list that fails",
};

const faults = KINDS.flatMap((kind) =>
  Object.entries(FAULTS).map(([fault, [about, reply]]) => ({
    name: `${kind === "resourceTemplates" ? "templates" : kind}-${fault}`,
    ...(kind === "tools" && fault !== "null" ? { without: WITHOUT_TOOLS } : {}),
    about: `\`${methodOf(kind)}\` ${about}`,
    on: { [methodOf(kind)]: (turn) => reply(turn, kind) },
  })),
);

const pageOf = (nextCursor, ...tools) => ({ tools, ...(nextCursor === undefined ? {} : { nextCursor }) });
const pages = (name, about, tools, more = {}) => ({ name, about, pages: { tools }, ...more });
/** A list of two pages, of which the second deviates. */
const secondPage = (name, about, reply) => ({
  name,
  about,
  pages: {
    tools: (cursor, tool) => (cursor === undefined ? pageOf("2", tool("one")) : pageOf(undefined, tool("two"))),
  },
  on: { "tools/list": (turn) => (turn.message.params?.cursor === undefined ? undefined : reply(turn)) },
});

export const lists = [
  ...faults,
  {
    name: "all-lists-fail",
    about: "every list but that of tools answers -32603",
    on: Object.fromEntries(
      Object.keys(LISTS)
        .filter((method) => method !== "tools/list")
        .map((method) => [method, ({ answer }) => json(withError(answer, -32603, "not implemented"))]),
    ),
  },
  {
    name: "list-once-failed",
    without: WITHOUT_TOOLS,
    about: "the first `tools/list` answers HTTP 503, later ones are right",
    on: { "tools/list": ({ count }) => (count === 1 ? status(503, "starting") : undefined) },
  },
  pages("cursor-same-page", "each page has the same tools and the same cursor", (_, tool) =>
    pageOf("again", tool("one"), tool("two")),
  ),
  pages("cursor-repeats", "the cursor of the second page is its own, with other tools", (cursor, tool) =>
    pageOf("again", tool(cursor === undefined ? "one" : "two")),
  ),
  pages("cursor-circle", "the cursor of the third page leads to the second", (cursor, tool) =>
    cursor === undefined
      ? pageOf("2", tool("one"))
      : cursor === "2"
        ? pageOf("3", tool("two"))
        : pageOf("2", tool("three")),
  ),
  pages("cursor-empty", 'the last page has the cursor `""`, which answers with the first page', (cursor, tool) =>
    cursor === "2" ? pageOf("", tool("two")) : pageOf("2", tool("one")),
  ),
  pages("cursor-empty-once", 'the only page has the cursor `""`', (_, tool) => pageOf("", tool("one"), tool("two"))),
  pages("cursor-empty-follows", 'the first page has the cursor `""`, which leads to the second', (cursor, tool) =>
    cursor === "" ? pageOf(undefined, tool("two")) : pageOf("", tool("one")),
  ),
  pages("cursor-null", "the last page has the cursor `null`", (_, tool) => pageOf(null, tool("one"), tool("two"))),
  pages("cursor-number", "the cursor of the first page is a number", (cursor, tool) =>
    cursor === undefined ? pageOf(2, tool("one")) : pageOf(undefined, tool("two")),
  ),
  pages("cursor-object", "the cursor of the first page is an object", (cursor, tool) =>
    cursor === undefined ? pageOf({ page: 2 }, tool("one")) : pageOf(undefined, tool("two")),
  ),
  pages("cursor-odd", "a cursor has quotes, spaces, line feeds and emoji", (cursor, tool) =>
    cursor === undefined
      ? pageOf('a "b"\n c\\d 🎉', tool("one"))
      : cursor === 'a "b"\n c\\d 🎉'
        ? pageOf(undefined, tool("two"))
        : pageOf(undefined),
  ),
  pages("cursor-long", "a cursor has 20,000 characters", (cursor, tool) =>
    cursor === undefined ? pageOf("c".repeat(20_000), tool("one")) : pageOf(undefined, tool("two")),
  ),
  pages("cursor-endless", "every page has another tool and another cursor", (cursor = "0", tool) =>
    pageOf(String(Number(cursor) + 1), tool(`page-${cursor}`)),
  ),
  pages("cursor-endless-empty", "every page after the first is empty and has another cursor", (cursor = "0", tool) =>
    pageOf(String(Number(cursor) + 1), ...(cursor === "0" ? [tool("one"), tool("two")] : [])),
  ),
  pages("first-page-empty", "the first of two pages is empty", (cursor, tool) =>
    cursor === undefined ? pageOf("2") : pageOf(undefined, tool("one"), tool("two")),
  ),
  pages("pages-overlap", "both pages have one tool in common", (cursor, tool) =>
    cursor === undefined ? pageOf("2", tool("one"), tool("two")) : pageOf(undefined, tool("two"), tool("three")),
  ),
  secondPage("second-page-fails", "the second page answers -32603", ({ answer }) =>
    json(withError(answer, -32603, "Internal error")),
  ),
  secondPage("second-page-invalid", "the second page refuses the cursor of the first with -32602", ({ answer }) =>
    json(withError(answer, -32602, "Invalid cursor")),
  ),
  secondPage("second-page-500", "the second page answers HTTP 500", () => status(500, "Internal Server Error")),
  secondPage("second-page-never", "the second page is never answered", () => never),
  secondPage("second-page-no-list", "the second page has no array", ({ answer }) =>
    json(withResult(answer, { tools: {} })),
  ),
  secondPage("second-page-late", "the second page comes after a second", ({ right }) => late(1_000, right)),
];
