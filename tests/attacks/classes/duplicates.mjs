// Names a hidden tool in a repeated member or in one of another case. A server that reads that member calls a tool that
// no policy checked.
import { session } from "../client.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "repeated members, and members in another case";

const VERSION = "2026-07-28";
const CASES = ["name", "Name", "NAME", "nAme", "ｎame", "na\\u006de", "\\u006eame", "\\u004eame", "name ", "ﬁname"];
const COUNT = [20, 160];

/**
 * Returns whether a server on Go's encoding/json, or one that takes the first of two members, finds a hidden `name` or
 * `uri`.
 */
const named = (text, member) =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].some(
    ([, key, value]) => JSON.parse(`"${key}"`).toLowerCase() === member && JSON.parse(`"${value}"`).includes("secret"),
  );

export async function* attempt(stage, size, random) {
  const lists = {
    tools: [tool("open"), tool("secret")],
    resources: [
      { uri: "doc://open", name: "open" },
      { uri: "doc://secret", name: "secret" },
    ],
    prompts: [{ name: "open" }, { name: "secret" }],
  };
  const servers = { stateless: record(simple({ lists })), sessions: record(simple({ lists, sessions: true })) };
  const config = { policies: [{ name: "open", show: "name:open or claim.role:hr" }] };
  const people = { "hr-token": { sub: "h", role: "hr" } };
  const worlds = await stage.fronts(
    Object.fromEntries(Object.entries(servers).map(([name, behind]) => [name, { behind, config, people }])),
  );
  for (const [era, fronts] of Object.entries(worlds)) {
    const behind = servers[era];
    for (const front of fronts) {
      const reached = async (client, method, members, member) => {
        const from = behind.seen.length;
        const params = client.stateless
          ? `${members},"_meta":{"io.modelcontextprotocol/protocolVersion":"${VERSION}","io.modelcontextprotocol/clientCapabilities":{}}`
          : members;
        const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`;
        const about = member === "uri" ? "doc://open" : "open";
        const own = client.stateless
          ? { "mcp-protocol-version": VERSION, "mcp-method": method, "mcp-name": client.name ?? about }
          : {};
        await (
          await front.fetch("/mcp", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              ...client.headers,
              ...own,
            },
            body,
          })
        ).text();
        return behind.seen.slice(from).filter(({ message, text }) => message?.method === method && named(text, member));
      };
      const opened = await session(front);
      const clients = [{ stateless: true, headers: {} }, { headers: opened.headers }];
      const hr = await reached(
        { stateless: true, headers: { authorization: "Bearer hr-token" }, name: "secret" },
        "tools/call",
        '"name":"secret","arguments":{}',
        "name",
      );
      yield control(`${front.name}: a visible name is seen to arrive`, hr.length === 1, behind.seen.at(-1));
      for (const client of clients) {
        const kind = client.stateless ? "stateless" : "session";
        const tries = [];
        for (const key of CASES) {
          for (const members of [`"name":"open","${key}":"secret"`, `"${key}":"secret","name":"open"`]) {
            tries.push(["tools/call", `${members},"arguments":{}`, "name"], ["prompts/get", members, "name"]);
          }
          const uri = key.replace("ame", "ri").replace("AME", "RI").replace(/^n/, "u").replace(/^N/, "U");
          tries.push(
            ["resources/read", `"uri":"doc://open","${uri}":"doc://secret"`, "uri"],
            ["resources/read", `"${uri}":"doc://secret","uri":"doc://open"`, "uri"],
          );
        }
        for (let left = COUNT[size]; left > 0; left -= 1) {
          const letters = [..."name"]
            .map((letter) =>
              random.chance(0.5)
                ? letter.toUpperCase()
                : random.chance(0.2)
                  ? `\\u00${letter.codePointAt(0).toString(16)}`
                  : letter,
            )
            .join("");
          const pair = random.shuffle(['"name":"open"', `"${letters}":"secret"`, '"arguments":{}']);
          tries.push(["tools/call", pair.join(","), "name"]);
        }
        for (const [method, members, member] of tries) {
          const leaked = await reached(client, method, members, member);
          yield tried(
            `${front.name}, ${kind}: ${method} {${members}}`,
            leaked.length === 0,
            leaked.map(({ text }) => text),
          );
        }
      }
    }
  }
}
