// @ts-check
// `run`: the gateway in front of servers, on this machine, for daily use.
import { SERVING, serveUntilSignal } from "../lib/serving.js";

export const usage = {
  summary: "Run the gateway on this machine for daily use.",
  takes: "[CONFIG]",
  about:
    "The same as `dev`, without following changes of the file: a file that is being edited never interrupts the sessions of\nclients. It starts the local servers of the file and runs in workerd, without an account, until Ctrl-C.",
  options: SERVING,
  examples: ["sieve.jsonc", "sieve.jsonc --data .sieve/data"],
};

/** @param {Record<string, any>} given */
export default function run(given) {
  return serveUntilSignal(given, { watched: false });
}
