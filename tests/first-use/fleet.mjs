// The servers of a host: programs of npm and PyPI over stdio, and servers over HTTP on loopback. Six of them are there in every
// build; at full size they are 39 servers with more than 1,000 tools, for which scripts/setup-fleet installs the programs.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { catalog } from "../../benches/generate.mjs";
import { startFleets } from "../../benches/scale/fleet.mjs";
import { filesystem, makeFolders, startLowlevel } from "../support/real-servers.mjs";
import { LISTS, startCompany } from "./servers.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
/** Number of tools of each generated server. */
const GENERATED = 60;
const [{ name: generated }] = catalog(GENERATED, GENERATED).tools;

const node = (program, args = [], env) => ({
  command: process.execPath,
  args: [program, ...args],
  ...(env && { env }),
});
const npm = (program, env) => node(at(`fleet/node_modules/${program}`), [], env);
const pypi = (name) => ({ command: at(`../../.tools/venv-fleet/bin/${name}`) });

/** Servers of npm and PyPI with one of their tools each. Those that need a key start with any. */
const PROGRAMS = {
  github: [npm("@modelcontextprotocol/server-github/dist/index.js"), "create_pull_request"],
  gitlab_reference: [
    npm("@modelcontextprotocol/server-gitlab/dist/index.js", { GITLAB_PERSONAL_ACCESS_TOKEN: "none" }),
    "push_files",
  ],
  google_maps: [
    npm("@modelcontextprotocol/server-google-maps/dist/index.js", { GOOGLE_MAPS_API_KEY: "none" }),
    "maps_geocode",
  ],
  memory: [npm("@modelcontextprotocol/server-memory/dist/index.js"), "create_entities"],
  notion: [npm("@notionhq/notion-mcp-server/bin/cli.mjs", { NOTION_TOKEN: "none" }), "API-post-search"],
  context7: [npm("@upstash/context7-mcp/dist/index.js"), "resolve-library-id"],
  gitlab: [
    npm("@zereight/mcp-gitlab/build/index.js", { GITLAB_PERSONAL_ACCESS_TOKEN: "none" }),
    "create_merge_request",
  ],
  devtools: [npm("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"), "take_screenshot"],
  tavily: [npm("tavily-mcp/build/index.js", { TAVILY_API_KEY: "none" }), "tavily_search"],
  git: [pypi("mcp-server-git"), "git_status"],
  time: [pypi("mcp-server-time"), "get_current_time"],
  fetch: [pypi("mcp-server-fetch"), "fetch"],
};

/** Returns the name of a tool that no other server of the company has. */
const ownTool = (server) => {
  const names = Object.values(LISTS).flatMap((tools) => tools.map(({ name }) => name));
  return LISTS[server].map(({ name }) => name).find((name) => names.indexOf(name) === names.lastIndexOf(name));
};

/**
 * Starts the servers over HTTP. Resolves with the entries of a host's file by name, `servers`, the name of one tool of each, `tools`,
 * and `stop`.
 * @param {{ full: boolean }} options
 */
export async function startFleet({ full }) {
  const folders = makeFolders("shared");
  const fleets = startFleets();
  const started = [fleets, { stop: () => folders.remove() }];
  const stop = () => Promise.all(started.map((one) => one.stop()));
  try {
    const specs = Array.from({ length: full ? 12 : 2 }, (_, at) => ({
      name: `desk${at}`,
      tools: GENERATED,
      sessions: at % 2 === 1,
    }));
    const desks = await fleets.fleet(specs);
    const python = await startLowlevel("2.3");
    started.push(python);
    const company = await startCompany();
    started.push(company);
    const shown = full ? Object.keys(company.urls) : ["forge"];
    const [command, ...args] = filesystem(folders.shared);
    const all = {
      everything: [node(everything, ["stdio"]), "echo"],
      filesystem: [{ command, args }, "directory_tree"],
      python: [{ url: python.url }, "measure"],
      ...Object.fromEntries(desks.servers.map(({ name, url }) => [name, [{ url }, `${name}_${generated}`]])),
      ...Object.fromEntries(shown.map((name) => [name, [{ url: company.urls[name] }, ownTool(name)]])),
      ...(full ? PROGRAMS : {}),
    };
    const each = (place) => Object.fromEntries(Object.entries(all).map(([name, entry]) => [name, entry[place]]));
    return { servers: each(0), tools: each(1), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
