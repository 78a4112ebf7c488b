#!/usr/bin/env node
// The command `sieve`. Each of its words is a module of its own, loaded when it is said.
import { warn, warnOfFault } from "./print.js";
import { Unreadable } from "./unreadable.js";

const WORDS = {
  init: () => import("./init.js"),
  dev: () => import("./dev.js"),
  check: () => import("./check.js"),
  explain: () => import("./explain.js"),
  verify: () => import("./verify.js"),
  tokens: () => import("./tokens.js"),
  snapshot: () => import("./snapshot.js"),
  deploy: () => import("./deploy.js"),
};

const USAGE = `sieve: which primitives an MCP caller gets to see

A first time: look at a server, try what was suggested, and put a gateway before it.
  sieve init --upstream https://example.com/mcp
  sieve check sieve.jsonc --upstream https://example.com/mcp
  sieve dev sieve.jsonc

  sieve init (--upstream URL | --catalog LISTS)... [-o FILE] [--force] [--json]
      Writes a first sieve.jsonc: groups by what the names are about, tags by what tools say
      of themselves. Passes \`sieve check\`.

  sieve dev [CONFIG] [--upstream URL] [--port 8787] [--host 127.0.0.1] [--data FOLDER] [--json]
      The gateway before a server, on this machine, until Ctrl-C. CONFIG is watched: what is
      in order comes into force at once. \`\${NAME}\` in it is taken from the environment, and
      so are UPSTREAM_URL, SIEVE_KEY, SIEVE_HOSTS, SIEVE_TOKENS, SIEVE_OPERATOR and
      SIEVE_MIDDLEWARE_TOKEN. FOLDER keeps sessions and the key for another time. Takes the
      package workerd, and no account.

  sieve check CONFIG [--catalog LISTS | --upstream URL]... [--filter FILTER] [--json]
      Looks a sieve.jsonc over: rules and policies that do nothing, names that nothing goes
      by, groups and tags that are not declared. With the lists of a server, every rule is
      tried on every primitive.

  sieve explain NAME (--catalog LISTS | --upstream URL)... [--config CONFIG] [--filter FILTER]
                [--query QUERY] [--kind KIND] [--json]
      Whether the primitive of that name is listed: the rules that match it and which hides
      it, its groups and tags, what each policy says, and what of a filter leaves it out.

  sieve deploy [CONFIG] [--upstream URL] [--name NAME] [--dry-run] [-o FOLDER] [--json]
      Sends the gateway to Cloudflare: writes FOLDER (.sieve/deploy) for wrangler and calls it.
      Takes the package wrangler; --dry-run sends nothing and needs no account.

  sieve verify --catalog LISTS... [--config CONFIG] [--filter FILTER] [--query QUERY]
               [--kind KIND] [RESULT] [--json]
      Does the hashes of a list result again, from what the server listed. RESULT is a file
      with the result, or a resultHash; without one the hashes are printed.

  sieve tokens LISTS... [--config CONFIG] [-o FILE]
      Counts the o200k tokens of each primitive, for \`limit.tokens\` and \`sieve snapshot\`.
      Takes the package gpt-tokenizer.

  sieve snapshot LISTS... [--config CONFIG] [--tokens FILE] -o FILE
      Compiles the catalog into a file that is loaded without parsing.

URL      an MCP server over HTTP, of either era; NAME=URL where there are several. The package
         @modelcontextprotocol/client sends the requests. --header 'Name: value' adds a header;
         where there are several servers, --header 'NAME=Name: value' adds it for one of them
--yes    has npm fetch a package that is not installed, into a folder of this command's
LISTS    list results, JSON: {"tools": [...]}, a JSON-RPC response, or an array of these;
         NAME=FILE where CONFIG has several \`upstreams\`
FILTER   params.filter as JSON, or the query of a URL: groups=issues&tags=stable
KIND     tools (the default), resources, resourceTemplates or prompts
-        in place of a file: standard input

Exit status: 0 in order (or listed), 1 something was found, differs or is not listed, 2 something
cannot be read or done.
`;

async function run([word, ...rest]) {
  if (word === undefined || word === "help" || word === "--help" || word === "-h") {
    process.stdout.write(USAGE);
    return word === undefined ? 2 : 0;
  }
  if (!Object.hasOwn(WORDS, word)) {
    throw new Unreadable(`unknown command \`${word}\`, expected one of ${Object.keys(WORDS).map((known) => `\`${known}\``).join(", ")}; \`sieve help\` says more`);
  }
  const { default: command } = await WORDS[word]();
  return command(rest);
}

// Whatever goes wrong, no text of a server reaches the terminal as it is.
process.on("uncaughtException", (error) => {
  warnOfFault(error);
  process.exit(2);
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof Unreadable) warn(error.message);
  else warnOfFault(error);
  process.exitCode = 2;
}
