// @ts-check
// The recommended disclosure mode of hosts, as docs/hosts.md has it.
import { basename } from "node:path";

/**
 * The setting of a new configuration: most hosts get all tools up to the budget and the tools of `search` beyond it. Claude Code
 * searches the tools of its servers itself.
 */
export const DISCLOSURE = {
  mode: "auto",
  budget: 8000,
  clients: [{ when: "client.name:claude-code", mode: "flat" }],
};

/**
 * Returns the query by which a host gets its recommended mode from a configuration that says nothing of modes; nothing if it
 * needs none.
 * @param {string} path the file of the host
 * @param {Record<string, any> | undefined} config the configuration that is kept, if one is
 * @param {{ disclosure?: string } | undefined} preset the preset of the host
 */
export function queryFor(path, config, preset) {
  // Only Claude Code reads a file of this name.
  const searchesItself = basename(path) === ".mcp.json";
  const isSet = config === undefined || config.disclosure !== undefined || preset?.disclosure !== undefined;
  return searchesItself || isSet ? undefined : `disclosure=${DISCLOSURE.mode}`;
}
