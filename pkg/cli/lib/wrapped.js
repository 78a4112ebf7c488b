// @ts-check
// `npx mcp-sieve -- COMMAND`: the gateway as a stdio server in front of one local server, without a file.
import { serveStdio } from "../commands/stdio.js";
import { Unreadable } from "./cli-error.js";

/** A word that refers to no variable. */
const plain = (word) => word.replaceAll("${", () => "$${");

/**
 * Serves the server that `command` starts. It has the whole environment: the host gave it to this server.
 * @param {string[]} command
 */
export function serveCommand(command) {
  if (command.length === 0)
    throw new Unreadable(
      "expected a command behind `--`, such as `npx mcp-sieve -- npx -y @modelcontextprotocol/server-everything`",
    );
  // A reference to an empty variable counts as an error.
  const names = Object.keys(process.env).filter((name) => process.env[name] !== "");
  const env = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  return serveStdio({ config: JSON.stringify({ upstream: { command: command.map(plain), env } }), yes: true });
}
