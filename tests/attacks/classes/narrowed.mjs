// Sends arguments that a condition forbids, a caller's own values of bound arguments, and requests for what the lock hides
// or refuses. The server records what arrives, which is judged by every reading of repeated and respelled members.
import { read, session } from "../client.mjs";
import { wrong } from "../narrowed/arrived.mjs";
import { allowed } from "../narrowed/members.mjs";
import { allowedCall, listCall, request } from "../narrowed/requests.mjs";
import { HIDDEN, LIMIT, REFUSED, REGION, SECRET, TRY, servers } from "../narrowed/world.mjs";
import { parallel } from "../parallel.mjs";
import { identifyIn, wrap } from "../stage.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "conditions on arguments, bound arguments and the lock";

/** Number of attempts of each client. There are four fronts, with twelve clients each. */
const COUNT = [7, 230];
const WIDTH = 16;
/** Number of requests to a gateway that narrows nothing. */
const OPEN = 240;
const REVISIONS = ["2026-07-28", "2025-11-25", "2025-03-26"];
const CALLERS = ["ann", "root", "bare", undefined];
const JSON_TYPES = { "content-type": "application/json", accept: "application/json, text/event-stream" };
/** Callers with the claim that is bound. */
const TENANTS = ["ann", "root"];
const CONDITIONS = ["pay", "mark", "page", "push", "send", "wipe", "load", "open"];

/** Returns a client of each revision and caller: `{who, isStateless, takesBatches, headers}`. */
async function clientsOf(front) {
  const made = [];
  for (const who of CALLERS) {
    const token = who && `${who}-token`;
    for (const revision of REVISIONS) {
      const isStateless = revision === REVISIONS[0];
      const own = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = isStateless ? { ...JSON_TYPES, ...own } : (await session(front, { token, revision })).headers;
      made.push({ who, revision, isStateless, takesBatches: revision === REVISIONS[2], headers });
    }
  }
  return made;
}

