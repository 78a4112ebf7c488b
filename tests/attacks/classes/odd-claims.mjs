// Turns a caller into a stranger by claims that cannot be represented, when a policy hides a tool from the owner of
// those claims.
import { stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "claims that cannot be represented";

const deep = (levels) => {
  let value = {};
  for (let at = 0; at < levels; at += 1) value = { x: value };
  return value;
};
const cyclic = () => {
  const value = { sub: "b", banned: true };
  value.self = value;
  return value;
};
const BANNED = { sub: "b", banned: true };
const ODD = {
  "a lone surrogate as value": () => ({ ...BANNED, name: "\ud800" }),
  "a lone surrogate as key": () => ({ ...BANNED, "\udfff": 1 }),
  "a lone surrogate far inside": () => ({ ...BANNED, profile: { names: [{ first: "a\udc00b" }] } }),
  "200 levels": () => ({ ...BANNED, profile: deep(200) }),
  "100,000 levels": () => ({ ...BANNED, profile: deep(100_000) }),
  "an array": () => [BANNED],
  "a text": () => JSON.stringify(BANNED),
  "a number": () => 7,
  true: () => true,
  "a symbol": () => Symbol("banned"),
  "a function": () => Object.assign(() => {}, BANNED),
  cyclic,
  "a BigInt": () => ({ ...BANNED, id: 7n }),
  "a Map": () => new Map(Object.entries(BANNED)),
  "a throwing toJSON": () => ({
    ...BANNED,
    toJSON() {
      throw new Error("no");
    },
  }),
  "a toJSON that gives a text": () => ({ ...BANNED, toJSON: () => "banned" }),
  "a toJSON that gives nothing": () => ({ ...BANNED, toJSON: () => undefined }),
  "a throwing getter": () => ({
    ...BANNED,
    get name() {
      throw new Error("no");
    },
  }),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable(BANNED, {});
    revoke();
    return proxy;
  },
  "a Date": () => new Date(0),
  "a Response": () => new Response("banned"),
  "an Error": () => Object.assign(new Error("banned"), BANNED),
  NaN: () => NaN,
  "an empty text": () => "",
  zero: () => 0,
  false: () => false,
};
const COUNT = [40, 300];

export async function* attempt(stage, size, random) {
  let claims;
  const config = { policies: [{ name: "banned", show: "-claim.banned:true" }] };
  const front = wrap(simple({ lists: { tools: [tool("open")] } }), config, { identify: () => claims() });
  const ask = stateless(front);
  const names = async () => {
    try {
      return (await ask("tools/list")).text;
    } catch (error) {
      return `threw ${error}`;
    }
  };
  claims = () => ({ sub: "a" });
  const seen = await names();
  yield control("a caller who is not banned sees the tool", seen.includes('"open"'), seen);
  claims = () => BANNED;
  const hidden = await names();
  yield control("a banned caller with plain claims is recognized", hidden.includes('"tools":[]'), hidden);
  for (const [what, made] of Object.entries(ODD)) {
    claims = made;
    const text = await names();
    yield tried(`claims: ${what}`, !text.includes('"open"') && !text.startsWith("threw"), text);
  }
  for (let left = COUNT[size]; left > 0; left -= 1) {
    const surrogate = String.fromCharCode(0xd800 + random.below(0x800));
    const value = `${random.text(random.below(5))}${surrogate}${random.text(random.below(3))}`;
    const place = random.pick([
      { name: value },
      { [value]: true },
      { profile: [{ [random.text(3)]: value }] },
      { profile: deep(random.below(400) + 130) },
    ]);
    claims = () => ({ ...BANNED, ...place });
    const text = await names();
    yield tried(
      `claims: ${JSON.stringify(place).slice(0, 100)}`,
      !text.includes('"open"') && !text.startsWith("threw"),
      text,
    );
  }
}
