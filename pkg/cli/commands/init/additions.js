// @ts-check
// Suggestions that a configuration does not have yet.

/**
 * Returns the suggestions whose groups and tags are new to a configuration. What it declares or assigns under a name is its own,
 * so that a second run adds nothing. Rules that hide something are left out: they close resources that no list mentions.
 * @param {Record<string, any>} config
 * @param {{ groups: any[], tags: any[], rules: any[] }} suggestions
 */
export function additionsTo(config, { groups, tags, rules }) {
  const { upstream, upstreams = [upstream] } = config;
  const servers = new Set(upstreams.map((server) => server?.name));
  const known = { groups: namesIn(config, "groups"), tags: namesIn(config, "tags") };
  // A group of the file may have the topic of a server without the name of the server.
  const isKnown = ({ name, parent }) => {
    const topic = parent === undefined ? name : name.slice(parent.length + 1);
    return known.groups.has(name) || (known.groups.has(topic) && !servers.has(topic));
  };
  const added = {
    groups: groups.filter((group) => !isKnown(group)),
    tags: tags.filter(({ name }) => !known.tags.has(name)),
  };
  const isAdded = (list, names = []) => names.every((name) => added[list].some((one) => one.name === name));
  return {
    ...added,
    rules: rules.filter((rule) => !rule.hide && isAdded("groups", rule.groups) && isAdded("tags", rule.tags)),
  };
}

/** The names that a configuration declares in a list, or that its rules assign. */
const namesIn = ({ rules = [], ...config }, list) =>
  new Set([...(config[list] ?? []).map(({ name }) => name), ...rules.flatMap((rule) => rule[list] ?? [])]);
