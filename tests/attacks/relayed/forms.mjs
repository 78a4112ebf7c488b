// Random replies of a server: a result with a member that needs looking at, in an envelope, carried in some way.
import { CARRIERS, carry } from "./carriers.mjs";
import { ENVELOPES } from "./envelopes.mjs";
import { placed } from "./results.mjs";
import { ASIDE, FRAMES, STRAYS } from "./streams.mjs";

const PLAIN = "plain";
const keysOf = (object) => Object.keys(object);
/** Carriers of event streams. */
const STREAMED = [PLAIN, "in small pieces", "in gzip", "broken off at the end", "with headers of a server"];

/** Returns a result of a world, with its method and a description. */
function resultOf(world, random) {
  const { method, ...member } = random.pick(world.members);
  const results = placed(method, member);
  const place = random.pick(keysOf(results));
  return { method, result: results[place], about: `${member.member.slice(0, 60)} ${place}` };
}

/** Yields bodies: ordinary ones, each with another envelope or carrier, and combinations of both. */
export function* bodies(world, random, count) {
  const changes = [
    () => ({}),
    () => ({ envelope: random.pick(keysOf(ENVELOPES)) }),
    () => ({ carrier: random.pick(keysOf(CARRIERS)) }),
    () => ({ envelope: random.pick(keysOf(ENVELOPES)), carrier: random.pick(keysOf(CARRIERS)) }),
  ];
  for (let at = 0; at < count; at += 1) {
    const { method, result, about } = resultOf(world, random);
    const { envelope = PLAIN, carrier = PLAIN } = changes[at % changes.length]();
    yield {
      method,
      what: `${about}; envelope: ${envelope}; carrier: ${carrier}`,
      answer: (id) => carry(CARRIERS[carrier](ENVELOPES[envelope](id, result))),
    };
  }
}

/** Returns a function that tells which messages a client must not receive. */
function strayFor(world, era) {
  const hides = world.config?.policies !== undefined;
  // The client of a session gets log messages, and a resource is hidden only in some configurations.
  return (name) =>
    (era !== "session" || name !== "a log message") && (hides || name !== "an update of a hidden resource");
}

/** Yields event streams: the answer with messages of others before or behind it, in every form. */
export function* streams(world, random, count, era) {
  const names = keysOf(STRAYS).filter(strayFor(world, era));
  for (let at = 0; at < count; at += 1) {
    const { method, result, about } = resultOf(world, random);
    const [stray, carrier, before] = [random.pick(names), random.pick(STREAMED), random.chance(0.6)];
    const frame = at % 4 === 3 ? random.pick(keysOf(ASIDE)) : random.pick(keysOf(FRAMES));
    const text = (id, token) => {
      // A line break within a message would end it.
      const own = `{"jsonrpc":"2.0","id":${id},"result":${result.replace(/[\r\n]/g, " ")}}`;
      const other = STRAYS[stray](id, token);
      if (frame in ASIDE) return ASIDE[frame](other, own);
      return FRAMES[frame](before ? [other, own] : [own, other]);
    };
    const order = before ? "before" : "behind";
    yield {
      method,
      what: `stream: ${stray} ${order} ${about}; frame: ${frame}; carrier: ${carrier}`,
      answer: (id, token) => carry(asEvents(CARRIERS[carrier](text(id, token)))),
    };
  }
}

/** Returns what is carried as an event stream. */
function asEvents({ headers, ...carried }) {
  return { ...carried, headers: { ...headers, "content-type": "text/event-stream" } };
}

/** Returns a body with a result that nothing has to look at. */
export const usual = (id) =>
  carry(
    CARRIERS[PLAIN](
      ENVELOPES[PLAIN](
        id,
        '{"resultType":"complete","content":[{"type":"text","text":"done"}],"contents":[{"uri":"doc://secret","text":"done"}]}',
      ),
    ),
  );

/** Returns a long reply for one of several calls, which it names at its beginning and at its end. */
export function own(id, number) {
  const mark = `of-call-${number}-`;
  const text = `${mark}${"x".repeat(100_000)}${mark}`;
  const result = placed("tools/call", { member: `"content":[{"type":"text","text":"${text}"}]`, content: true });
  const carried = CARRIERS["in small pieces"](`{"jsonrpc":"2.0","id":${id},"result":${result["at the beginning"]}}`);
  if (number % 2 === 0) return carry(carried);
  const [begin, end] = ["data: ", "\n\n"].map((frame) => Buffer.from(frame));
  return carry(asEvents({ ...carried, pieces: [begin, ...carried.pieces, end] }));
}

/** Returns replies that a client must not receive as they are: with a member of the world, and with a message of another. */
export function forbidden(world) {
  const { method, ...member } = world.members.at(-1);
  const result = placed(method, member)["behind 70 KB"];
  const stray = FRAMES[PLAIN]([STRAYS["another answer"](1), `{"jsonrpc":"2.0","id":1,"result":${result}}`]);
  return [carry(CARRIERS[PLAIN](ENVELOPES[PLAIN](1, result))), carry(asEvents(CARRIERS[PLAIN](stray)))];
}
