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

/** Starts a gateway with a hidden tool, a token of the operator's and a caller with a token. */
async function startGateway(stage) {
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
  return at(started.urls.logged);
}

async function fetchLogPage(front, after) {
  const headers = { authorization: "Bearer operator" };
  const response = await front.fetch(`/audit?after=${after}`, { headers });
  return response.json();
}

/** Returns all lines of the log. */
async function readLog(front) {
  const lines = [];
  for (let after = 0; ; ) {
    const page = await fetchLogPage(front, after);
    lines.push(...page.operations);
    if (page.operations.length === 0 || page.next === undefined) return lines;
    after = page.next;
  }
}

/** Returns the log once it has `least` lines and no longer changes: lines are written after the responses. */
async function readSettledLog(front, least) {
  for (let before = -1, round = 0; ; round += 1) {
    const lines = await readLog(front);
    if ((lines.length === before && lines.length >= least) || round === 20) return lines;
    before = lines.length;
    await sleep(400);
  }
}

function callHiddenTool(ask) {
  return ask("tools/call", { name: "secret", arguments: {} });
}

async function sendWrongToken(front, path, method, number) {
  const response = await front.fetch(path, {
    method,
    headers: { authorization: `Bearer wrong-${number}`, "content-type": "application/json" },
    ...(method === "POST" && { body: "{}" }),
  });
  await response.text();
}

/** Calls the hidden tool `count` times, as two callers in turn. Returns the number of calls that got an error. */
async function floodLog(front, count) {
  const callers = [stateless(front), stateless(front, { token: "alice-token" })];
  const numbers = Array.from({ length: count }, (_, number) => number);
  const replies = parallel(numbers, (number) => callHiddenTool(callers[number % 2]), 20);
  let denied = 0;
  for await (const reply of replies) denied += Number(reply.message?.error !== undefined);
  return denied;
}

async function* attemptDenial(front) {
  await callHiddenTool(stateless(front, { token: "alice-token" }));
  const lines = await readSettledLog(front, 1);
  const isLogged = lines.some(({ reason }) => reason === "hidden");
  yield control("a denial is written down", isLogged, lines);
}

async function* attemptWrongTokens(front, path, method) {
  const before = (await readSettledLog(front, 1)).length;
  for (let number = 0; number < 20; number += 1) await sendWrongToken(front, path, method, number);
  const lines = await readSettledLog(front, before + 1);
  yield tried(`20 wrong tokens at ${path} leave no trace`, lines.length > before, lines.slice(-3));
}

async function* attemptFlood(front, count) {
  const before = (await readSettledLog(front, 1)).length;
  const denied = await floodLog(front, count);
  yield control("every denied call is answered", denied === count, denied);
  const added = (await readSettledLog(front, before)).length - before;
  for (let number = 0; number < count; number += 100)
    yield tried(`${count} denials of two callers`, added <= MOST_LINES, `${added} lines`);
}

export async function* attempt(stage, size) {
  const front = await startGateway(stage);
  yield* attemptDenial(front);
  yield* attemptWrongTokens(front, "/audit", "GET");
  yield* attemptWrongTokens(front, "/middleware", "POST");
  yield* attemptFlood(front, COUNT[size]);
}
