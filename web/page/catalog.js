// @ts-check
// The source of a catalog: a server, a pasted text, or a sample of the page.
import { Sieve, SieveError, wrapClient, wrapClients } from "mcp-sieve";
import { KINDS } from "./kinds.js";
import { Refusal, clientOf, connect, goodbye } from "./server.js";

/** A person who waits for a catalog wants all of it: as long as a request may take. */
const WAIT_MS = 20_000;
/** Most of the name of a server that goes before the names of its tools. */
const MOST_PREFIX = 24;

/** Returns the sieve, its servers if there are any, and reports on dropped primitives. */
export async function load({ from, url, sample }, text, signal) {
  const urls = url.split(/\s+/).filter(Boolean);
  if (from === "url" && !(urls.length > 0 && urls.every((url) => /^https?:\/\/[^/]/i.test(url))))
    throw new Refusal("The address has to start with http:// or https://");
  if (from === "paste" && !text.trim())
    throw new Refusal("Paste the text of a list result first. A link does not carry a pasted catalog.");
  const read = {
    server: () => readServer(new URL("./mcp", location.href).href, signal),
    url: () => (urls.length === 1 ? readServer(urls[0], signal) : readServers(urls, signal)),
    paste: () => readPaste(text),
    sample: () => readSample(sample, signal),
  };
  return { from, url, sample, notes: [], ...(await read[from]()) };
}

async function readServer(url, signal) {
  const server = await connect(url, signal);
  return { server, ...(await catalogOf(clientOf(server, signal))) };
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
    const clients = wrapClients(/** @type {any} */ (entries), { listWaitMs: WAIT_MS });
    const sieve = await clients.catalog();
    const failed = clients.servers().filter(({ error }) => error !== undefined);
    const notes = [
      ...failures.map(({ message }) => message),
      ...failed.map(({ name, error }) => `${name} cannot be listed: ${error}`),
    ];
    await clients.close();
    return { servers, sieve, notes };
  } catch (problem) {
    servers.forEach(goodbye);
    throw problem;
  }
}

/** Reads a sample, or several as one catalog: `forge,shop`. */
async function readSample(names, signal) {
  const samples = await Promise.all(names.split(",").map((name) => fetchSample(name, signal)));
  if (samples.length === 1) return { sieve: Sieve.compile(samples[0].lists, samples[0].config) };
  const servers = samples.map(({ name, lists }) => ({ server: name, lists }));
  const all = (key) => {
    const declared = samples.flatMap(({ config }) => config[key] ?? []);
    // A name that several declare is that of the first.
    return [...new Map(declared.reverse().map((one) => [one.name, one])).values()].reverse();
  };
  const config = { groups: all("groups"), tags: all("tags"), concerns: all("concerns") };
  return { sieve: Sieve.compile(servers, config) };
}

async function fetchSample(name, signal) {
  const response = await fetch(new URL(`./samples/${encodeURIComponent(name)}.json`, location.href), { signal });
  if (!response.ok) throw new Refusal(`There is no sample “${name}”`, response.status);
  return { name, ...(await response.json()) };
}

/** A pasted text is a server that answers with it. */
async function readPaste(text) {
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
  const members = Object.fromEntries([
    ...Object.entries(KINDS).map(([kind, { method }]) => [method, kind]),
    ["groups/list", "groups"],
    ["tags/list", "tags"],
  ]);
  return catalogOf({
    getServerCapabilities: () => ({
      tools: {},
      resources: {},
      prompts: {},
      filtering: { groups: true, tags: true },
      concerns: all("concerns"),
    }),
    request: async ({ method }) => ({ [members[method]]: all(members[method]) }),
    listTools: async () => ({ tools: all("tools") }),
  });
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
