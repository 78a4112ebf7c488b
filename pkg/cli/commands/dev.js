// @ts-check
// `dev`: the gateway in front of servers, on this machine, with the file watched.
import { SERVING, serveUntilSignal } from "../lib/serving.js";

export const usage = {
  summary: "Run the gateway on this machine, and apply each change of the file.",
  takes: "[CONFIG]",
  about:
    "CONFIG is the file (default: sieve.jsonc, if it exists). The gateway runs in workerd, without an account, until Ctrl-C.\nIt starts the local servers of the file and prints a line for each upstream server. The environment sets `${NAME}` in the\nheaders and `env` of the file, and SIEVE_CONFIG (in place of a file), UPSTREAM_URL, SIEVE_KEY, SIEVE_HOSTS, SIEVE_TOKENS,\nSIEVE_OPERATOR, SIEVE_MIDDLEWARE_TOKEN and SIEVE_BEARER.",
  options: SERVING,
  examples: ["sieve.jsonc", "--upstream https://example.com/mcp --port 0"],
};

/** @param {Record<string, any>} given */
export default function dev(given) {
  return serveUntilSignal(given, { watched: true });
}
