// Leaves a visible template, or reaches a hidden file, by spellings that servers decode, parse and join in other orders
// than the gateway may expect. The servers open files of a real folder.
import { session, stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { OUTSIDE, SECRET, makeFolder, pythonServer, rawServer, templateServer } from "../upstreams/folder.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "spellings that servers open as hidden files";
/** Maximum duration of the class, in milliseconds: a million spellings at full size. */
export const limitMs = 2_400_000;

const UP = ["..", "%2e%2e", ".%2E", "%252e%252e", "%25252e.", ".", "..;", "..;x=1", "", "x", "..\\..", "%2e", "..%00"];
const SLASH = ["/", "//", "%2f", "%252f", "\\", "%5c", "/./", "/%2e/", "?/", "#/", "%3f/", "%23/", ";/", "/\\"];
const END = ["private/a", "%70rivate/a", "private%2fa", "private//a", "outside", "private/a?x", "private/a#x", "a"];
const KNOWN = [
  "public//../private/a",
  "public/x//..//../private/a",
  "public//../private//a",
  "public/%2f../private/a",
  "public/%2f%2e%2e/private/a",
  "public//..%2fprivate/a",
  "public/./..%2f../ROOT/private/a",
  "public/..;/private/a",
  "private%2fa",
  "%70rivate/a",
  "/private/a",
];
/** Spellings, and how many of them one batch has. */
const COUNT = [600, 1_000_000];
const BATCH = [20, 100];
/** Share of the batches that the server on the Python SDK gets, which is a hundred times slower, and their size. */
const SLOW = [0.2, 0.005];
const SLOW_BATCH = 10;

/** Returns the ways to hide the private files, by name, and whether unlisted files are open. */
const ways = (root) => ({
  policy: { config: { policies: [{ name: "hr", show: "-name:hidden_a -name:private" }] } },
  rule: { config: { rules: [{ match: "name:hidden_a or name:private", hide: true }] } },
  preset: {
    config: { presets: [{ name: "all", when: "-claim.sub:*", filter: { where: "-name:hidden_a -name:private" } }] },
  },
  uri: {
    open: true,
    config: {
      policies: [{ name: "hr", show: `-uri:file://${root}/private/*` }],
      upstream: { unlisted: true },
    },
  },
});

export async function* attempt(stage, size, random) {
  const root = makeFolder(stage);
  const servers = [templateServer(root), rawServer(root), await pythonServer(stage, root)];
  const worlds = {};
  for (const [way, { config }] of Object.entries(ways(root)))
    servers.forEach((behind, at) => {
      worlds[`${way}${at}`] = { behind, config };
    });
  const fronts = Object.entries(await stage.fronts(worlds)).flatMap(([name, each]) =>
    each.map((front) => ({ front, way: name.slice(0, -1) })),
  );
  const { config } = ways(root).policy;
  const upstreams = [{ name: "files", url: await stage.served(servers[1]) }];
  fronts.push({ front: await stage.run({ upstreams, ...config }), way: "policy" });
  const [readers, slow] = [[], []];
  for (const { front, way } of fronts) {
    const where = `${front.name}, hidden by ${way}`;
    const ask = stateless(front);
    const seen = await ask("resources/read", { uri: `file://${root}/public/x/../a` });
    yield control(`${where}: a file of the visible template is read`, seen.text.includes("open a"), seen.text);
    const batched = await session(front, { revision: "2025-03-26" });
    const forbidden = ways(root)[way].open ? [SECRET] : [SECRET, OUTSIDE];
    const single = async (uri) => [(await ask("resources/read", { uri })).text];
    const several = async (uris) => {
      const { messages, text } = await batched.batch(uris.map((uri) => ["resources/read", { uri }]));
      return uris.map((_, at) => JSON.stringify(messages.find(({ id }) => id === at + 1) ?? text));
    };
    const kind = front.name.includes(servers[2].label) ? slow : readers;
    kind.push({ where, forbidden, read: (uris) => (uris.length === 1 ? single(uris[0]) : several(uris)) });
  }
  for (const [behind, tail] of [
    [servers[0], "public/%2f../private/a"],
    [servers[1], "public//../private/a"],
  ]) {
    const direct = await session({ fetch: (_, init) => behind.fetch(new Request("http://behind/mcp", init)) });
    const { text } = await direct("resources/read", { uri: `file://${root}/${tail}` });
    yield control(`${behind.label}: the server itself opens the hidden file`, text.includes(SECRET), text);
  }

  const known = KNOWN.map((tail) => `file://${root}/${tail.replace("ROOT", root)}`);
  const generate = () => {
    const steps = Array.from({ length: random.below(6) }, () => random.pick(UP) + random.pick(SLASH)).join("");
    return `file://${root}/${random.chance(0.85) ? "public/" : ""}${steps}${random.pick(END)}`;
  };
  function* tries() {
    for (const reader of [...readers, ...slow]) for (const uri of known) yield [reader, [uri]];
    for (let made = 0; made < COUNT[size]; ) {
      const isSlow = random.chance(SLOW[size]);
      const uris = Array.from({ length: isSlow ? SLOW_BATCH : BATCH[size] }, generate);
      made += uris.length;
      yield [random.pick(isSlow ? slow : readers), uris];
    }
  }
  for await (const results of parallel(tries(), async ([{ where, forbidden, read }, uris]) => {
    const texts = await read(uris);
    return uris.map((uri, at) =>
      tried(
        `${where}: resources/read ${JSON.stringify(uri)}`,
        !forbidden.some((word) => texts[at].includes(word)),
        texts[at],
      ),
    );
  }))
    yield* results;
}
