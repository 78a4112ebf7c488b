// Lists of two invented servers with a thousand tools, always the same, for tests and pictures of large catalogs.
const FORGE = {
  server: "forge",
  groups: {
    code: ["Code", ["branch", "commit", "file", "diff", "tag"]],
    issues: ["Issues", ["issue", "comment", "label", "milestone", "board"]],
    reviews: ["Reviews", ["review", "approval", "thread", "suggestion"]],
    pipelines: ["Pipelines", ["run", "job", "runner", "artifact", "cache", "secret"]],
  },
};
const WIKI = {
  server: "wiki",
  groups: {
    pages: ["Pages", ["page", "revision", "draft", "template", "section"]],
    spaces: ["Spaces", ["space", "archive", "category", "index"]],
    people: ["People", ["author", "watcher", "team", "mention"]],
    files: ["Attachments", ["attachment", "image", "table", "diagram"]],
  },
};
const VERBS = [
  ["list", "List", "Returns", "read"],
  ["get", "Read", "Returns one", "read"],
  ["search", "Search", "Finds", "read"],
  ["create", "Create", "Adds", "write"],
  ["update", "Change", "Changes", "write"],
  ["move", "Move", "Moves", "write"],
  ["export", "Export", "Writes out", "read"],
  ["restore", "Restore", "Brings back", "write"],
  ["delete", "Delete", "Removes", "destructive"],
];
const SCOPES = ["", "team", "archived", "recent", "linked", "shared", "pending"];
/** Priorities of the verbs that an agent uses first. */
const IMPORTANT = { search: 0.9, get: 0.8, list: 0.7 };

/** Returns the tools of one server: every verb of every noun, in one scope after the other, up to `count`. */
function tools({ groups }, count) {
  const found = [];
  for (const scope of SCOPES) {
    for (const [group, [, nouns]] of Object.entries(groups)) {
      for (const noun of nouns) {
        for (const [verb, title, does, tag] of VERBS) {
          if (found.length === count) return found;
          const [name, what] = scope ? [`${verb}_${scope}_${noun}`, `${scope} ${noun}`] : [`${verb}_${noun}`, noun];
          found.push({
            name,
            title: `${title} ${what}`,
            description: `${does} ${what} by its id or by the words in it.`,
            inputSchema: {
              type: "object",
              properties: {
                id: { type: "string", description: `Which ${noun}` },
                limit: { type: "integer", minimum: 1, maximum: 100 },
              },
              required: ["id"],
            },
            ...(scope === "" && verb in IMPORTANT ? { annotations: { priority: IMPORTANT[verb] } } : {}),
            groups: [group],
            tags: [tag],
          });
        }
      }
    }
  }
  return found;
}

const declared = ({ groups }) => Object.entries(groups).map(([name, [title]]) => ({ name, title }));

/** The argument of `Sieve.compile` for both servers, with 600 and 400 tools, and their configuration. */
export const SERVERS = [
  { server: FORGE.server, lists: { tools: tools(FORGE, 600) } },
  { server: WIKI.server, lists: { tools: tools(WIKI, 400) } },
];
export const CONFIG = {
  groups: [FORGE, WIKI].flatMap(declared),
  tags: [
    { name: "read", description: "Changes nothing" },
    { name: "write", description: "Changes something" },
    { name: "destructive", description: "Cannot be undone" },
  ],
};
