// `mcp-sieve check`: what a configuration probably does not mean.
import { lint } from "./engine.js";
import { YES } from "./borrow.js";
import { Unreadable, inputs, lineAt, reading } from "./input.js";
import { LIVE, listed } from "./live.js";
import { CATALOG, FILTER, JSON_LINE } from "./options.js";
import { print, printJson } from "./print.js";

export const usage = {
  summary: "Report rules, policies and names of a file that have no effect.",
  takes: "CONFIG",
  about: "CONFIG is the file, or - for standard input. With the lists of a server, every rule is tried on every tool,\nresource and prompt; without them, the file is judged alone.",
  options: {
    ...LIVE,
    catalog: CATALOG,
    filter: FILTER,
    json: JSON_LINE,
    ...YES,
  },
  examples: ["sieve.jsonc --upstream https://example.com/mcp", "sieve.jsonc --catalog lists.json"],
};

export default async function check({ subject: path, catalog, filter, json, upstream, ...asking }) {
  if (path === undefined) throw new Unreadable("expected a file to check: `npx mcp-sieve check sieve.jsonc`");
  try {
    return report(path, review(path, { catalog, live: await listed(upstream, asking) }, filter), json);
  } catch (error) {
    if (!json || !(error instanceof Unreadable)) throw error;
    printJson({ error: error.refusal ?? { message: error.message } });
    return 2;
  }
}

/** What is found in the file at `path`, each finding with its line; `primitives` where it was tried on some. */
export function review(path, { catalog, live } = {}, filter) {
  const { rules, servers, lists } = inputs(path, catalog, live);
  const { findings, ...counts } = JSON.parse(reading("--filter", () => lint(rules, servers, lists, filter)));
  const placed = findings.map(({ at, ...finding }) => ({ ...finding, ...(at === undefined ? {} : lineAt(rules, at)) }));
  return { ...counts, primitives: lists.length === 0 ? undefined : counts.primitives, findings: placed };
}

function report(path, { findings, ...counts }, json) {
  if (json) {
    printJson({ ...counts, findings });
  } else {
    print(...findings.map((finding) => line(path, finding)));
    print(`${count(findings.length, "finding")} in ${told(counts)}`);
    if (counts.unlisted === "default") {
      print('resources that no list mentions cannot be read: `"unlisted": true` for an upstream server opens them');
    }
    if (counts.primitives === undefined) print("without --catalog or --upstream, no rule was tried on a primitive");
  }
  return findings.length === 0 ? 0 : 1;
}

/** A finding in words. */
export function line(path, { code, place, message, meant, line, column }) {
  const at = line === undefined ? "" : `${path}:${line}:${column}: `;
  return `${at}${place}: ${message}${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`} [${code}]`;
}

function told({ rules, policies, primitives }) {
  const parts = [count(rules, "rule"), count(policies, "policy", "policies")];
  if (primitives !== undefined) parts.push(count(primitives, "primitive"));
  return parts.join(", ");
}

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
