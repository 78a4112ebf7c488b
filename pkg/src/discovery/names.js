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
export function providerName(name) {
  if (TAKEN.test(name)) return name;
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  const beginning = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_BEGINNING);
  return `${beginning}_${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

/**
 * The name of the tool that a provider knows under `name`.
 * @param {string} name
 * @param {() => readonly { name: string }[]} tools
 */
export function toolName(name, tools) {
  if (!/_[0-9a-f]{8}$/.test(name)) return name;
  const listed = tools();
  if (listed.some((tool) => tool.name === name)) return name;
  return listed.find((tool) => providerName(tool.name) === name)?.name ?? name;
}
