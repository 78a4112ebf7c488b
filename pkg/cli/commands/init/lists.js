// @ts-check
// What servers list, by kind.

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];

/**
 * Returns what each server lists, `{ server, title, primitives: { tools, resources, … } }`.
 * @param {string[]} servers
 * @param {string[]} lists the list results of each, as JSON
 * @param {{ server: string, title?: string }[]} live the servers that were asked
 */
export function sourcesOf(servers, lists, live) {
  const titles = new Map(live.map(({ server, title }) => [server, title]));
  return lists.map((text, at) => ({
    server: servers[at],
    title: titles.get(servers[at]),
    primitives: primitivesOf(text),
  }));
}

function primitivesOf(text) {
  const results = [JSON.parse(text)].flat().map((result) => result?.result ?? result);
  const found = (kind) =>
    results
      .flatMap((result) => result?.[kind] ?? [])
      .filter((primitive) => typeof primitive === "object" && primitive !== null);
  return Object.fromEntries(KINDS.map((kind) => [kind, found(kind)]));
}
