// What the official clients list and call at a misbehaving server. Each observation is `{ tools, resources, resourceTemplates,
// prompts, call, problem }`: the ids of the items, the outcome of a call (`ok` or an error), and why there was no connection.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import "../support/home.mjs";
import { ID, KINDS, WELL, idOf } from "./core.mjs";
import { eachOf } from "../support/each.mjs";

/** How long an oracle waits for one answer, in milliseconds. */
export const ANSWER_MS = 5_000;
/** How long an oracle may take for one form, in milliseconds. */
const FORM_MS = 40_000;
/** How many pages an oracle reads of one list. */
const MAX_PAGES = 6;
/** Number of forms that one client tries at a time. */
const AT_A_TIME = 24;
const identity = { name: "oracle", version: "1" };

const LIST = {
  tools: "listTools",
  resources: "listResources",
  resourceTemplates: "listResourceTemplates",
  prompts: "listPrompts",
};

/** Returns the ids of a list, page by page, as far as its pages come. */
async function pagesOf(client, kind) {
  const ids = [];
  const seen = new Set();
  let cursor;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? undefined : { cursor };
    const result = await client[LIST[kind]](params, { timeout: ANSWER_MS }).catch((problem) => ({ problem }));
    if (result.problem) break;
    ids.push(...result[kind].map((item) => item[ID[kind]]));
    cursor = result.nextCursor;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return [...new Set(ids)];
}

const shortened = (error) =>
  String(error?.message ?? error)
    .split("\n")[0]
    .slice(0, 200);

async function look(form, connect, call) {
  const observation = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let client;
  const looking = (async () => {
    try {
      client = await connect();
    } catch (error) {
      observation.problem = shortened(error);
      return;
    }
    for (const kind of KINDS) observation[kind] = await pagesOf(client, kind);
    observation.call = await call(client, idOf(form, "tools", "one")).then(
      ({ content }) => (content?.[0]?.text === WELL ? "ok" : "another result"),
      shortened,
    );
  })();
  let timer;
  const late = new Promise((done) => (timer = setTimeout(done, FORM_MS)));
  await Promise.race([looking.catch((error) => (observation.problem = shortened(error))), late]);
  clearTimeout(timer);
  await client?.close().catch(() => {});
  return observation;
}

const options = { timeout: ANSWER_MS };
const command = ([program, ...args]) => ({ command: program, args, stderr: "ignore" });
const version1 = (place) => async () => {
  const client = new ClientV1(identity);
  client.onerror = () => {};
  await client.connect(Array.isArray(place) ? new StdioV1(command(place)) : new HttpV1(new URL(place)), options);
  return client;
};
const version2 = (mode) => (place) => async () => {
  const client = new ClientV2(identity, { versionNegotiation: { mode, probe: { timeoutMs: ANSWER_MS } } });
  client.onerror = () => {};
  await client.connect(Array.isArray(place) ? new StdioV2(command(place)) : new HttpV2(new URL(place)), options);
  return client;
};

const typescript = (connect, call) => (places) =>
  eachOf(places, ({ form, place }) => look(form, connect(place), call), AT_A_TIME);

const venv = fileURLToPath(new URL("../../.tools/venv/bin/python", import.meta.url));
const program = fileURLToPath(new URL("oracle.py", import.meta.url));
const python = (mode) => async (places) => {
  const child = spawn(venv, [program, mode], { stdio: ["pipe", "pipe", "ignore"] });
  const given = places.map(({ form, place }) => ({ place, tool: idOf(form, "tools", "one") }));
  const settings = {
    answer: ANSWER_MS / 1_000,
    form: FORM_MS / 1_000,
    pages: MAX_PAGES,
    atATime: AT_A_TIME,
    well: WELL,
  };
  child.stdin.end(JSON.stringify({ ...settings, places: given }));
  return JSON.parse(await text(child.stdout));
};

const callV1 = (client, name) => client.callTool({ name, arguments: {} }, undefined, options);
const callV2 = (client, name) => client.callTool({ name, arguments: {} }, options);
/** Name → function that returns the observations of `[{ form, place }]`, in order. A place is a URL or a command. */
export const ORACLES = {
  v1: typescript(version1, callV1),
  v2: typescript(version2("legacy"), callV2),
  "v2 auto": typescript(version2("auto"), callV2),
  Python: python("legacy"),
  "Python auto": python("auto"),
};
