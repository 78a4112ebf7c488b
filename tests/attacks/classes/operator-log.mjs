// Tries the operator's token without leaving a trace, and floods the operator's log until its lines are pushed out.
import { setTimeout as sleep } from "node:timers/promises";
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";
import { digest, tokensVariable } from "../../support/tokens.mjs";

export const description = "the operator's log: attempts without an entry, floods";

const COUNT = [200, 3_000];
/** Maximum number of lines for one caller's identical denials. */
const MOST_LINES = 60;

export async function* attempt(stage, size) {
  const upstream = await stage.served(simple({ lists: { tools: [tool("open"), tool("secret")] } }));
  const env = {
    SIEVE_OPERATOR: digest("operator"),
    SIEVE_MIDDLEWARE_TOKEN: "a token of the application, long enough",
    SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }),
  };
  const started = await stage.workers([
    {
      name: "logged",
      upstream,
      config: { policies: [{ name: "open", show: "name:open" }], middleware: { interceptors: true } },
      env,
    },
  ]);
  const front = at(started.urls.logged);
  const audit = async () => {
    const lines = [];
    for (let after = 0; ; ) {
      const page = await (
        await front.fetch(`/audit?after=${after}`, { headers: { authorization: "Bearer operator" } })
      ).json();
      lines.push(...page.operations);
      if (page.operations.length === 0 || page.next === undefined) return lines;
      after = page.next;
    }
  };
  /** Returns the log once it no longer changes: lines are written after the responses. */
  const settled = async (least) => {
    for (let before = -1, round = 0; ; round += 1) {
      const lines = await audit();
      if ((lines.length === before && lines.length >= least) || round === 20) return lines;
      before = lines.length;
      await sleep(400);
    }
  };
  await stateless(front, { token: "alice-token" })("tools/call", { name: "secret", arguments: {} });
  const first = await settled(1);
  yield control(
    "a denial is written down",
    first.some(({ reason }) => reason === "hidden"),
    first,
  );
  for (const [path, method] of [
    ["/audit", "GET"],
    ["/middleware", "POST"],
  ]) {
    const before = (await settled(1)).length;
    for (let tries = 0; tries < 20; tries += 1)
      await (
        await front.fetch(path, {
          method,
          headers: { authorization: `Bearer wrong-${tries}`, "content-type": "application/json" },
          ...(method === "POST" && { body: "{}" }),
        })
      ).text();
    const lines = await settled(before + 1);
    yield tried(`20 wrong tokens at ${path} leave no trace`, lines.length > before, lines.slice(-3));
  }
  const before = (await settled(1)).length;
  const flood = Array.from({ length: COUNT[size] }, (_, number) => number);
  const asks = [stateless(front), stateless(front, { token: "alice-token" })];
  let answered = 0;
  for await (const reply of parallel(
    flood,
    (number) => asks[number % 2]("tools/call", { name: "secret", arguments: {} }),
    20,
  ))
    answered += Number(reply.message?.error !== undefined);
  yield control("every denied call is answered", answered === COUNT[size], answered);
  const lines = await settled(before);
  for (let number = 0; number < COUNT[size]; number += 100)
    yield tried(
      `${COUNT[size]} denials of two callers`,
      lines.length - before <= MOST_LINES,
      `${lines.length - before} lines`,
    );
}
