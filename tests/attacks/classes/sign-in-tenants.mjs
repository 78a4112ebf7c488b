// Looks for what servers list and return to the callers of another tenant: in lists, searches, caches, sessions, listeners and
// on the pages of the sign-in.
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../../support/browser.mjs";
import { request } from "../../support/raw-client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { read, session, stateless } from "../client.mjs";
import { compare } from "../pairs.mjs";
import { parallel } from "../parallel.mjs";
import { at } from "../stage.mjs";
import { attackLogins } from "../tenants/logins.mjs";
import { attackPages } from "../tenants/pages.mjs";
import { GUESSES, NAMING, SAME } from "../tenants/requests.mjs";
import { makePeople, startIssuer, tenantServer } from "../tenants/servers.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "lists, texts and sign-ins of another tenant";

/** Number of callers of each tenant. */
const PEOPLE = [2, 4];
/** Number of times that all callers send all requests, mixed. */
const ROUNDS = [1, 8];
const GUESS_ROUNDS = [1, 4];
/** Number of tenants that attack the other one. */
const DIRECTIONS = [1, 2];
const PAGE_ROUNDS = [1, 3];
/** Number of requests under way at once. */
const WIDTH = 16;
const REVISIONS = ["2025-11-25", "2025-03-26"];
const AUDIENCE = "the gateway";
/** Time in which a stream of changes has the news, in milliseconds. */
const NEWS_MS = 4_000;
/** Time in which a stream of a caller to which no news is due stays silent, in milliseconds. */
const SILENT_MS = 200;
/** Headers of callers that nobody knows. */
const STRANGERS = [
  {},
  { authorization: "Bearer " },
  { authorization: "Bearer x" },
  { "x-api-key": "" },
  { "x-api-key": "x" },
];
const LISTS = ["tools", "resources", "resourceTemplates", "prompts", "skills"];
const EXCHANGE = { type: "exchange", client: { id: "gateway", secret: "secret" } };

/** Returns the markers that a caller must not see. */
const foreign = (people, person) => [
  ...new Set(people.filter(({ tenant }) => tenant !== person.tenant).map(({ marker }) => marker)),
  ...people.filter((each) => each !== person).map(({ own }) => own),
];
const bytes = (reply) => `${[...reply.headers]}\n${reply.text}`;

async function signIn(front, issuer, person) {
  const browser = openBrowser();
  const page = await (await browser.get(`${front.url}/connect/home`)).submit("Go on", { token: person.token });
  const begun = await page.submit("Connect");
  await browser.get(issuer.signIn(begun.next, person));
  return async () => (await browser.get(`${front.url}/connect/home`)).submit("Disconnect");
}

/** Opens a stream of changes, and returns the text that has arrived. */
async function listen(stage, front, headers) {
  const abort = new AbortController();
  stage.defer(() => abort.abort());
  const sent = request("subscriptions/listen", {
    notifications: { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true },
  });
  const reply = await front.fetch("/mcp", { ...sent, headers: { ...sent.headers, ...headers }, signal: abort.signal });
  const stream = { text: "" };
  (async () => {
    for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) stream.text += chunk;
  })().catch(() => {});
  return stream;
}

/** All callers send the same bytes, mixed. */
async function* attackSame({ front, people, headersOf }, { rounds, random }) {
  const send = async ({ sent, path = "/mcp", person, ...about }) => {
    const headers = { ...sent.headers, ...headersOf(person) };
    return { ...about, path, person, reply: await read(await front.fetch(path, { ...sent, headers })) };
  };
  for (let round = 0; round < rounds; round += 1) {
    const mixed = SAME.flatMap((each) => {
      const sent = request(each.method, each.params);
      return people.map((person) => ({ ...each, sent, person }));
    });
    for await (const { method, params, path, mute, person, reply } of parallel(random.shuffle(mixed), send, WIDTH)) {
      const saw = bytes(reply);
      const what = `${front.name}: ${path} ${method} ${JSON.stringify(params)} of ${person.tenant}`;
      yield tried(what, !foreign(people, person).some((mark) => saw.includes(mark)), saw);
      if (!mute) yield control(`${what} has the caller's own marker`, saw.includes(person.marker), saw);
    }
  }
}

