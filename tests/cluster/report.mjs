// The section of docs/scaling.md that `make cluster` writes.
import { requestsTable } from "./requests.mjs";

const HEADING = "## A cluster under faults";
/** Kinds of load without state: at most the requests in flight to a killed node fail. */
const STATELESS = "stateless lists and calls";
/** Longest time between a call and the entry of it, in milliseconds. */
const WRITTEN_MS = 2_000;
const count = (number) => number.toLocaleString("en");

/** Returns the page with `text` as the section of the cluster, which is at its end unless it exists. */
export function section(page, text) {
  const from = page.indexOf(`${HEADING}\n`);
  if (from < 0) return `${page.trimEnd()}\n\n${HEADING}\n\n${text}`;
  const next = page.indexOf("\n## ", from + HEADING.length);
  return `${page.slice(0, from)}${HEADING}\n\n${text}${next < 0 ? "" : page.slice(next)}`;
}

/** The most frequent reasons of failures. */
function reasons(failed) {
  const counts = new Map();
  for (const { why } of failed) counts.set(why, (counts.get(why) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, 3);
  return sorted.map(([why, times]) => `${times} × ${why.replaceAll("|", "/")}`).join("; ");
}

/** The most frequent lines of the nodes that are no events, without what differs between them. */
function logOf(lines) {
  const counts = new Map();
  for (const line of lines.filter((line) => !line.startsWith("{"))) {
    const same = line
      .replaceAll(/\d{4}-\d\d-\S+Z|[0-9a-f]{16,}|(?<=reference = )\w+|\d+(?: ms|\.\d s)/g, "…")
      .slice(0, 220);
    counts.set(same, (counts.get(same) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 40)
    .map(([line, times]) => `${times} × ${line}`);
}

const worst = (outcomes) => Math.round(Math.max(0, ...outcomes.map(({ ms }) => ms)));
const median = (outcomes) => {
  const sorted = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
};

/** Returns the row of a phase, and the failures of stateless requests at nodes that were not killed. */
function rowOf({ name, node, from, to, observed }, outcomes) {
  const all = outcomes.filter(({ at }) => at >= from && at <= to);
  const stateless = all.filter(({ kind }) => kind === STATELESS);
  const others = all.filter(({ kind }) => kind !== STATELESS);
  const failed = (some) => some.filter(({ why }) => why !== undefined);
  const elsewhere = failed(stateless).filter((outcome) => outcome.node !== node);
  const cells = [
    name,
    Math.round((to - from) / 1000),
    count(stateless.length),
    failed(stateless).length,
    elsewhere.length,
    `${median(stateless)} / ${worst(stateless)}`,
    count(others.length),
    failed(others).length,
    observed ?? "",
  ];
  return { cells, elsewhere, failed: failed(all), name };
}

/** Returns the text of the section, and what did not hold. */
export function report({ stage, ledger, load, phases, checked, requests, took }, machine) {
  const rows = phases.map((phase) => rowOf(phase, load.outcomes));
  const { lost, unwritten, repeated, written } = checked;
  const acknowledged = {
    tasks: ledger.tasks.length,
    sessions: ledger.sessions.length,
    "sign-ins": ledger.signIns.length,
    "audit entries": ledger.entries.size,
  };
  const failures = [
    ...Object.entries(lost).flatMap(([kind, items]) =>
      items.map(({ why, item }) => `lost of the ${kind}: ${why} ${JSON.stringify(item).slice(0, 200)}`),
    ),
    ...phases
      .filter(({ observed }) => observed?.startsWith("FAILED"))
      .map(({ name, observed }) => `${name}: ${observed}`),
  ];
  const early = unwritten.filter(({ at }) => !phases.some(({ from, to }) => at >= from - WRITTEN_MS && at <= to));
  const listeners = load.listeners.map(
    ({ name, heard, opened }) =>
      `A listener ${name} heard ${count(heard.length)} changes of a list (streams: ${opened}).`,
  );
  const text = `Written by \`make cluster\`. Three nodes of \`mcp-sieve run --cluster\` serve the example tracker, server-everything, two servers on the
official SDK and one that demands a sign-in. Clients of both revisions send their requests to the nodes that are ready, as a
balancer does. The store is moto. Each node reaches it through a proxy of its own, which has the faults. Debian's libfaketime does not
work on the runtime, so the proxy shifts the \`Date\` of the bucket's responses in place of a node's clock. The load ran for
${Math.round(took / 1000)} s on ${machine.cpus.length} cores (${machine.cpus[0].model.trim()}) with a load average of ${machine.load[0].toFixed(1)}, so times are longer than on an idle machine.

*Elsewhere* are failed stateless requests at nodes other than the one that is killed or cut off. Requests with state are those of
sessions, tasks, the log of calls and callers that have signed in. If the node that has their object is gone, most get 503 with
\`Retry-After\` until another node has taken the object over. The lists of a caller that has signed in are in such an object too: until
then, a call of its tools may get \`Unknown tool\`.

| fault | s | stateless requests | failed | elsewhere | median / slowest ms | requests with state | failed | observed |
|---|--:|--:|--:|--:|--:|--:|--:|---|
${rows.map(({ cells }) => `| ${cells.join(" | ")} |`).join("\n")}

| acknowledged | number | lost |
|---|--:|--:|
${Object.entries(acknowledged)
  .map(([kind, number]) => `| ${kind} | ${count(number)} | ${lost[kind].length} |`)
  .join("\n")}

An audit entry counts as acknowledged once a reader of \`GET /audit/calls\` has seen it. Calls do not wait for the log: their entries are
written about a second later. A node that is killed, or that ends without its bucket, takes its last entries along: ${count(unwritten.length)} of
${count(ledger.calls.length)} answered calls have none. Entries of
other nodes are lost too if they wait for its objects for more than 30 s, as on a machine without an idle
core. A write whose response is lost is repeated: ${repeated} of ${count(written)} entries are in the log
twice. ${listeners.join(" ")}

${requests.length === 0 ? "" : `${requestsTable(requests)}\n`}`;
  const details = [
    ...rows.filter(({ failed }) => failed.length > 0).map(({ name, failed }) => `${name}: ${reasons(failed)}`),
    ...rows
      .filter(({ elsewhere }) => elsewhere.length > 0)
      .map(
        ({ name, elsewhere }) =>
          `${name}: stateless at other nodes: ${elsewhere
            .map(({ node, why }) => `${node} ${why}`)
            .slice(0, 5)
            .join("; ")}`,
      ),
    ...stage.log.map((entry) => JSON.stringify(entry)),
    ...logOf(stage.lines()),
    `unwritten without a fault: ${early.length}`,
    `unwritten: ${JSON.stringify(
      unwritten
        .slice(0, 20)
        .map(({ node, at }) => [
          node,
          phases.findLast(({ from }) => at >= from)?.name,
          at - (phases.findLast(({ from }) => at >= from)?.from ?? 0),
        ]),
    )}`,
  ];
  console.log(details.join("\n"));
  return { text, failures };
}
