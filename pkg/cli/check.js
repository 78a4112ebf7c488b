// `sieve check`: what a configuration probably does not mean.
import { hash_of, lint, locate } from "./engine.js";
import { Unreadable, lineAt, options, reading, sourcesOf, textOf } from "./input.js";

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
  const config = textOf(path);
  // One after the other, so that whatever is refused is refused by its own name.
  reading(path, config, locate, () => lint(config, [], []));
  const { servers, lists } = sourcesOf(catalog, (text) => hash_of(text, "tools"));
  reading("--catalog", config, () => undefined, () => lint(config, servers, lists));
  const review = reading("--filter", config, () => undefined, () => lint(config, servers, lists, filter));
  const { findings, ...counts } = JSON.parse(review);
  const placed = findings.map(({ at, ...finding }) => ({ ...finding, ...(at === undefined ? {} : lineAt(config, at)) }));
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
