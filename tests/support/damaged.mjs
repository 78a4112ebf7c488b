// Randomly damaged lists of primitives: members are `null`, of another type, or missing, at any depth.

/** Returns a generator of numbers from 0 to 1 from a seed (SplitMix32). */
function numbers(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const ODD = [true, false, "true", "", "x", 0, 1.5, -1, [], {}, [null], { type: "array" }, { type: null }, "2026-07-28"];
const icons = () => [{ src: "https://a.example/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }];
const content = () => ({
  audience: ["user", "assistant"],
  priority: 0.5,
  lastModified: "2026-07-28T12:00:00Z",
  "x-own": null,
});
const base = (name) => ({
  name,
  title: "Title",
  description: "Text",
  icons: icons(),
  _meta: { own: null },
  "x-own": [null],
});

/** A valid primitive of each kind, with every member that the protocol defines. */
const WHOLE = {
  tools: (name) => ({
    ...base(name),
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", default: null }, b: {} },
      required: ["a"],
    },
    // The properties are empty: TypeScript v1 compiles them, and they are not validated.
    outputSchema: { type: "object", properties: {}, required: [] },
    annotations: { title: "T", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    execution: { taskSupport: "optional" },
  }),
  resources: (name) => ({
    ...base(name),
    uri: `r://${name}`,
    mimeType: "text/plain",
    size: 12,
    annotations: content(),
  }),
  resourceTemplates: (name) => ({
    ...base(name),
    uriTemplate: `t://${name}/{a}`,
    mimeType: "text/plain",
    annotations: content(),
  }),
  prompts: (name) => ({
    ...base(name),
    arguments: [{ name: "a", title: "A", description: "d", required: true }, { name: "b" }],
  }),
};

/** The member that identifies a primitive of each kind. */
export const ID = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name" };

function damage(value, random) {
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)];
  const inner = value[key];
  if (typeof inner === "object" && inner !== null && Object.keys(inner).length > 0 && random() < 0.7) {
    damage(inner, random);
  } else if (random() < 0.2) {
    if (Array.isArray(value)) value.splice(Number(key), 1);
    else delete value[key];
  } else {
    value[key] = random() < 0.5 ? null : structuredClone(ODD[Math.floor(random() * ODD.length)]);
  }
}

/** Returns lists from a seed. Each has one intact primitive, called `good`, among `count` damaged ones. */
export function damaged(seed, count = 1) {
  const random = numbers(seed);
  const list = (kind) => {
    const primitives = Array.from({ length: count }, (_, at) => {
      const primitive = WHOLE[kind](`${kind}${at}`);
      for (let times = Math.floor(random() * 3); times >= 0; times -= 1) damage(primitive, random);
      return random() < 0.05 ? null : primitive;
    });
    primitives.splice(Math.floor(random() * (count + 1)), 0, WHOLE[kind]("good"));
    return primitives;
  };
  return Object.fromEntries(Object.keys(WHOLE).map((kind) => [kind, list(kind)]));
}

/** Returns the id of the intact primitive of a kind. */
export const goodId = (kind) => WHOLE[kind]("good")[ID[kind]];
