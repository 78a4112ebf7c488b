// Searches for configurations that fail open: tokens without an owner, repeated members.
import { stateless } from "../client.mjs";
import { tokensVariable } from "../../support/tokens.mjs";
import { at, wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "configurations that fail open";

const SECRET_POLICY = { name: "open", show: "name:open" };
const OPEN_POLICY = { name: "all", show: "name:*" };
/** Texts whose policies must apply, or which must be rejected. */
const TEXTS = [
  `{"policies":[${JSON.stringify(SECRET_POLICY)}],"policies":[]}`,
  `{"policies":[${JSON.stringify(SECRET_POLICY)}],"policies":[${JSON.stringify(OPEN_POLICY)}]}`,
  `{"Policies":[${JSON.stringify(SECRET_POLICY)}]}`,
  `{"policy":[${JSON.stringify(SECRET_POLICY)}]}`,
  `{"policies":[{"name":"open","show":"name:open","show":"name:*"}]}`,
  `{"policies":[{"name":"open","show":"name:*","failOpen":"no"}]}`,
  `{"policies":[{"name":"open","show":"name:open"}],}x`,
  `{"rules":[{"match":"name:secret","hide":true,"hide":false}]}`,
  `{"rules":[{"match":"name:secret","hide":true}],"rules":[]}`,
  `{"presets":[{"name":"s","when":"-claim.role:*","filter":{"namePatterns":["open"],"namePatterns":["*"]}}]}`,
  `{"presets":[{"name":"s","when":"-claim.role:*","filter":{"namepatterns":["open"]}}]}`,
  `{"policies":{"name":"open","show":"name:open"}}`,
  `{"\\u0070olicies":[${JSON.stringify(SECRET_POLICY)}]}`,
  `{"policies":null,"policies":[${JSON.stringify(SECRET_POLICY)}],"policies":null}`,
];
const SUBJECTLESS = [
  {},
  { role: "staff" },
  { sub: "" },
  { sub: null },
  { sub: 7 },
  { sub: ["a"] },
  { sub: {} },
  { sub: false },
];

export async function* attempt(stage) {
  const behind = simple({ lists: { tools: [tool("open"), tool("secret")] } });
  const upstream = await stage.served(behind);
  const services = TEXTS.map((config, number) => ({ name: `text-${number}`, upstream, config }));
  services.push(
    { name: "good", upstream, config: { policies: [SECRET_POLICY] } },
    { name: "all", upstream, config: {} },
  );
  SUBJECTLESS.forEach((claims, number) =>
    services.push({
      name: `sub-${number}`,
      upstream,
      config: {},
      env: { SIEVE_TOKENS: tokensVariable({ "some-token": claims, "alice-token": { sub: "alice" } }) },
    }),
  );
  const started = await stage.workers(services);
  const names = async (front, options) => {
    try {
      return (await stateless(front, options)("tools/list")).text;
    } catch (error) {
      return String(error);
    }
  };
  const all = await names(at(started.urls.all));
  yield control("without policies the tool is listed", all.includes('"secret"'), all);
  const good = await names(at(started.urls.good));
  yield control(
    "with the policy it is not, and the other is",
    !good.includes('"secret"') && good.includes('"open"'),
    good,
  );
  for (const [number, text] of TEXTS.entries()) {
    const seen = await names(at(started.urls[`text-${number}`]));
    yield tried(`the Worker reads ${text}`, !seen.includes('"secret"'), seen);
    let wrapped;
    try {
      wrapped = await names(wrap(behind, text));
    } catch (error) {
      wrapped = String(error);
    }
    yield tried(`a wrapped handler reads ${text}`, !wrapped.includes('"secret"'), wrapped);
  }
  for (const [number, claims] of SUBJECTLESS.entries()) {
    const seen = await names(at(started.urls[`sub-${number}`]), { token: "some-token" });
    yield tried(`a token of SIEVE_TOKENS with ${JSON.stringify(claims)}`, !seen.includes('"open"'), seen);
  }
}