/** One caller names what another has: the reply is that about a name which never existed. */
async function* attackGuesses({ front, people, headersOf }, { random, directions }) {
  const pairs = [
    [people.at(-1), people[0]],
    [people[0], people.at(-1)],
  ];
  for (const [attacker, victim] of pairs.slice(0, directions)) {
    const headers = headersOf(attacker);
    const hidden = foreign(people, attacker);
    const guesses = GUESSES.map((guess) => ({ guess, missing: `m${random.text(16)}` }));
    const compared = parallel(guesses, async ({ guess, missing }) => {
      const send = (mark) => {
        const { method, params, path } = guess(mark);
        return stateless(front, { headers, path })(method, params);
      };
      return [guess(victim.marker), await compare(send, victim.marker, missing)];
    });
    for await (const [{ method, params, path = "/mcp" }, [same, differs]] of compared) {
      yield tried(`${front.name}: ${path} ${method} ${JSON.stringify(params)}`, same, differs);
    }
    const named = NAMING.flatMap(([name, value]) =>
      [
        ["tools/list", {}],
        ["groups/list", {}],
        ["tools/call", { name: "notes", arguments: {} }],
      ].map((call) => ({
        call,
        more: { [name]: value(victim) },
      })),
    );
    const ask = stateless(front, { headers });
    const send = async ({ call, more }) => [call, more, bytes(await ask(...call, { headers: more }))];
    for await (const [[method], more, saw] of parallel(named, send, WIDTH)) {
      const what = `${front.name}: ${method} with ${JSON.stringify(more)}`;
      yield tried(what, !hidden.some((mark) => saw.includes(mark)), saw);
    }
  }
  for (const headers of STRANGERS) {
    const saw = bytes(await stateless(front, { headers })("tools/list"));
    const what = `${front.name}: tools/list with ${JSON.stringify(headers)}`;
    yield tried(what, !people.some(({ marker }) => saw.includes(marker)), saw);
  }
}

/** Lists over plain HTTP, with the entity tag of another caller. */
async function* attackCatalog({ front, people, headersOf }) {
  const get = async (path, headers) => read(await front.fetch(path, { headers }));
  for (const list of LISTS) {
    for (const query of ["", "?q=name%3A*", "?groups=x", "?query=private+notes"]) {
      const path = `/catalog/${list}${query}`;
      const replies = await Promise.all(people.map((person) => get(path, headersOf(person))));
      for (const [index, person] of people.entries()) {
        const saw = bytes(replies[index]);
        yield tried(`${front.name}: ${path}`, !foreign(people, person).some((mark) => saw.includes(mark)), saw);
        if (query !== "" || list === "skills") continue;
        yield control(`${front.name}: ${path} has the caller's own marker`, saw.includes(person.marker), saw);
        const tag = replies[index].headers.get("etag");
        const own = await get(path, { ...headersOf(person), "if-none-match": tag });
        yield control(`${front.name}: ${path} with its own tag`, own.status === 304, own.status);
        for (const other of people.filter(({ tenant }) => tenant !== person.tenant)) {
          const reply = await get(path, { ...headersOf(other), "if-none-match": tag });
          const held = reply.status === 200 && reply.text.includes(other.marker);
          yield tried(`${front.name}: ${path} with the tag of another tenant`, held, `${reply.status} ${reply.text}`);
        }
        const shared = replies[index].headers.get("cache-control") ?? "";
        yield tried(`${front.name}: ${path} is for no shared cache`, /private|no-store/.test(shared), shared);
      }
    }
  }
}

/** Opens the stream of a session, and returns what arrives at first. */
async function resume(front, headers) {
  const signal = AbortSignal.timeout(SILENT_MS);
  let text = "";
  try {
    const reply = await front.fetch("/mcp", { headers: { ...headers, accept: "text/event-stream" }, signal });
    for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) text += chunk;
  } catch {
    // The stream is silent from here on.
  }
  return text;
}

