// Catalogs of a given size, made from the question sets and the tools of real servers. Each comes with the questions
// that its tools can answer.
import { catalog as generated } from "../generate.mjs";
import { chosen } from "../relevance/seeded.mjs";
import { intents, sets } from "../relevance/sets.mjs";
import { GROUP } from "./assumptions.mjs";

/** Returns a tool as its server lists it, without `_meta`, and with its group. */
const member = (tool, group) => {
  const { _meta, ...own } = tool;
  return { ...own, groups: [group] };
};

/** Returns the group of a tool: its server, or a block of `GROUP` consecutive tools. */
const groupOf = (set, tool, at) =>
  set.name === "intents" ? (tool._meta?.["source/server"] ?? "github") : `${set.name}-${Math.floor(at / GROUP)}`;

/**
 * Returns all groups with their tools, and for each set the questions that a single tool answers: words and names of
 * tools.
 */
export function world(folder) {
  const groups = new Map();
  const names = new Set();
  const questions = [...sets(folder), ...intents(folder)].map((set) => {
    const tools = set.tools.map((tool, at) => {
      const group = groupOf(set, tool, at);
      // Two sets may use the same name for different tools. A name must not contain spaces.
      const plain = tool.name.replaceAll(" ", "_");
      const name = names.has(plain) ? `${plain}_${set.name}` : plain;
      names.add(name);
      groups.set(group, [...(groups.get(group) ?? []), member({ ...tool, name }, group)]);
      return name;
    });
    // For an intent, each of the wanted tools suffices. In other sets, several wanted tools mean several steps.
    const single = set.questions.filter(({ wanted }) => set.name === "intents" || wanted.length === 1);
    return single.map(({ query, wanted }) => ({ query, wanted: wanted.map((at) => tools[at]) }));
  });
  return { groups: [...groups.values()], questions };
}

/**
 * Returns a catalog of `size` tools: whole groups in a random order, of which the last is cut. If the groups do not
 * suffice, the rest is generated. The result includes the questions of each set that its tools can answer.
 */
export function catalogOf({ groups, questions }, size, random) {
  const tools = chosen(groups, groups.length, random).flat().slice(0, size);
  tools.push(...generated(size - tools.length).tools.map((tool) => member(tool, tool.groups[0])));
  const has = new Map(tools.map((tool) => [tool.name, tool]));
  const asked = questions.map((set) =>
    set
      .map(({ query, wanted }) => ({ query, wanted: wanted.filter((name) => has.has(name)) }))
      .filter(({ wanted }) => wanted.length > 0),
  );
  return { tools, groupOf: (name) => has.get(name).groups[0], questions: asked.filter((set) => set.length > 0) };
}
