// Where a catalog comes from: a server, a pasted text, or a sample that comes with the page.
import { Sieve } from "mcp-sieve";
import { KINDS } from "./kinds.js";
import { Refusal, readServer } from "./server.js";

/** What is loaded: the sieve, its server if there is one, and what was left out. */
export async function load({ from, url, sample }, text, signal) {
  if (from === "url" && !/^https?:\/\/[^/]/i.test(url)) throw new Refusal("The address has to start with http:// or https://");
  if (from === "paste" && !text.trim()) throw new Refusal("Paste the text of a list result first. A link does not carry a pasted catalog.");
  const read = await {
    server: () => readServer(new URL("./mcp", location.href).href, signal),
    url: () => readServer(url, signal),
    paste: () => readPaste(text),
    sample: () => readSample(sample, signal),
  }[from]();
  return { from, url, sample, server: read.server, ...compile(read) };
}

async function readSample(name, signal) {
  const response = await fetch(new URL(`./samples/${encodeURIComponent(name)}.json`, location.href), { signal });
  if (!response.ok) throw new Refusal(`There is no sample “${name}”`, response.status);
  const { lists, config } = await response.json();
  return { lists, config };
}

function readPaste(text) {
  let parts;
  try {
    parts = [JSON.parse(text)].flat().map((part) => part?.result ?? part);
  } catch {
    return { lists: text, declared: {} }; // the engine says what is wrong with it, and where
  }
  const all = (key) => parts.flatMap((part) => (Array.isArray(part?.[key]) ? part[key] : []));
  const declared = { groups: all("groups"), tags: all("tags"), concerns: all("concerns") };
  const holds = (part, keys) => keys.some((key) => part?.[key]);
  const lists = parts.filter((part) => holds(part, Object.keys(KINDS)) || !holds(part, Object.keys(declared)));
  return { lists: lists.length ? lists : parts, declared };
}

/** Concerns that nobody declared, from the values that the primitives carry. */
function carriedConcerns(lists) {
  const found = new Map();
  const items = [lists].flat().flatMap((part) => Object.keys(KINDS).flatMap((kind) => part?.[kind] ?? []));
  for (const [name, value] of items.flatMap((item) => Object.entries(item?._meta?.concerns ?? {}))) {
    const values = [value].flat().filter((one) => typeof one === "string" || typeof one === "number");
    if (values.length) found.set(name, [...new Set([...(found.get(name) ?? []), ...values])]);
  }
  return [...found].map(([name, values]) => {
    const numbers = values.every((value) => typeof value === "number");
    return { name, values: numbers ? { min: Math.min(...values), max: Math.max(...values) } : values.map(String).sort() };
  });
}

/** On the wire, where groups are flat, the one above stands in `_meta`. */
const nested = (group) => ({ ...group, ...(group?._meta?.["dev.mcpsieve/parent"] && { parent: group._meta["dev.mcpsieve/parent"] }) });

function compile({ lists, declared = {}, rules = [], config }) {
  const only = (list, ...keys) => (Array.isArray(list) ? list : []).map((entry) =>
    Object.fromEntries(keys.filter((key) => key in Object(entry)).map((key) => [key, entry[key]])));
  const concerns = declared.concerns?.length ? declared.concerns : carriedConcerns(lists);
  const made = config ?? {
    groups: only(declared.groups?.map(nested), "name", "title", "description", "parent"),
    tags: only(declared.tags, "name", "description"),
    concerns: only(concerns, "name", "description", "values", "ordered", "default"),
    rules,
  };
  try {
    return { sieve: Sieve.compile(lists, made), notes: [] };
  } catch (problem) {
    const sieve = Sieve.compile(lists); // refuses for itself if the lists are the trouble
    return { sieve, notes: [`the declared groups, tags and concerns are left out: ${problem.message}`] };
  }
}
