#!/usr/bin/env node
// @ts-check
// The command `mcp-sieve`.
import { NAMES, load } from "./lib/commands.js";
import { helpOf, overview } from "./lib/help.js";
import { nearest } from "./lib/suggest.js";
import { misplaced, parse } from "./lib/options.js";
import { warn, warnOfFault } from "./lib/print.js";
import { Unreadable } from "./lib/cli-error.js";
import { isDevelopment, manifest, messageOnMissing } from "./lib/own-package.js";

/** @param {string[]} args */
async function run([word, ...rest]) {
  if (["--version", "-V", "version"].includes(word)) {
    process.stdout.write(`mcp-sieve ${manifest.version}${isDevelopment ? " (development build)" : ""}\n`);
    return 0;
  }
  if (word === "--") {
    const { serveCommand } = await import("./lib/wrapped.js");
    return serveCommand(rest);
  }
  const asked = ["--help", "-h", "help"].includes(word);
  if (word === undefined || (asked && rest.length === 0)) {
    process.stdout.write(await overview());
    return asked ? 0 : 2;
  }
  const name = asked ? rest[0] : word;
  if (!NAMES.includes(name)) throw new Unreadable(await unknown(name));
  const { default: command, usage } = await load(name);
  const given = asked ? { help: true } : await parse(name, rest, usage);
  if (given.help) {
    process.stdout.write(helpOf(name, usage));
    return 0;
  }
  if (given["env-file"] !== undefined) {
    const { loadEnvFile } = await import("./lib/env-file.js");
    loadEnvFile(given["env-file"]);
  }
  return command(given);
}

/** The message for a word that is no command. */
async function unknown(word) {
  if (word.startsWith("-")) return misplaced(word);
  if (/^https?:\/\//.test(word))
    return `expected a command, got an address: \`npx mcp-sieve init ${word}\` looks at the server there`;
  const meant = nearest(word, [...NAMES, "help", "version"]);
  return `unknown command \`${word}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}; \`npx mcp-sieve --help\` lists the commands`;
}

// Text of a server reaches the terminal escaped, also in unexpected errors.
process.on("uncaughtException", (error) => {
  warnOfFault(error);
  process.exit(2);
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const missing = messageOnMissing(error);
  if (error instanceof Unreadable) warn(...error.lines);
  else if (missing === undefined) warnOfFault(error);
  else warn(missing);
  process.exitCode = 2;
}
