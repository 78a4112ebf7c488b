// `sieve check`: what a configuration probably does not mean.
import { lint } from "./engine.js";
import { Unreadable, inputs, lineAt, options, reading } from "./input.js";

export default function check(args) {
  const { subject: path, catalog, filter, json } = options(args, {
    catalog: { type: "string", multiple: true },
    filter: { type: "string" },
    json: { type: "boolean" },
  });
  if (path === undefined) throw new Unreadable("expected a file to check: `sieve check sieve.jsonc`");
  try {
    return report(path, review(path, catalog, filter), json);
  } catch (error) {
    if (!json || !(error instanceof Unreadable)) throw error;
    process.stdout.write(`${JSON.stringify({ error: error.refusal ?? { message: error.message } })}\n`);
    return 2;
  }
}

function review(path, catalog, filter) {
  const { rules, servers, lists } = inputs(path, catalog);
  const { findings, ...counts } = JSON.parse(reading("--filter", () => lint(rules, servers, lists, filter)));
  const placed = findings.map(({ at, ...finding }) => ({ ...finding, ...(at === undefined ? {} : lineAt(rules, at)) }));
  return { ...counts, primitives: catalog === undefined ? undefined : counts.primitives, findings: placed };
}

function report(path, { findings, ...counts }, json) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...counts, findings })}\n`);
  } else {
    for (const { code, place, message, meant, line, column } of findings) {
      const at = line === undefined ? "" : `${path}:${line}:${column}: `;
      process.stdout.write(`${at}${place}: ${message}${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`} [${code}]\n`);
    }
    process.stdout.write(`${count(findings.length, "finding")} in ${told(counts)}\n`);
    if (counts.primitives === undefined) process.stdout.write("without --catalog, no rule was tried on a primitive\n");
  }
  return findings.length === 0 ? 0 : 1;
}

function told({ rules, policies, primitives }) {
  const parts = [count(rules, "rule"), count(policies, "policy", "policies")];
  if (primitives !== undefined) parts.push(count(primitives, "primitive"));
  return parts.join(", ");
}

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