/** Returns a text with the letters that its escapes stand for. */
const unescaped = (text) =>
  text.replace(/\\+u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** Returns what a reply tells that no caller may read; `undefined` if it tells nothing. */
function told({ path, body }, { text }) {
  const words = [SECRET, REGION, "TENANT-ann", "TENANT-root"];
  const sent = unescaped(path + body);
  // A reply may repeat a name that was asked for, or a part of it.
  if (!sent.toLowerCase().includes(HIDDEN.slice(1, -1))) words.push(HIDDEN);
  return words.find((word) => unescaped(text).includes(word) && !sent.includes(word));
}

/** Returns functions that send requests to one front and say what arrived. */
function sender(front, world, ids) {
  const send = async (client, make) => {
    const number = ids.next++;
    const id = `try-${number}`;
    const asked = make(number);
    const headers = { ...client.headers, ...asked.headers, [TRY]: id };
    const reply = await read(await front.fetch(asked.path, { method: "POST", headers, body: asked.body }));
    return { client, asked, reply, arrived: world.arrived(id) };
  };
  const verdict = ({ client, asked, reply, arrived }) => {
    const broken = arrived.map((each) => wrong(each, client.who)).find(Boolean);
    const leak = told(asked, reply);
    const saw = broken ?? (leak && `the reply has ${leak}: ${reply.text}`);
    return tried(
      `${front.name}, ${client.revision}, ${client.who ?? "anonymous"}: ${asked.path} ${JSON.stringify(asked.headers)} ${asked.body}`,
      saw === undefined,
      saw,
    );
  };
  return { send, verdict };
}

const argumentsOf = ({ arrived }) =>
  arrived.find(({ message }) => message?.method === "tools/call")?.message.params.arguments ?? null;

/** Yields calls that have to arrive, with what the gateway fills. */
async function* controls({ send }, client, place, random) {
  for (const name of CONDITIONS) {
    const text = name === "mark" ? '{"amount":5}' : allowed(name, random);
    const sent = await send(client, (number) => allowedCall(client, name, text, number));
    yield control(`${place}: an allowed call of ${name} arrives`, argumentsOf(sent) !== null, [
      sent.asked,
      sent.reply.text,
    ]);
  }
  const order = argumentsOf(await send(client, (number) => allowedCall(client, "order", '{"item":"x"}', number)));
  const isFilled =
    order?.tenant_id === `TENANT-${client.who}` && order.region === REGION && order.options.limit === LIMIT;
  yield control(`${place}: a call arrives with its bound arguments`, isFilled, order);
  const paid = await send(client, (number) => allowedCall(client, "pay", '{"amount":5000}', number));
  const isFree = client.who === "root";
  yield control(
    `${place}: a large amount arrives for the role alone`,
    (argumentsOf(paid) !== null) === isFree,
    paid.reply.text,
  );
  const list = await send(client, (number) => listCall(client, number));
  const [tools] = list.reply.messages.map(({ result }) => result?.tools?.map(({ name }) => name) ?? []);
  const isNarrowed = tools?.includes("order") && tools.includes(REFUSED) && !tools.includes(HIDDEN);
  yield control(`${place}: the list has what is refused, not what is hidden`, isNarrowed, list.reply.text);
}

/** Yields whether the same requests pass a gateway that narrows nothing, where each success has to be seen. */
async function* openControls(world, ids, random) {
  const open = [];
  const { behind, people } = world;
  const front = wrap(behind, {}, { identify: identifyIn(people) });
  const { send, verdict } = sender(front, world, ids);
  for (const client of await clientsOf(front)) {
    const sent = await Promise.all(
      Array.from({ length: OPEN / 12 }, () => send(client, (number) => request(client, number, random))),
    );
    open.push(...sent.map(verdict));
  }
  const kinds = [" with ", " without ", "a request for ", "the reply has "];
  for (const kind of kinds) {
    const seen = open.filter(({ saw }) => saw?.includes(kind));
    yield control(`a gateway that narrows nothing: "${kind.trim()}" is seen`, seen.length > 0, open.length);
  }
}

export async function* attempt(stage, size, random) {
  const worlds = servers();
  const ids = { next: 1 };
  yield* openControls(worlds.stateless, ids, random);
  for (const [era, fronts] of Object.entries(await stage.fronts(worlds))) {
    for (const front of fronts) {
      const { send, verdict } = sender(front, worlds[era], ids);
      const clients = await clientsOf(front);
      for (const client of clients.filter(({ who }) => TENANTS.includes(who)))
        yield* controls({ send }, client, `${front.name}, ${era}, ${client.revision}, ${client.who}`, random);
      const turns = random.shuffle(clients.flatMap((client) => Array(COUNT[size]).fill(client)));
      let [came, unfilled] = [0, 0];
      // Calls that are allowed, of the same caller or another one, run between the attempts.
      const race = async (client) => {
        const other = random.pick(clients);
        const name = random.pick(["pay", "order", "note"]);
        const text = name === "pay" ? `{"amount":${other.who === "root" ? 5000 : 5}}` : "{}";
        if (name === "order" && !TENANTS.includes(other.who)) unfilled += 1;
        const sent = [
          send(client, (number) => request(client, number, random)),
          send(other, (number) => allowedCall(other, name, text, number)),
        ];
        return Promise.all(sent);
      };
      for await (const [own, other] of parallel(turns, race, WIDTH)) {
        const beside = verdict(other);
        yield verdict(own);
        if (!beside.held) yield beside;
        if (argumentsOf(other) !== null) came += 1;
      }
      const due = turns.length - unfilled;
      yield control(
        `${front.name}, ${era}: allowed calls between the attempts arrive`,
        came === due,
        `${came} of ${due}`,
      );
      const rest = worlds[era].arrived("none").filter(({ message }) => message?.method === "tools/call");
      yield tried(`${front.name}, ${era}: calls that arrive without the header of an attempt`, rest.length === 0, rest);
    }
  }
}
