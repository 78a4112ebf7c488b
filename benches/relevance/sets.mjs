// Tools with questions whose right answers are known, from the folder that SIEVE_DATA names.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const ANYTHING = { type: "object" };

/** Returns a schema with the JSON Schema type `object` instead of Python's `dict`. */
const schemaOf = (schema) =>
  JSON.parse(JSON.stringify(schema), (key, value) => (key === "type" && value === "dict" ? "object" : value));

/** Returns the tools of a list result, of an array, or of an object of name → description. */
function toolsOf(list) {
  const tools = list.tools ?? list;
  if (!Array.isArray(tools))
    return Object.entries(tools).map(([name, description]) => ({ name, description, inputSchema: ANYTHING }));
  // Other vendors' function definitions have `parameters`. Absent members are sometimes null.
  return tools.map(({ parameters, ...tool }) => {
    const whole = { inputSchema: parameters ? schemaOf(parameters) : ANYTHING, ...tool };
    return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
  });
}

/** Adds a number to names that repeat, so that no tool is lost: the benchmark measures how each tool is found. */
function distinct(tools) {
  const seen = new Map();
  return tools.map((tool) => {
    const times = (seen.get(tool.name) ?? 0) + 1;
    seen.set(tool.name, times);
    return times > 1 ? { ...tool, name: `${tool.name} ${times}` } : tool;
  });
}

/**
 * Returns the questions of a list of `{query, tool}` or `{query, tools}`. A tool is given by its name, or as
 * `server/name` if names repeat.
 */
function questionsOf(list, tools) {
  const places = new Map();
  const add = (name, at) => places.set(name, [...(places.get(name) ?? []), at]);
  tools.forEach((tool, at) => {
    add(tool.name, at);
    const server = tool._meta?.["source/server"];
    if (server) add(`${server}/${tool.name}`, at);
  });
  const find = (name) =>
    places.get(name) ??
    (() => {
      throw new Error(`no tool ${name}`);
    })();
  return list.map(({ query, tool, tools = [tool] }) => ({ query, wanted: tools.flatMap(find) }));
}

/** Returns a set for every pair of files `NAME-tools.json` and `NAME-queries….json` below `relevance`. */
export function sets(folder) {
  const within = join(folder, "relevance");
  const files = readdirSync(within).sort();
  return files
    .filter((file) => file.endsWith("-tools.json"))
    .flatMap((file) => {
      const name = file.slice(0, -"-tools.json".length);
      const queries = files.find((other) => other.startsWith(`${name}-queries`));
      if (!queries) return [];
      const tools = toolsOf(read(join(within, file)));
      return [{ name, tools: distinct(tools), questions: questionsOf(read(join(within, queries)), tools) }];
    });
}

/**
 * Returns the set of requests that models make of real tools: `intents.json` over the tools of every catalog in the
 * folder.
 */
export function intents(folder) {
  const tools = catalogs(folder);
  if (tools.length === 0) return [];
  const questions = questionsOf(read(new URL("intents.json", import.meta.url)), tools);
  return [{ name: "intents", tools: distinct(tools), questions }];
}

/** Returns the tools of every catalog in the folder. */
export function catalogs(folder) {
  const within = join(folder, "catalogs");
  return existsSync(within)
    ? readdirSync(within)
        .sort()
        .flatMap((file) => toolsOf(read(join(within, file))))
    : [];
}
