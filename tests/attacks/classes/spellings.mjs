// Reads resources that a policy, a preset or a rule hides, by URIs that official SDKs normalize to theirs.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { session, stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { respell } from "../uris.mjs";
import { HIDDEN, HIDDEN_BY_TEMPLATE, PEOPLE, SECRET, SHOW, sessionVault, statelessVault } from "../upstreams/vault.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "hidden resources under other spellings of their URIs";

const FIXED = [
  "docs://payroll",
  "DOCS://payroll",
  "Docs://payroll",
  "docs://pay\nroll",
  "docs://payroll ",
  " docs://payroll",
  "docs://payroll#",
  "docs://payroll?",
  "docs://PAYROLL",
  "https://INTRA.example/hr",
  "https://intra.example:443/hr",
  "https://intra.example/x/../hr",
  "https:intra.example/hr",
  "https:\\\\intra.example\\hr",
  "https://intra.example/%68r",
  "https://intra.example/hr#",
  "https://intra.example/hr?",
  "https://intra.example./hr",
  "https://user@intra.example/hr",
  "https://bücher.example/hr",
  "https://intra.example/./hr",
  "https://intra.example//hr",
  "https://intra.example/hr/",
  "https://intra.example/a/b c?x=1&y=2",
  "https://intra.example/a/%62%20c?x=1&y=2",
  "PEOPLE://7/salary",
  "people://7/salary",
  "people://7/./salary",
  "file:/private/a",
  "file://localhost/private/a",
  "file:///private/a",
  "file:///PRIVATE/a",
  "file:///x/../private/a",
];
const preset = [{ name: "strangers", when: "-claim.role:hr", filter: { namePatterns: ["open*", "public"] } }];
const rules = [{ match: "-name:open* -name:public", hide: true }];
const policies = [{ name: "hr only", show: SHOW }];
const strict = { policies, upstream: { unlisted: false } };
/** A configuration that forwards URIs that no list contains, unless their name is hidden. */
const opened = {
  policies: [{ name: "hr only", show: "(-name:hidden_* -name:private -name:salary) or claim.role:hr" }],
  upstream: { unlisted: true },
};
const COUNT = [160, 100_000];

/** Returns functions that read with the official TypeScript clients, which write their own headers. */
async function officialReaders(stage, front) {
  const made = {
    "official client, version 1": [new Client1({ name: "attacker", version: "1" }), Transport1],
    "official client, version 2": [
      new Client2({ name: "attacker", version: "1" }, { versionNegotiation: { mode: "auto" } }),
      Transport2,
    ],
  };
  const readers = {};
  for (const [name, [client, Transport]] of Object.entries(made)) {
    await client.connect(new Transport(new URL("/mcp", front.url)));
    stage.defer(() => client.close());
    readers[name] = async (uri) => ({ text: await client.readResource({ uri }).then(JSON.stringify, String) });
  }
  return readers;
}

export async function* attempt(stage, size, random) {
  const [two, one, python] = [statelessVault(), sessionVault(), await stage.python()];
  const people = PEOPLE;
  const worlds = await stage.fronts({
    policy: { behind: two, config: { policies }, people },
    preset: { behind: two, config: { presets: preset }, people },
    rule: { behind: two, config: { rules }, people },
    strict: { behind: two, config: strict, people },
    sessions: { behind: one, config: { policies }, people },
    python: { behind: python, config: { policies }, people },
    opened: { behind: two, config: opened, people },
    "opened python": { behind: python, config: opened, people },
  });
  const readers = [];
  for (const [world, fronts] of Object.entries(worlds)) {
    for (const front of fronts) {
      const where = `${front.name}, hidden by ${world}`;
      const clients = {
        stateless: stateless(front),
        session: await session(front),
        "token without the role": stateless(front, { token: "plain-token" }),
      };
      readers.push(
        ...Object.entries(clients).map(([client, ask]) => ({
          where: `${where}, ${client}`,
          read: (uri) => ask("resources/read", { uri }),
        })),
      );
      if (world === "policy" && front.kind === "worker") {
        for (const [client, read] of Object.entries(await officialReaders(stage, front)))
          readers.push({ where: `${where}, ${client}`, read });
      }
      const batched = await session(front, { revision: "2025-03-26" });
      readers.push({ where: `${where}, batch`, read: (uri) => batched.batch([["resources/read", { uri }]]) });
      if (world === "rule") continue;
      const seen = await stateless(front, { token: "hr-token" })("resources/read", { uri: HIDDEN[0] });
      yield control(`${where}: the role reads ${HIDDEN[0]}`, seen.text.includes(SECRET), seen.text);
    }
  }
  const targets = [...HIDDEN, ...HIDDEN_BY_TEMPLATE];
  const open = stateless({ fetch: (_, init) => two.fetch(new Request("http://behind/mcp", init)) });
  const straight = respell(HIDDEN[1], random);
  const answered = await open("resources/read", { uri: straight });
  yield control(`the server itself reads ${JSON.stringify(straight)}`, answered.text.includes(SECRET), answered.text);
  const fixed = FIXED.flatMap((uri) =>
    (size === 1 ? readers : random.shuffle(readers).slice(0, 6)).map((reader) => [reader, uri]),
  );
  const generated = Array.from({ length: COUNT[size] }, () => [
    random.pick(readers),
    respell(random.pick(targets), random),
  ]);
  yield* parallel([...fixed, ...generated], async ([{ where, read }, uri]) => {
    const { text } = await read(uri);
    return tried(`${where}: resources/read ${JSON.stringify(uri)}`, !text.includes(SECRET), text);
  });
}
