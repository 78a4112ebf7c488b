// Catalogs of a size, made of the sets of questions and of real servers, with the questions whose tools they have.
import { catalog as generated } from "../generate.mjs";
import { chosen } from "../relevance/seeded.mjs";
import { intents, sets } from "../relevance/sets.mjs";
import { GROUP } from "./assumptions.mjs";

/** A tool as its server lists it, and the group that it is in. */
const member = (tool, group) => {
  const { _meta, ...own } = tool;
  return { ...own, groups: [group] };
};

/** The group of a tool: its server, or one of so many tools that follow each other. */
const groupOf = (set, tool, at) =>
  set.name === "intents" ? (tool._meta?.["source/server"] ?? "github") : `${set.name}-${Math.floor(at / GROUP)}`;

/** All groups of tools, each with its tools, and all questions that one tool answers: words, and the tools that do. */
export function world(folder) {
  const groups = new Map();
  const names = new Set();
  const questions = [...sets(folder), ...intents(folder)].map((set) => {
    const tools = set.tools.map((tool, at) => {
      const group = groupOf(set, tool, at);
      // Two sets may use a name for different tools; a name has no spaces.
      const plain = tool.name.replaceAll(" ", "_");
      const name = names.has(plain) ? `${plain}_${set.name}` : plain;
      names.add(name);
      groups.set(group, [...(groups.get(group) ?? []), member({ ...tool, name }, group)]);
      return name;
    });
    // Several tools answer an intent, each of them alone; elsewhere several are several steps.
    const single = set.questions.filter(({ wanted }) => set.name === "intents" || wanted.length === 1);
    return single.map(({ query, wanted }) => ({ query, wanted: wanted.map((at) => tools[at]) }));
  });
  return { groups: [...groups.values()], questions };
}

/**
 * A catalog of `size` tools: whole groups in a random order, the last one cut. Beyond all of them, tools are generated.
 * With the questions of each set whose tools it has.
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
