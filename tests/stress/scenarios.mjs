// Stress scenarios for the Worker, small for every build and at full size for `make stress`. Each returns its outcome,
// and throws if that is wrong.
import assert from "node:assert/strict";
import { ask, session } from "../support/raw-client.mjs";
import { until } from "../support/until.mjs";
import { deaf, deafInSession, settled, talk } from "./clients.mjs";

const MB = 1024 * 1024;
/** Maximum number of bytes buffered for a stream that is not read: the buffers of four sockets and of the runtime. */
const MOST_UNREAD = 32 * MB;
const LEFT_MS = 10_000;

const times = (count, work) => Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const call = (mcp, name, args = {}) => ask(mcp, "tools/call", { name, arguments: args, _meta: { progressToken: 1 } });
const mb = (bytes) => `${(bytes / MB).toFixed(1)} MB`;

/** Makes `count` calls that all fail, and returns their distinct reasons. */
async function reasons(mcp, count, name, args) {
  const answers = await times(count, () => call(mcp, name, args));
  return [...new Set(answers.map((messages) => messages.at(-1).message.error.data.reason))].join(", ");
}

const failing = (name, vice, reason, counts, args) => ({
  name: (count) => `${count} calls at once to ${name}`,
  counts,
  async run({ mcp }, count) {
    assert.equal(await reasons(mcp, count, vice, args), reason);
    return `each gets \`${reason}\``;
  },
});

/** Makes `count` calls whose long results pass through. */
const passing = (name, vice, counts, args) => ({
  name: (count) => `${count} calls at once to ${name}`,
  counts,
  async run({ mcp }, count) {
    const answers = await times(count, () => call(mcp, vice, args));
    for (const messages of answers) assert.ok(JSON.stringify(messages.at(-1).message.result).length >= args.bytes);
    return "each gets its result";
  },
});

export const scenarios = [
  {
    name: (count) => `${count} streams at once, ten events each`,
    counts: [40, 200],
    async run({ mcp }, count) {
      const streams = await times(count, () => call(mcp, "tell", { events: 10, every: 100 }));
      for (const stream of streams) {
        const numbers = stream.slice(0, -1).map(({ message }) => message.params.progress);
        assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert.equal(stream.at(-1).message.result.content[0].text, "told");
      }
      return "all events in order, each on its own stream";
    },
  },
  {
    name: (count) => `${count} sessions, a stream in each`,
    counts: [20, 200],
    async run({ mcp }, count) {
      const streams = await times(count, async () => {
        const asked = await session(mcp);
        return asked("tools/call", { name: "tell", arguments: { events: 5, every: 100 }, _meta: { progressToken: 1 } });
      });
      for (const stream of streams) assert.equal(stream.length, 6);
      return "every event";
    },
  },
  {
    name: (count) => `${count} clients that do not read a stream of 50 MB`,
    counts: [2, 10],
    async run({ mcp, vices }, count) {
      const before = vices.state("flood").written;
      const clients = await times(count, () => deaf(mcp, "flood", { bytes: 50 * MB }));
      const written = (await settled(() => vices.state("flood").written)) - before;
      clients.forEach(({ leave }) => leave());
      assert.ok(written / count < MOST_UNREAD, `the upstream server could send ${mb(written / count)} a stream`);
      await until(() => vices.state("flood").open === 0, "the end of the call at the upstream server", {
        within: LEFT_MS,
      });
      return `the upstream server is paused after ${mb(written / count)} a stream, and its call ends when they leave`;
    },
  },
  {
    name: (count) => `${count} clients with a session that read 50 MB late`,
    counts: [1, 4],
    async run({ mcp, vices }, count) {
      const before = vices.state("flood").written;
      const clients = await times(count, () => deafInSession(mcp, "flood", { bytes: 50 * MB }));
      const written = (await settled(() => vices.state("flood").written)) - before;
      assert.ok(written / count < MOST_UNREAD, `the upstream server could send ${mb(written / count)} a stream`);
      const rests = await times(count, (at) => clients[at].rest());
      for (const { events, bytes } of rests)
        assert.ok(events > 700 && bytes > 49 * MB, `${events} events, ${mb(bytes)}`);
      return `the upstream server is paused after ${mb(written / count)} a stream; clients that read late get every event`;
    },
  },
  failing("a server that stalls in the middle of a stream", "stall", "upstream_timeout", [10, 50]),
  failing("a server that resets the connection", "reset", "upstream_cut", [10, 50]),
  failing("a server that sends half a message", "half", "upstream_not_mcp", [10, 50]),
  passing("a server that answers with 50 MB", "huge", [2, 4], { bytes: 50 * MB }),
  passing("a server that sends an event of 50 MB", "huge", [2, 4], { bytes: 50 * MB, event: true }),
  {
    name: (count) => `${count} bodies of 50 MB at once, and one that never ends`,
    counts: [4, 20],
    async run({ mcp }, count) {
      const answers = await times(count + 1, (at) => talk(mcp, at === 0 ? Infinity : 50 * MB));
      const read = answers.filter(Boolean);
      assert.ok(read.length > 0, "some clients read the answer");
      for (const { status, message } of read) {
        // Two bodies of one caller are in memory at a time. The others are not read up to the limit.
        assert.equal(message.error.data.reason, { 413: "body_too_large", 503: "body_limit" }[status], `${status}`);
      }
      return `refused with 413 once 4 MB have come, or with 503 where two others are read; ${count + 1 - read.length} were cut off while they were sending`;
    },
  },
];
