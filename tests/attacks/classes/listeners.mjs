// Uses up the slots of all listeners as one stranger.
import { request } from "../../support/raw-client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "listener slots taken by one anonymous caller";

/**
 * Maximum number of listeners, of 10,000 in total: for a known caller, and for all callers that cannot be
 * distinguished.
 */
const MOST = { "no address": 1_000, "one address": 64, "one principal": 64 };
const COUNT = [100, 1_100];

export async function* attempt(stage, size) {
  const behind = simple({ lists: { tools: [tool("open")] }, capabilities: { tools: { listChanged: true } } });
  const upstream = await stage.served(behind);
  const env = { SIEVE_TOKENS: tokensVariable({ "alice-token": { sub: "alice" } }) };
  const started = await stage.workers([{ name: "listeners", upstream, config: {}, env }]);
  const front = at(started.urls.listeners);
  const aborts = [];
  stage.defer(() => aborts.forEach((abort) => abort.abort()));
  const open = async (headers, era) => {
    const abort = new AbortController();
    aborts.push(abort);
    const { body, ...options } = request("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const init = era === "session" ? { method: "GET" } : { ...options, body };
    const reply = await front.fetch("/mcp", {
      ...init,
      headers: { ...(era === "session" ? { accept: "text/event-stream" } : options.headers), ...headers },
      signal: abort.signal,
    });
    const listens = reply.status === 200 && reply.headers.get("content-type").startsWith("text/event-stream");
    if (!listens) return { listens, saw: `${reply.status} ${await reply.text()}` };
    const { value } = await reply.body
      .pipeThrough(new TextDecoderStream())
      .getReader()
      .read()
      .catch(() => ({}));
    return { listens: !value?.includes('"error"'), saw: value };
  };
  const first = await open({ "cf-connecting-ip": "203.0.113.200" });
  yield control("a listener is taken", first.listens, first.saw);
  for (const [what, headers] of Object.entries({
    "no address": {},
    "one address": { "cf-connecting-ip": "203.0.113.7" },
    "one principal": { authorization: "Bearer alice-token" },
  })) {
    let taken = 0;
    for (let count = 1; count <= COUNT[size]; count += 1) {
      const { listens, saw } = await open(headers);
      taken += Number(listens);
      yield tried(`${what}: listener ${count}`, taken <= MOST[what], `${taken} taken; ${saw}`);
    }
    aborts.splice(1).forEach((abort) => abort.abort());
  }
  const other = await open({ "cf-connecting-ip": "203.0.113.201" });
  yield control("another caller still finds a place", other.listens, other.saw);
}
