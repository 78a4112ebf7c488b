// Catalogs of any size, the same on every machine. Names, descriptions and schemas resemble those of real tools. There
// are 24 groups, 31 tags and 4 concerns. A tool's JSON has about 960 bytes.

const GROUPS = Array.from({ length: 24 }, (_, at) => `group-${at}`);
const TAGS = ["stable", ...Array.from({ length: 30 }, (_, at) => `tag-${at}`)];
/** The concerns of the tools, with their values. */
export const CONCERNS = {
  security: ["low", "medium", "high"],
  cost: ["minimal", "moderate", "high"],
  performance: ["fast", "slow"],
  lifecycle: ["production", "preview"],
};
export const VERBS = ["create", "update", "list", "search", "get", "delete", "move", "merge", "assign", "export"];
export const NOUNS = [
  "issue",
  "comment",
  "invoice",
  "calendar_event",
  "customer",
  "branch",
  "deployment",
  "message",
  "photo",
  "route",
];
const ARGUMENTS = ["title", "body", "limit", "cursor", "assignee", "labels", "since", "until", "format", "locale"];

/** Returns the pseudorandom generator mulberry32: small, seeded, and sufficient to assign tags and groups. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function property(name, draw) {
  const words = `The ${name} to use; left out, the server's own choice for this account applies.`;
  return draw() < 0.5
    ? { type: "string", description: words, maxLength: 200 }
    : { type: "integer", description: words, minimum: 0 };
}

function tool(at, draw) {
  const pick = (list) => list[Math.floor(draw() * list.length)];
  const [verb, noun] = [pick(VERBS), pick(NOUNS)];
  const groups = [...new Set(draw() < 0.3 ? [pick(GROUPS), pick(GROUPS)] : [pick(GROUPS)])];
  const tags = TAGS.filter((_, place) => draw() < (place === 0 ? 0.8 : 0.1));
  const concerns = {};
  for (const [name, values] of Object.entries(CONCERNS)) if (draw() < 0.5) concerns[name] = pick(values);
  const properties = {};
  for (let count = 0; count < 4; count += 1) {
    const name = pick(ARGUMENTS);
    properties[name] = property(name, draw);
  }
  return {
    name: `${verb}_${noun}_${at}`,
    title: `${verb} ${noun.replace("_", " ")}`,
    description: `${verb}s one ${noun.replace("_", " ")} in the workspace of the caller and returns what became of it, with its identifier, its state and the time of the last change.`,
    inputSchema: {
      type: "object",
      properties,
      required: Object.keys(properties).slice(0, 1),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: draw() < 0.5, openWorldHint: false },
    groups,
    tags,
    _meta: { concerns },
  };
}

/** Returns the result of `tools/list` with `count` tools. */
export function catalog(count, seed = 1) {
  const draw = random(seed);
  return { tools: Array.from({ length: count }, (_, at) => tool(at, draw)) };
}

/** The filters of the benchmarks. They select a sixtieth, a sixth and four fifths of a large catalog. */
export const filters = {
  narrow: { groups: ["group-3", "group-11", "group-17", "group-20"], tags: ["tag-4"], concerns: { security: "high" } },
  medium: { groups: ["group-0", "group-5", "group-9", "group-14"], tags: ["stable"] },
  wide: { tags: ["stable"] },
};