/** Cursors, sessions and batches of another caller. */
async function* attackSessions({ front, people, headersOf, hasPrincipals }, revisions) {
  const [victim, attacker] = [people[0], people.at(-1)];
  const hidden = foreign(people, attacker);
  const holds = (reply) => !hidden.some((mark) => bytes(reply).includes(mark));
  const ask = stateless(front, { headers: headersOf(attacker) });
  for (const method of ["tools/list", "resources/list", "prompts/list"]) {
    const { message } = await stateless(front, { headers: headersOf(victim) })(method);
    const cursor = message?.result?.nextCursor;
    yield control(`${front.name}: ${method} has another page`, typeof cursor === "string", message);
    yield tried(`${front.name}: ${method} with the cursor of another`, holds(await ask(method, { cursor })), cursor);
  }
  for (const revision of revisions) {
    const theirs = await session(front, { revision, headers: headersOf(victim) });
    const mine = await session(front, { revision, headers: headersOf(attacker) });
    const first = await theirs("tools/list");
    yield control(`${front.name}, ${revision}: a session lists`, first.text.includes(victim.marker), first.text);
    yield tried(`${front.name}, ${revision}: initialize`, holds(mine.opened), mine.opened.text);
    // From now on the session has lists of its own.
    const change = await theirs("tools/call", { name: "change", arguments: {} });
    const own = await theirs("tools/list");
    yield control(
      `${front.name}, ${revision}: a session lists after a change`,
      own.text.includes(victim.marker),
      own.text,
    );
    const taken = { "mcp-session-id": theirs.id };
    yield control(`${front.name}, ${revision}: sessions have an id`, theirs.id && mine.id, theirs.opened.text);
    const both = SAME.flatMap((each) => [
      { ...each, whose: "its own", headers: {} },
      { ...each, whose: "another's", headers: taken },
    ]);
    const send = async ({ method, params, whose, headers }) => [method, whose, await mine(method, params, { headers })];
    for await (const [method, whose, reply] of parallel(both, send)) {
      yield tried(`${front.name}, ${revision}: ${method} in ${whose} session`, holds(reply), reply.text);
    }
    const events = [...change.text.matchAll(/^id: ?(.+)$/gm)].map(([, id]) => id);
    const resumed = parallel([undefined, "0", ...events], async (id) => [
      id,
      await resume(front, { ...mine.headers, ...taken, ...(id && { "last-event-id": id }) }),
    ]);
    for await (const [id, text] of resumed) {
      const what = `${front.name}, ${revision}: the stream of another's session after ${id}`;
      yield tried(what, !hidden.some((mark) => text.includes(mark)), text);
    }
    if (hasPrincipals) {
      await front.fetch("/mcp", { method: "DELETE", headers: { ...mine.headers, ...taken } });
      const { text } = await theirs("tools/list");
      yield tried(`${front.name}, ${revision}: another's session is ended`, text.includes(victim.marker), text);
    }
    if (revision !== "2025-03-26") continue;
    const calls = SAME.filter(({ path, method }) => !path && method !== "server/discover").map(({ method, params }) => [
      method,
      params,
    ]);
    const batch = await mine.batch(calls);
    yield control(
      `${front.name}: a batch has the caller's own marker`,
      batch.text.includes(attacker.marker),
      batch.text,
    );
    yield tried(`${front.name}: a batch`, holds(batch), batch.text);
    const entries = calls.map(([method, params], at) => ({ jsonrpc: "2.0", id: at + 1, method, params }));
    const stolen = await mine.post(entries, taken);
    yield tried(`${front.name}: a batch in another's session`, holds(stolen), stolen.text);
  }
}

