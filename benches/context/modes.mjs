// The modes in which a model performs a task. Each is a function from a server and a task to the conversation and the
// number of steps whose tool was found.
import { TRIES } from "./assumptions.mjs";
import { Conversation } from "./conversation.mjs";
import { tokensOf, tokensOfList } from "./tokens.mjs";

const request = ({ steps }) => steps.map(({ query }) => query).join("\n");

/** Lists every tool that the URL selects. The model calls the right one at once. */
function listed(query, shared) {
  return async (server, task) => {
    const tools = await server.list(query(task));
    const tokens = tokensOfList(tools);
    const conversation = new Conversation({ [shared ? "shared" : "own"]: tokens, request: request(task) });
    const missing = task.steps.find(({ wanted }) => !tools.some(({ name }) => name === wanted[0]));
    if (missing) throw new Error(`${missing.wanted[0]} is not listed`);
    for (const { wanted } of task.steps) conversation.call(wanted[0]);
    conversation.end();
    return { conversation, found: task.steps.length };
  };
}

/**
 * Starts the conversation of a mode that lists discovery tools. All conversations share these; `own` says that the
 * introduction of the tools belongs to this conversation only.
 */
async function disclosed(server, url, task, own) {
  const tools = tokensOfList(await server.list(url));
  const introduced = tokensOf(await server.instructions(url));
  const parts = own ? { shared: tools, own: introduced } : { shared: tools + introduced };
  return new Conversation({ ...parts, request: request(task) });
}

/** Calls a tool, after reading its definition if the model has not seen it. */
async function tried(server, url, conversation, name, seen) {
  if (!seen.has(name)) {
    const args = { names: [name] };
    conversation.ask("describe_tools", args, await server.call(url, "describe_tools", args));
    seen.add(name);
  }
  conversation.call(name, "call_tool");
}

/** Returns the results that a model tries, in their order. */
const inTurn = (results) => results.slice(0, TRIES);
/** Returns the right result, at any rank. If there is none, returns the results that the model tries in vain. */
function recognized(results, wanted) {
  const right = results.find((name) => wanted.includes(name));
  return right ? [right] : inTurn(results);
}

/**
 * Returns a mode in which the model searches with the words of each step, and tries the results that `choose` returns.
 */
function searched(query, own, choose = inTurn) {
  return async (server, task) => {
    const url = query(task);
    const conversation = await disclosed(server, url, task, own);
    const seen = new Set();
    let found = 0;
    for (const { query: words, wanted } of task.steps) {
      const known = wanted.find((name) => seen.has(name));
      const args = { query: words };
      let results = [known];
      if (!known) {
        const answer = await server.call(url, "search_tools", args);
        conversation.ask("search_tools", args, answer);
        results = JSON.parse(answer).tools.map(({ name }) => name);
      }
      for (const name of choose(results, wanted)) {
        await tried(server, url, conversation, name, seen);
        if (!wanted.includes(name)) continue;
        found += 1;
        break;
      }
    }
    conversation.end();
    return { conversation, found };
  };
}

/** Opens the group of each step's tool, where the model chooses the right tool. */
async function grouped(server, task) {
  const url = "disclosure=groups";
  const conversation = await disclosed(server, url, task, false);
  const [seen, shown] = [new Set(), new Set()];
  conversation.ask("list_tool_groups", {}, await server.call(url, "list_tool_groups", {}));
  for (const { wanted, group } of task.steps) {
    const [name] = wanted;
    let from = shown.has(name) ? undefined : 0;
    while (from !== undefined) {
      const args = from > 0 ? { group, from } : { group };
      const answer = await server.call(url, "open_tool_group", args);
      conversation.ask("open_tool_group", args, answer);
      const { tools, next } = JSON.parse(answer);
      for (const tool of tools) shown.add(tool.name);
      from = shown.has(name) ? undefined : next;
    }
    await tried(server, url, conversation, name, seen);
  }
  conversation.end();
  return { conversation, found: task.steps.length };
}

/** Lists every tool by its name and one line. The model reads the definition of each step's tool, and calls it by name. */
async function outlined(server, task) {
  const url = "disclosure=outline";
  const conversation = await disclosed(server, url, task, false);
  const seen = new Set();
  for (const {
    wanted: [name],
  } of task.steps) {
    const args = { names: [name] };
    if (!seen.has(name)) conversation.ask("describe_tools", args, await server.call(url, "describe_tools", args));
    seen.add(name);
    conversation.call(name);
  }
  conversation.end();
  return { conversation, found: task.steps.length };
}

/**
 * Lists every tool with a definition of at most `budget` tokens. `refused` says that the server refuses the first call of each
 * tool that is listed in a shorter form; the error has the full definition.
 */
function shortened(budget, refused) {
  return async (server, task) => {
    const [tools, full] = [await server.shortened(budget), await server.list("disclosure=flat")];
    const conversation = new Conversation({ shared: tokensOfList(tools), request: request(task) });
    const seen = new Set();
    for (const {
      wanted: [name],
    } of task.steps) {
      const [listed, whole] = [tools, full].map((list) => list.find((tool) => tool.name === name));
      const isShort = JSON.stringify(listed) !== JSON.stringify(whole);
      if (refused && isShort && !seen.has(name)) conversation.refused(name, whole);
      seen.add(name);
      conversation.call(name);
    }
    conversation.end();
    return { conversation, found: task.steps.length };
  };
}

const filter = ({ groups }) => groups.map((group) => `groups=${encodeURIComponent(group)}`).join("&");

export const MODES = {
  flat: listed(() => "disclosure=flat", true),
  filters: listed((task) => `disclosure=flat&${filter(task)}`, false),
  search: searched(() => "disclosure=search", false),
  "search, best case": searched(() => "disclosure=search", false, recognized),
  groups: grouped,
  outline: outlined,
  "definitions of 300": shortened(300, false),
  "definitions of 150": shortened(150, false),
  "definitions of 150, worst case": shortened(150, true),
  "filters and search": searched((task) => `disclosure=search&${filter(task)}`, true),
};
