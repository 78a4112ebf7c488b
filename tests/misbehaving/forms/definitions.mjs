// Definitions that are wrong, odd, deep or large, beside a good one.
import { json } from "../replies.mjs";

/** Returns a schema whose innermost object is `levels` below it. */
const schemaOf = (levels) => {
  let schema = { type: "object" };
  for (let level = 2; level < levels; level += 2) schema = { type: "object", properties: { a: schema } };
  return schema;
};
const nested = (levels) => {
  let value = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
};
/** A form with the tools `one` and `two`, and a third that deviates. */
const third = (name, about, more, word = "three") => ({
  name,
  about,
  items: { tools: (good, tool) => [...good, typeof more === "function" ? more(tool(word)) : tool(word, more)] },
});
const without = (member) => (tool) => Object.fromEntries(Object.entries(tool).filter(([key]) => key !== member));
const other = (name, about, kind, more) => ({
  name,
  about,
  items: { [kind]: (good, make) => [...good, typeof more === "function" ? more(make("three")) : make("three", more)] },
});

/** The form with what the gateway leaves out of it, and why. */
const leaving = (what, why, form) => ({ ...form, without: { what: [what].flat(), why } });
const TOO_DEEP = "definitions of more than 122 levels are left out";
const REFUSED = "other clients refuse a whole list that has it";

