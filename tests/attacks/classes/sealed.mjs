// Takes over sessions and cursors of other callers: invented ids, every byte flipped, other principals, other paths.
import { stateless, session } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "sessions and cursors of other callers";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~"];
const MADE_UP = [
  "",
  "0",
  "null",
  "undefined",
  "x",
  "..",
  "../x",
  "a".repeat(43),
  "A".repeat(5_000),
  "__proto__",
  "%00",
  "00000000-0000-0000-0000-000000000000",
  "session-1",
];
const FLIPS = [0.15, 1];

export async function* attempt(stage, size, random) {
  const lists = { tools: [tool("open"), tool("open_2"), tool("open_3")] };
  const people = { "alice-token": { sub: "alice" }, "bob-token": { sub: "bob" } };
  const config = {
    pageSize: 1,
    presets: [{ name: "narrow", filter: { namePatterns: ["open"] } }],
    policies: [{ name: "all", show: "name:open* or claim.role:x" }],
  };
  const { world: fronts } = await stage.fronts({ world: { behind: simple({ lists }), config, people } });
  for (const front of fronts) {
    const alice = await session(front, { token: "alice-token" });
    const inside = async (id, { token = "bob-token", more = {}, path = "/mcp", method = "POST" } = {}) => {
      const headers = {
        ...alice.headers,
        "mcp-session-id": id,
        ...more,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      };
      if (token === null) delete headers.authorization;
      const reply = await front.fetch(path, {
        method,
        headers,
        ...(method === "POST" && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: {} }) }),
      });
      const text = method === "GET" && reply.ok ? "" : await reply.text();
      if (method === "GET" && reply.ok) await reply.body?.cancel();
      return { taken: reply.ok && !text.includes('"error"'), saw: `${reply.status} ${text}` };
    };
    const own = await inside(alice.id, { token: "alice-token" });
    yield control(`${front.name}: alice is served in her session`, own.taken, own.saw);
    const stranger = await session(front);
    const opened = await inside(stranger.id, { token: null });
    yield control(`${front.name}: a stranger is served in a stranger's session`, opened.taken, opened.saw);
    const places = [...alice.id].flatMap((letter, at) =>
      random.chance(FLIPS[size]) ? [[at, random.pick(LETTERS.filter((other) => other !== letter))]] : [],
    );
    const ids = [
      ...MADE_UP.map((id) => [`made up: ${id.slice(0, 50)}`, id]),
      ...places.map(([at, letter]) => [
        `letter ${at} is ${letter}`,
        `${alice.id.slice(0, at)}${letter}${alice.id.slice(at + 1)}`,
      ]),
      ["shorter", alice.id.slice(0, -1)],
      ["longer", `${alice.id}A`],
      ["twice", `${alice.id}, ${alice.id}`],
      ["a dot", `${alice.id}.`],
    ];
    yield* parallel(ids, async ([what, id]) => {
      const { taken, saw } = await inside(id, { token: "alice-token" }).catch((error) => ({
        taken: false,
        saw: String(error),
      }));
      return tried(`${front.name}: session id of alice, ${what}`, !taken, saw);
    });
    for (const token of ["bob-token", null]) {
      for (const method of ["POST", "DELETE", ...(front.kind === "worker" ? ["GET"] : [])]) {
        for (const more of [
          {},
          { "last-event-id": "1" },
          { "last-event-id": "1-1" },
          { "x-forwarded-user": "alice" },
        ]) {
          const { taken, saw } = await inside(alice.id, { token, method, more });
          yield tried(
            `${front.name}: ${method} in the session of alice with ${token ?? "no token"} ${JSON.stringify(more)}`,
            !taken,
            saw,
          );
        }
      }
      const { taken, saw } = await inside(alice.id, { token, path: "/mcp/narrow" });
      yield tried(`${front.name}: the session of alice at another path with ${token ?? "no token"}`, !taken, saw);
    }
    const still = await inside(alice.id, { token: "alice-token" });
    yield control(`${front.name}: her session is still there`, still.taken, still.saw);

    const page = (token, path, cursor, more = {}) =>
      stateless(front, { token, path })("tools/list", { ...more, ...(cursor !== undefined && { cursor }) });
    const { nextCursor } = (await page("alice-token", "/mcp")).message.result;
    const follows = await page("alice-token", "/mcp", nextCursor);
    yield control(`${front.name}: alice follows her cursor`, follows.text.includes("open_2"), follows.text);
    const flipped = [...nextCursor].flatMap((letter, at) =>
      random.chance(FLIPS[size]) ? [[at, random.pick(LETTERS.filter((other) => other !== letter))]] : [],
    );
    const cursors = [
      ...MADE_UP.filter(Boolean),
      ...flipped.map(([at, letter]) => `${nextCursor.slice(0, at)}${letter}${nextCursor.slice(at + 1)}`),
      nextCursor.slice(1),
      `${nextCursor}A`,
    ];
    yield* parallel(cursors, async (cursor) => {
      const { message, text } = await page("alice-token", "/mcp", cursor);
      return tried(`${front.name}: cursor ${cursor.slice(0, 80)}`, message?.result === undefined, text);
    });
    for (const [what, args] of [
      ["bob", ["bob-token", "/mcp"]],
      ["a stranger", [undefined, "/mcp"]],
      ["a preset's path", ["alice-token", "/mcp/narrow"]],
      ["another filter", ["alice-token", "/mcp", { filter: { namePatterns: ["open_3"] } }]],
    ]) {
      const [token, path, more] = args;
      const { message, text } = await page(token, path, nextCursor, more);
      yield tried(`${front.name}: the cursor of alice used by ${what}`, message?.result === undefined, text);
    }
  }
}
