// @ts-check
// Help, printed from the `usage` that each command exports beside its code.
import { usages } from "./commands.js";
import { HELP } from "./options.js";
import { ownCommand } from "./own-command.js";
import { isDevelopment } from "./own-package.js";

const COMMAND = "npx mcp-sieve";
const STATUS =
  "Exit status: 0 success, nothing found, or listed; 1 something was found, differs or is not listed;\n2 an input cannot be read, or the work cannot be done.";

/** The overview: one line for each command. */
export async function overview() {
  const commands = (await usages()).map(([name, { summary }]) => [name, summary]);
  return `${COMMAND}: decide which tools, resources and prompts an MCP caller sees
${isDevelopment ? `\nThis is a development build. Write \`${ownCommand().join(" ")}\` wherever it says \`${COMMAND}\`.\n` : ""}
Usage: ${COMMAND} COMMAND [options]

First steps: look at a server, check the suggested file, run a gateway in front of the server.
  ${COMMAND} init https://example.com/mcp
  ${COMMAND} check sieve.jsonc --upstream https://example.com/mcp
  ${COMMAND} dev sieve.jsonc

Serve one local server on standard input and output, without a file:
  ${COMMAND} -- npx -y @modelcontextprotocol/server-everything

Commands:
${table(commands)}

Options:
${table([
  ["-h, --help", "Print this help."],
  ["-V, --version", "Print the version."],
])}

${COMMAND} COMMAND --help describes a command and its options.
${STATUS}
`;
}

/** The help of one command: its arguments, its options with one line each, and an example. */
export function helpOf(name, { summary, takes, most = 1, about, options, examples }) {
  const subject = takes === undefined ? "" : ` ${takes}${most === Infinity ? "..." : ""}`;
  const rows = Object.entries({ ...options, ...HELP }).map(([option, declared]) => [
    form(option, declared),
    declared.help,
  ]);
  return `Usage: ${COMMAND} ${name}${subject} [options]

${summary}
${about}

Options:
${table(rows)}

Example${examples.length === 1 ? "" : "s"}:
${examples.map((example) => `  ${COMMAND} ${name} ${example}`.trimEnd()).join("\n")}
`;
}

/** An option as a user writes it; `...` follows one that may be repeated. */
const form = (name, { short, value, multiple }) =>
  `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}${multiple ? " ..." : ""}`;

function table(rows) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