export const definitions = [
  ...[63, 65, 100, 122].map((levels) =>
    third(`schema-depth-${levels}`, `a tool's \`inputSchema\` nests ${levels} levels`, {
      inputSchema: schemaOf(levels),
    }),
  ),
  third("meta-depth-65", "a tool's `_meta` nests 65 levels", { _meta: nested(65) }),
  leaving(
    "tools three",
    TOO_DEEP,
    third("meta-depth-122", "a tool's `_meta` nests 122 levels below the tool", { _meta: nested(122) }),
  ),
  leaving(
    "tools three",
    TOO_DEEP,
    third("schema-depth-200", "a tool's `inputSchema` nests 200 levels", { inputSchema: schemaOf(200) }),
  ),
  leaving(
    "tools three",
    TOO_DEEP,
    third("meta-depth-200", "a tool's `_meta` nests 200 levels", { _meta: nested(200) }),
  ),
  third("output-depth-100", "a tool's `outputSchema` nests 100 levels", { outputSchema: schemaOf(100) }),
  other("resource-depth-100", "a resource's `_meta` nests 100 levels", "resources", { _meta: nested(100) }),
  other("prompt-depth-100", "a prompt's `_meta` nests 100 levels", "prompts", { _meta: nested(100) }),
  other("template-depth-100", "a template's `_meta` nests 100 levels", "resourceTemplates", { _meta: nested(100) }),
  {
    name: "all-deep",
    about: "every tool nests 100 levels",
    items: { tools: (good) => good.map((tool) => ({ ...tool, inputSchema: schemaOf(100) })) },
  },
  third("schema-missing", "a tool has no `inputSchema`", without("inputSchema")),
  third("schema-null", "a tool's `inputSchema` is `null`", { inputSchema: null }),
  third("schema-empty", "a tool's `inputSchema` is `{}`", { inputSchema: {} }),
  third("schema-array", "a tool's `inputSchema` has the type `array`", { inputSchema: { type: "array" } }),
  third("schema-text", "a tool's `inputSchema` is a text", { inputSchema: "object" }),
  third("schema-properties-null", "`properties` of a tool's `inputSchema` is `null`", {
    inputSchema: { type: "object", properties: null },
  }),
  third("schema-boolean-property", "a property of a tool's `inputSchema` is `true`", {
    inputSchema: { type: "object", properties: { a: true } },
  }),
  third("schema-required-null", "`required` of a tool's `inputSchema` is `null`", {
    inputSchema: { type: "object", required: null },
  }),
  third("output-array", "a tool's `outputSchema` has the type `array`", { outputSchema: { type: "array" } }),
  third("output-empty", "a tool's `outputSchema` is `{}`", { outputSchema: {} }),
  third("output-null", "a tool's `outputSchema` is `null`", { outputSchema: null }),
  third("output-text", "a tool's `outputSchema` is a text", { outputSchema: "object" }),
  third("output-pattern", "a tool's `outputSchema` has a pattern that does not compile", {
    outputSchema: { type: "object", properties: { a: { type: "string", pattern: "(" } } },
  }),
  third("output-reference", "a tool's `outputSchema` refers to a definition that does not exist", {
    outputSchema: { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
  }),
  third("output-type-unknown", "a property of a tool's `outputSchema` has a type that does not exist", {
    outputSchema: { type: "object", properties: { a: { type: "any" } } },
  }),
  third("duplicate-tool", "a tool is listed twice", (tool) => ({ ...tool, name: tool.name.replace("three", "two") })),
  third("tool-null", "an element of the list is `null`", () => null),
  third("tool-text", "an element of the list is a text", (tool) => tool.name),
  third("tool-array", "an element of the list is an array", () => []),
  third("name-missing", "a tool has no name", without("name")),
  leaving(
    "tools ",
    "a tool without a name cannot be called",
    third("name-empty", "a tool's name is empty", { name: "" }),
  ),
  third("name-number", "a tool's name is a number", { name: 3 }),
  third("name-dots", "a tool's name has dots and slashes", {}, "a.b/c"),
  third("name-spaces", "a tool's name has spaces", {}, "Create CIFS Share"),
  third("name-unicode", "a tool's name has letters outside ASCII", {}, "天気 größe 🎉"),
  third("name-long", "a tool's name has 200 characters", {}, "n".repeat(200)),
  third("name-control", "a tool's name has a line feed and an escape", {}, "a\nb\u001b"),
  third("title-null", "a tool's `title`, `description` and `annotations` are `null`", {
    title: null,
    description: null,
    annotations: null,
  }),
  third("description-number", "a tool's `description` is a number", { description: 3 }),
  third("annotations-text", "a tool's `annotations` is a text", { annotations: "read-only" }),
  leaving(
    "tools three",
    REFUSED,
    third("hint-text", "a tool's `readOnlyHint` is a text", { annotations: { readOnlyHint: "true" } }),
  ),
  third("icons-object", "a tool's `icons` is an object", { icons: {} }),
  third("meta-null", "a tool's `_meta` is `null`", { _meta: null }),
  third("meta-text", "a tool's `_meta` is a text", { _meta: "x" }),
  third("description-long", "a tool's `description` has 300,000 characters", { description: "d ".repeat(150_000) }),
  third("members-unknown", "a tool has members that no revision defines", {
    "x-vendor": { a: [1, null] },
    strict: true,
  }),
  {
    name: "ten-thousand-members",
    about: "a tool has 10,000 properties",
    items: {
      tools: (good, tool) => [
        ...good,
        tool("three", {
          inputSchema: {
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, { type: "string" }])),
          },
        }),
      ],
    },
  },
  {
    name: "schema-twice",
    about: "a tool's definition has the member `description` twice",
    on: {
      "tools/list": ({ answer }) =>
        json(JSON.stringify(answer).replace('"inputSchema"', '"description":"a","description":"b","inputSchema"')),
    },
  },
  other("resource-without-name", "a resource has no name", "resources", without("name")),
  other("resource-no-uri", "a resource's `uri` is no URI", "resources", { uri: "no uri at all" }),
  other("resource-relative", "a resource's `uri` is relative", "resources", { uri: "/resource-relative/three" }),
  leaving(
    "resources three",
    REFUSED,
    other("resource-size-text", "a resource's `size` is a text", "resources", { size: "12" }),
  ),
  other("resource-null", "an element of the list of resources is `null`", "resources", () => null),
  other("template-syntax", "a template does not parse", "resourceTemplates", {
    uriTemplate: "test://template-syntax/{",
  }),
  other("prompt-arguments-null", "a prompt's `arguments` is `null`", "prompts", { arguments: null }),
  other("prompt-argument-unnamed", "an argument of a prompt has no name", "prompts", { arguments: [{}] }),
  other("prompt-without-name", "a prompt has no name", "prompts", without("name")),
  {
    name: "surrogate-description",
    about: "a description ends within an emoji (`\\ud83d`)",
    on: {
      "tools/list": ({ answer }) =>
        json(JSON.stringify(answer).replace('"inputSchema"', '"description":"cut \\ud83d","inputSchema"')),
    },
  },
  {
    name: "nul-description",
    about: "a description has the character U+0000",
    on: {
      "tools/list": ({ answer }) =>
        json(JSON.stringify(answer).replace('"inputSchema"', '"description":"a\\u0000b","inputSchema"')),
    },
  },
  {
    name: "not-utf8",
    about: "a description has bytes that are not UTF-8",
    on: {
      "tools/list": ({ answer }) => {
        const [before, after] = JSON.stringify(answer).split('"inputSchema"', 2);
        const bytes = [
          Buffer.from(`${before}"description":"gr`),
          Buffer.from([0xf6, 0xdf]),
          Buffer.from('e","inputSchema"'),
        ];
        return json("", {
          body: [
            ...bytes,
            Buffer.from(JSON.stringify(answer).slice(before.length + '"inputSchema"'.length)),
            after && "",
          ].filter(Boolean),
        });
      },
    },
  },
  {
    name: "list-with-result-depth",
    about: "`_meta` of the list nests 100 levels",
    on: { "tools/list": ({ answer }) => json({ ...answer, result: { ...answer.result, _meta: nested(100) } }) },
  },
  {
    name: "many-tools",
    about: "a list has 100 tools on one page",
    items: { tools: (good, tool) => [...good, ...Array.from({ length: 98 }, (_, at) => tool(`more-${at}`))] },
  },
];
