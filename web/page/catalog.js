// @ts-check
// The source of a catalog: a server, a pasted text, or a sample of the page.
import { Sieve, SieveError, wrapClient, wrapClients } from "mcp-sieve/init";
import { engine } from "./engine.js";
import { KINDS } from "./kinds.js";
import { Refusal, clientOf, connect, goodbye } from "./server.js";

/** A person who waits for a catalog wants all of it: as long as a request may take. */
const WAIT_MS = 20_000;
/** Most of the name of a server that goes before the names of its tools. */
const MOST_PREFIX = 24;

/**
 * The addresses in a text, which spaces, line breaks or commas separate. A comma within an address is part of it.
 * @type {(text: string) => string[]}
 */
export const addresses = (text) => text.split(/\s*,\s*(?=https?:)|,?\s+/i).filter(Boolean);

/** The addresses of the servers that a state names. */
export const serversOf = ({ from, url }) =>
  from === "server" ? [new URL("./mcp", location.href).href] : from === "url" ? addresses(url) : [];

/**
 * Returns the sieve, its servers if there are any, and reports on dropped primitives. The engine is loaded while the servers
 * are asked.
 */
export async function load({ from, url, sample }, text, signal) {
  const urls = serversOf({ from, url });
  if (from === "url" && !(urls.length > 0 && urls.every((url) => /^https?:\/\/[^/]/i.test(url))))
    throw new Refusal("The address has to start with http:// or https://");
  if (from === "paste" && !text.trim())
    throw new Refusal("Paste the text of a list result first. A link does not carry a pasted catalog.");
  engine().catch(() => {}); // whatever needs it waits for it, and fails
  const read = {
    server: () => readServer(urls[0], signal),
    url: () => (urls.length === 1 ? readServer(urls[0], signal) : readServers(urls, signal)),
    paste: () => readPaste(text),
    sample: () => readSample(sample, signal),
  };
  return { from, url, sample, notes: [], ...(await read[from]()) };
}

/** Waits for what the engine compiles, and for the engine. If the engine cannot be loaded, that is the failure. */
async function withEngine(work) {
  const [done] = await Promise.all([work, engine()]);
  return done;
}

async function readServer(url, signal) {
  const server = await connect(url, signal);
  const { notes = [], ...read } = await withEngine(catalogOf(clientOf(server, signal)));
  const lost = [...server.failures.values()];
  notes.push(...server.problems);
  const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS));
  if (lost.length > 0 && kinds.every((kind) => read.sieve.count({ kind }) === 0)) throw lost[0];
  return { server, ...read, notes: [...notes, ...lost.map(({ message }) => message)] };
}

/** Several servers as one catalog. One that cannot be reached is left out, with a remark. */
async function readServers(urls, signal) {
  const asked = await Promise.allSettled(urls.map((url) => connect(url, signal)));
  const servers = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failures = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (servers.length === 0) throw failures[0];
  try {
    const named = new Map();
    for (const server of servers) {
      const name = server.info.name ?? new URL(server.url).host;
      const taken = [...named.keys()].filter((known) => known === name || known.startsWith(`${name} `)).length;
      named.set(taken > 0 ? `${name} ${taken + 1}` : name, server);
    }
    const entries = [...named].map(([server, one]) => ({
      server,
      client: clientOf(one, signal),
      prefix: `${server.replace(/[^A-Za-z0-9]+/g, "_").slice(0, MOST_PREFIX)}_`,
    }));
    await engine();
    const { sieve, failed } = await merged(entries);
    const notes = [
      ...failures.map(({ message }) => message),
      ...failed,
      ...servers.flatMap(({ failures, problems }) => [
        ...[...failures.values()].map(({ message }) => message),
        ...problems,
      ]),
    ];
    return { servers, sieve, notes };
  } catch (problem) {
    servers.forEach(goodbye);
    throw problem;
  }
}

/** The catalog of several servers, and why some of them cannot be listed. */
async function merged(entries) {
  const clients = wrapClients(entries, { listWaitMs: WAIT_MS });
  const sieve = await clients.catalog();
  const failed = clients.servers().flatMap(({ name, error }) => (error ? [`${name} cannot be listed: ${error}`] : []));
  await clients.close();
  return { sieve, failed };
}

/** Reads a sample, or several as one catalog: `forge,shop`. */
async function readSample(names, signal) {
  const samples = await Promise.all(names.split(",").map((name) => fetchSample(name, signal)));
  await engine();
  if (samples.length === 1) return { sieve: Sieve.compile(samples[0].lists, samples[0].config) };
  const notes = [];
  const entries = samples.map(({ name, lists, config }) => ({
    server: name,
    client: textClient({ ...lists, ...config }, (problem) => notes.push(problem)),
  }));
  return { ...(await merged(entries)), notes };
}

async function fetchSample(name, signal) {
  const response = await fetch(new URL(`./samples/${encodeURIComponent(name)}.json`, location.href), { signal });
  if (!response.ok) throw new Refusal(`There is no sample “${name}”`, response.status);
  return { name, ...(await response.json()) };
}

/** A pasted text is a server that answers with it. */
async function readPaste(text) {
  await engine();
  let parts;
  try {
    parts = [JSON.parse(text)].flat().map((part) => part?.result ?? part);
  } catch {
    return { sieve: Sieve.compile(text) }; // the engine says what is wrong with it, and where
  }
  const [{ servers = parts, config } = {}] = parts;
  if (servers.every?.((part) => part?.server !== undefined && part.lists !== undefined))
    return { sieve: Sieve.compile(servers, config) };
  const facets = ["groups", "tags", "concerns"];
  const holds = (part, keys) => keys.some((key) => part?.[key]);
  const lists = parts.filter((part) => holds(part, Object.keys(KINDS)) || !holds(part, facets));
  Sieve.compile(lists.length ? lists : parts).free(); // whatever is no list is refused
  const all = (key) => parts.flatMap((part) => (Array.isArray(part?.[key]) ? part[key] : []));
  const keys = [...Object.keys(KINDS), ...facets];
  return catalogOf(textClient(Object.fromEntries(keys.map((key) => [key, all(key)]))));
}

/**
 * A server that answers with the lists of a text.
 * @param {Record<string, any>} lists
 * @param {(problem: string) => void} [report]
 */
function textClient(lists, report) {
  const members = Object.fromEntries([
    ...Object.entries(KINDS).map(([kind, { method }]) => [method, kind]),
    ["groups/list", "groups"],
    ["tags/list", "tags"],
  ]);
  const list = async (method) => ({ [members[method]]: lists[members[method]] ?? [] });
  return {
    getServerCapabilities: () => ({
      tools: {},
      resources: {},
      prompts: {},
      filtering: { groups: true, tags: true },
      concerns: lists.concerns ?? [],
    }),
    request: ({ method }) => list(method),
    listTools: () => list("tools/list"),
    onerror: ({ message }) => report?.(message),
  };
}

async function catalogOf(client) {
  try {
    return { sieve: await wrapClient(client).catalog() };
  } catch (problem) {
    if (!(problem instanceof SieveError)) throw problem;
    const sieve = await wrapClient(client, { config: {} }).catalog(); // refuses for itself if the lists are the trouble
    return { sieve, notes: [`the declared groups, tags and concerns are left out: ${problem.message}`] };
  }
}