/** A list that changes for one caller is news of that caller alone. */
async function* attackListeners(stage, { front, people, headersOf, hasPrincipals }) {
  const [victim, attacker] = [people[0], people.at(-1)];
  const [hers, his] = [await listen(stage, front, headersOf(victim)), await listen(stage, front, headersOf(attacker))];
  const ask = stateless(front, { headers: headersOf(victim) });
  const changed = await ask("tools/call", { name: "change", arguments: {} });
  yield control(`${front.name}: the victim's lists change`, changed.text.includes(victim.own), changed.text);
  const until = Date.now() + (hasPrincipals ? NEWS_MS : SILENT_MS);
  while (Date.now() < until && !hers.text.includes("list_changed")) await sleep(50);
  if (hasPrincipals)
    yield control(`${front.name}: the victim is notified`, hers.text.includes("list_changed"), hers.text);
  yield tried(
    `${front.name}: the notification of another`,
    !foreign(people, attacker).some((mark) => his.text.includes(mark)),
    his.text,
  );
  yield tried(`${front.name}: that another's lists changed`, !his.text.includes("list_changed"), his.text);
}

export async function* attempt(stage, size, random) {
  const people = makePeople(random, PEOPLE[size]);
  const issuer = await startIssuer(stage, random);
  const url = await stage.served(tenantServer(people, issuer));
  const keyed = await stage.served(tenantServer(people, issuer, { byKey: true }));
  const tokens = tokensVariable(Object.fromEntries(people.map(({ token, name }) => [token, { sub: name }])));
  const service = (name, upstream, { env, ...more } = {}) => ({
    name,
    env: { SIEVE_ONE_USER: undefined, ...env },
    config: {
      pageSize: 1,
      filtering: { explain: true },
      upstreams: [{ name: "home", url, ttlMs: 600_000, ...upstream }],
      ...more,
    },
  });
  const known = { env: { SIEVE_TOKENS: tokens } };
  const auth = { issuer: issuer.issuer, audience: [AUDIENCE], jwks: `${issuer.issuer}/jwks` };
  const started = await stage.workers([
    service("user", { auth: "user" }, known),
    service("pages", { auth: "user" }, known),
    service("logins", { auth: "user" }, { auth }),
    service("exchange", { auth: { ...EXCHANGE, issuer: issuer.issuer } }, { auth }),
    service("pass", { auth: "pass" }),
    service("keys", { url: keyed, passHeaders: ["X-Api-Key"], lists: "caller" }),
  ]);
  const bearer = (token) => ({ authorization: `Bearer ${token}` });
  const passed = new Map(people.map((person) => [person, issuer.issue(person)]));
  const identified = await Promise.all(people.map(async (person) => [person, await issuer.identify(person, AUDIENCE)]));
  const subjects = new Map(identified);
  const kinds = {
    user: ({ token }) => bearer(token),
    exchange: (person) => bearer(subjects.get(person)),
    pass: (person) => bearer(passed.get(person)),
    keys: ({ key }) => ({ "x-api-key": key }),
  };
  const front = (name) => at(started.urls[name], { name });
  const signOuts = await Promise.all(people.map((person) => signIn(front("user"), issuer, person)));
  for (const [name, headersOf] of Object.entries(kinds)) {
    // Without a principal a session belongs to whoever has its id, and listeners are not notified of changes for one caller.
    const world = { front: front(name), people, headersOf, hasPrincipals: ["user", "exchange"].includes(name) };
    yield* attackSame(world, { rounds: ROUNDS[size], random });
    for (let round = 0; round < GUESS_ROUNDS[size]; round += 1)
      yield* attackGuesses(world, { random, directions: DIRECTIONS[size] });
    yield* attackCatalog(world);
    yield* attackSessions(world, size === 0 ? [random.pick(REVISIONS)] : REVISIONS);
    yield* attackListeners(stage, world);
  }
  for (let round = 0; round < PAGE_ROUNDS[size]; round += 1) {
    const pair = round % 2 === 0 ? [people[0], people.at(-1)] : [people.at(-1), people[0]];
    yield* attackLogins({ front: front("logins"), issuer, pair, random });
    yield* attackPages({ front: front("pages"), issuer, pair, headersOf: kinds.user, random });
  }

  // A caller that signs out loses its own tools, and nobody else's.
  await signOuts[0]();
  for (const [index, person] of people.entries()) {
    const { text } = await stateless(front("user"), { headers: kinds.user(person) })("tools/list");
    if (index === 0) yield tried("the lists of a caller that has signed out", !text.includes(person.marker), text);
    else yield tried(`${person.name} after another has signed out`, text.includes(person.marker), text);
  }
}
