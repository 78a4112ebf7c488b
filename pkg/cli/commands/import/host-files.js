// @ts-check
// The files in which hosts keep their MCP servers: where they are, and what is in them.
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { Unreadable, parseConfig, textOf } from "../../lib/input.js";

/** The members that hold servers: of Claude and Cursor, of VS Code, and of VS Code's settings. */
const HOLDERS = [["mcpServers"], ["servers"], ["mcp", "servers"]];

/** The files that are read if none is named, as far as they exist. */
export function usualFiles(environment = process.env) {
  const home = homedir();
  const application = {
    darwin: join(home, "Library/Application Support"),
    win32: environment.APPDATA ?? join(home, "AppData/Roaming"),
  }[process.platform];
  return [
    "mcp.json",
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    join(home, ".cursor/mcp.json"),
    join(application ?? environment.XDG_CONFIG_HOME ?? join(home, ".config"), "Claude/claude_desktop_config.json"),
  ]
    .filter((path) => existsSync(path))
    .filter((path, at, all) => all.findIndex((other) => realpathSync(other) === realpathSync(path)) === at);
}

/**
 * Reads a file. Returns its text, the path of the member with the servers, the servers by name, and the folder that
 * `${workspaceFolder}` means.
 * @param {string} path
 */
export function readHostFile(path) {
  const text = textOf(path).replace(/^\uFEFF/, "");
  let value;
  try {
    value = parseConfig(text);
  } catch (error) {
    throw new Unreadable(`${path}: not JSON: ${error.message}`);
  }
  const holder = HOLDERS.find((names) => isObject(names.reduce((at, name) => at?.[name], value)));
  if (holder === undefined)
    throw new Unreadable(`${path}: expected the servers of a host, as \`mcpServers\` or \`servers\``);
  const folder = dirname(resolve(path));
  return {
    path,
    text,
    holder,
    servers: holder.reduce((at, name) => at[name], value),
    workspace: [".vscode", ".cursor"].includes(basename(folder)) ? dirname(folder) : folder,
  };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The text with comments and trailing commas blanked out, so that it is JSON and every place stays where it is. */
export function blanked(text) {
  const blank = (found) => " ".repeat(found.length);
  return text
    .replaceAll(/("[^"\\]*(?:\\[^][^"\\]*)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (found, string) => string ?? blank(found))
    .replaceAll(/("[^"\\]*(?:\\[^][^"\\]*)*")|,(?=\s*[}\]])/g, (found, string) => string ?? blank(found));
}
