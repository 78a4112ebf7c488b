// Reads resources that no list contains although the policies, a preset or a rule deny everything, and the panel of a
// hidden tool.
import { respell } from "../uris.mjs";
import { session, stateless } from "../client.mjs";
import {
  HIDDEN,
  HIDDEN_BY_TEMPLATE,
  PEOPLE,
  SECRET,
  UNLISTED,
  sessionVault,
  statelessVault,
} from "../upstreams/vault.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "unlisted resources under policies that deny everything";

const DENY = {
  policy: { policies: [{ name: "hr", show: "claim.role:hr" }] },
  preset: { presets: [{ name: "none", when: "-claim.role:hr", filter: { namePatterns: ["no-such-name"] } }] },
  "policy for tools only, hidden panel": {
    policies: [{ name: "hr", kinds: ["tool", "resource", "template"], show: "name:open* or claim.role:hr" }],
  },
};
const SPELLINGS = [4, 60];

export async function* attempt(stage, size, random) {
  const worlds = {};
  for (const [name, config] of Object.entries(DENY)) {
    for (const behind of [statelessVault(), sessionVault()])
      worlds[`${name.replace(/\W+/g, "-")}-${behind.label.slice(0, 5).replace(" ", "")}`] = {
        behind,
        config,
        people: PEOPLE,
      };
  }
  const targets = [...UNLISTED, ...HIDDEN, ...HIDDEN_BY_TEMPLATE, "skill://vault/SKILL.md#part", "UI://vault/panel"];
  for (const [name, fronts] of Object.entries(await stage.fronts(worlds))) {
    for (const front of fronts) {
      const clients = {
        stateless: stateless(front),
        session: await session(front),
        "token without the role": stateless(front, { token: "plain-token" }),
      };
      const hr = await stateless(front, { token: "hr-token" })("resources/read", { uri: HIDDEN[0] });
      yield control(`${front.name}, ${name}: the role reads ${HIDDEN[0]}`, hr.text.includes(SECRET), hr.text);
      const uris = [
        ...targets,
        ...Array.from({ length: SPELLINGS[size] }, () => respell(random.pick(UNLISTED), random)),
      ];
      for (const uri of uris) {
        for (const [client, ask] of Object.entries(clients)) {
          const { text } = await ask("resources/read", { uri });
          yield tried(
            `${front.name}, ${name}, ${client}: resources/read ${JSON.stringify(uri)}`,
            !text.includes(SECRET),
            text,
          );
        }
      }
    }
  }
}
