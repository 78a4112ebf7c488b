// Leaves a visible template by dot segments, backslashes and their percent-encoded forms.
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { PEOPLE, SECRET, SHOW, sessionVault, statelessVault } from "../upstreams/vault.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "dot segments under a visible template";

const UP = [
  "..",
  "%2e%2e",
  "%2E%2E",
  ".%2e",
  "%2e.",
  ".\t.",
  "..\n",
  "\u0000..",
  "%252e%252e",
  "..;",
  "..%00",
  "．．",
  "..%5c..",
  "..\\..",
  "x/../..",
  "./..",
];
const SLASH = ["/", "\\", "//", "/./", "/%2e/", "%2f", "%5c", "\\\\", "/\t", "\n/"];
const COUNT = [120, 1_200];

export async function* attempt(stage, size, random) {
  const people = PEOPLE;
  const policies = [{ name: "hr only", show: SHOW }];
  const [two, one] = [statelessVault(), sessionVault()];
  const worlds = await stage.fronts({
    lax: { behind: two, config: { policies }, people },
    strict: { behind: two, config: { policies, upstream: { unlisted: false } }, people },
    sessions: { behind: one, config: { policies, upstream: { unlisted: false } }, people },
    python: { behind: await stage.python(), config: { policies, upstream: { unlisted: false } }, people },
  });
  const readers = [];
  for (const front of Object.values(worlds).flat()) {
    const seen = await stateless(front)("resources/read", { uri: "file:///public/a" });
    yield control(`${front.name}: the template itself can be read`, seen.message.result !== undefined, seen.text);
    const hr = await stateless(front, { token: "hr-token" })("resources/read", { uri: "file:///private/a" });
    yield control(`${front.name}: the role reads the hidden template`, hr.text.includes(SECRET), hr.text);
    readers.push([front.name, stateless(front)]);
  }
  const climb = () => Array.from({ length: 1 + random.below(3) }, () => random.pick(UP) + random.pick(SLASH)).join("");
  const known = [
    "../private/a",
    "%2e%2e/private/a",
    "..\\private\\a",
    "\\..\\..\\private/a",
    "x/../../private/a",
    "..//private/a",
    "../../people",
  ].map((path) => `file:///public/${path}`);
  const generated = Array.from(
    { length: COUNT[size] },
    () => `file:///public/${random.chance(0.3) ? "x/" : ""}${climb()}private/a`,
  );
  const tries = [...known, ...generated].flatMap((uri) =>
    random
      .shuffle(readers)
      .slice(0, 2)
      .map((reader) => [...reader, uri]),
  );
  yield* parallel(tries, async ([name, ask, uri]) => {
    const { text } = await ask("resources/read", { uri });
    return tried(`${name}: resources/read ${JSON.stringify(uri)}`, !text.includes(SECRET), text);
  });
}
