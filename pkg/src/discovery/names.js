// @ts-check
// Names of tools that model providers take.

/** Tool names that OpenAI and Anthropic accept. */
const TAKEN = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_BEGINNING = 55;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A name that providers take: the same, or its beginning and a hash.
 * @param {string} name
 */
function providerName(name) {
  return TAKEN.test(name) ? name : hashed(name, name);
}

/**
 * The beginning of a name and the hash of a text.
 * @param {string} name
 * @param {string} text
 */
function hashed(name, text) {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  const beginning = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_BEGINNING);
  return `${beginning}_${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

/**
 * The names of tools for a provider, in the same order. A server may give its tool the name that a tool of another server has there;
 * the first keeps it.
 * @param {readonly { name: string }[]} tools
 */
export function providerNames(tools) {
  const taken = new Set();
  return tools.map(({ name }) => {
    let given = providerName(name);
    for (let turn = 1; taken.has(given); turn += 1) given = hashed(name, `${name} ${turn}`);
    taken.add(given);
    return given;
  });
}

/**
 * The name of the tool that a provider knows under `name`.
 * @param {string} name
 * @param {() => readonly { name: string }[]} tools
 */
export function toolName(name, tools) {
  if (!/_[0-9a-f]{8}$/.test(name)) return name;
  const listed = tools();
  return listed[providerNames(listed).indexOf(name)]?.name ?? name;
}
