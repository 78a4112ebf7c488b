// @ts-check
// What roles gain and lose between two configurations, over the same lists of servers.
import { explain, roles, servers as serversOf } from "./engine.js";
import { reading } from "./input.js";
import { refusal } from "./callers.js";

/** The lists that are compared. */
export const KINDS = ["tools", "resources", "resourceTemplates", "prompts", "skills"];
/** Most primitives of one role for which the reason is found; each takes a compilation. */
const MAX_REASONS = 100;

/**
 * A gained, lost or changed primitive of a role.
 * @typedef {{ kind: string, name: string, was?: string, server: string, why?: string, changes?: string[] }} Change
 * @typedef {{ tools: number, tokens: number }} Size
 * @typedef {{ role: string, before: Size, after: Size, gains: Change[], losses: Change[], changes: Change[] }} Comparison
 */

/**
 * A configuration and the lists that it is tried on.
 * @typedef {{ subject: string, rules: string, servers: string[], lists: string[] }} Side
 */

/**
 * Returns what each role gains and loses, from `old` to `now`. The roles are a caller without claims, one for each of
 * `presets`, and `callers`.
 * @param {Side} old
 * @param {Side} now
 * @param {{ callers: { name: string, claims: string }[], presets: string[] }} roles
 * @returns {{ roles: Comparison[], unknown: string[] }}
 */
export function compare(old, now, { callers, presets }) {
  const everyone = { name: "everyone", claims: "{}" };
  const described = [everyone, ...callers];
  const claims = described.map((caller) => caller.claims);
  const sides = [old, now].map((side) => read(side, claims, presets));
  const named = [
    ...described.map(({ name, claims }, at) => ({ name, claims, at })),
    ...presets.map((preset, at) => ({ name: `preset ${preset}`, preset, claims: "{}", at: described.length + at })),
  ];
  return {
    roles: named.map((role) => compareRole(role, [old, now], sides)),
    unknown: [...new Set(sides.flatMap(({ unknown }) => unknown))],
  };
}

/** The names of the presets that either configuration declares. */
export const presetsOf = (...configurations) => [
  ...new Set(configurations.flatMap(({ presets = [] }) => presets.map(({ name }) => name))),
];

/** Returns the lists of the servers that a configuration names. */
export function ownLists({ rules, servers, lists }) {
  const { several, servers: named } = JSON.parse(serversOf(rules, [], () => {}));
  const known = servers.map((server) => !several || named.some(({ name }) => name === server));
  return { servers: servers.filter((_, at) => known[at]), lists: lists.filter((_, at) => known[at]) };
}

function read({ subject, rules, servers, lists }, claims, presets) {
  const {
    primitives,
    roles: seen,
    unknown,
  } = JSON.parse(reading(subject, () => roles(rules, servers, lists, claims, presets)));
  const keyed = Object.fromEntries(KINDS.map((kind) => [kind, primitives[kind].map((one) => [keyOf(one), one])]));
  const visible = seen.map((role) => ({
    tools: role.tools.length,
    tokens: role.tokens,
    refused: role.refused,
    ...Object.fromEntries(KINDS.map((kind) => [`${kind}Seen`, new Map(role[kind].map((index) => keyed[kind][index]))])),
  }));
  return { visible, unknown };
}

/** A primitive is the same in both if its server and the server's name for it are. */
const keyOf = ({ server, id }) => JSON.stringify([server, id]);

function compareRole(role, [old, now], sides) {
  const [before, after] = sides.map(({ visible }) => visible[role.at]);
  const reasons = { left: MAX_REASONS };
  const comparison = { gains: [], losses: [], changes: [] };
  for (const kind of KINDS) {
    const [was, is] = [before[`${kind}Seen`], after[`${kind}Seen`]];
    for (const [key, one] of is) {
      const known = was.get(key);
      if (known === undefined)
        comparison.gains.push(entry(kind, one, why({ side: old, role, kind, refused: before.refused }, one, reasons)));
      else changed(kind, known, one, comparison.changes, () => rulesOn(now, role, kind, one, reasons));
    }
    for (const [key, one] of was)
      if (!is.has(key))
        comparison.losses.push(entry(kind, one, why({ side: now, role, kind, refused: after.refused }, one, reasons)));
  }
  const size = ({ tools, tokens }) => ({ tools, tokens });
  return { role: role.name, before: size(before), after: size(after), ...comparison };
}

const entry = (kind, { name, server }, why) => ({ kind, name, server, why });

/** Adds the difference of a primitive that both configurations show, if there is one. */
function changed(kind, was, is, into, rules) {
  const changes = differences(was, is);
  if (was.name === is.name && changes.length === 0) return;
  const renamed = was.name === is.name ? {} : { was: was.name };
  into.push({ kind, name: is.name, ...renamed, server: is.server, changes, why: rules() });
}

/** The members of two definitions that differ, the arguments one by one, and the tokens. */
function differences({ definition: was, tokens: before }, { definition: is, tokens: after }) {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => key !== "name");
  const changes = keys
    .filter((key) => !same(was[key], is[key]))
    .flatMap((key) => (key === "inputSchema" ? argumentsOf(was[key], is[key]) : [key]));
  return before === after || changes.length === 0 ? changes : [...changes, `${before} → ${after} tokens`];
}

/** The arguments that are new (`+name`), gone (`-name`) or have another schema (`~name`). */
function argumentsOf(was = {}, is = {}) {
  const [before, after] = [was.properties ?? {}, is.properties ?? {}];
  const signs = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [`+${name}`];
    if (!Object.hasOwn(after, name)) return [`-${name}`];
    return JSON.stringify(before[name]) === JSON.stringify(after[name]) ? [] : [`~${name}`];
  });
  return signs.length === 0 ? ["inputSchema"] : [`arguments ${signs.join(" ")}`];
}

/** Asks a configuration about a primitive of a role, by its name on its server. */
function ask(side, { claims }, kind, { server, id }, reasons) {
  if (reasons.left === 0) return undefined;
  reasons.left -= 1;
  const { rules: config, servers, lists } = side;
  const question = { config, servers, lists, filter: "{}", query: "", kind, name: id, claims };
  const { primitives } = JSON.parse(reading(side.subject, () => explain(question)));
  return { found: primitives.find((one) => one.server === server && one.id === id) };
}

/** Returns what hides a primitive from a role in a configuration, if it can be named. */
function why({ side, role, kind, refused }, one, reasons) {
  if (refused !== undefined) return refusal(refused);
  const answer = ask(side, role, kind, one, reasons);
  if (answer === undefined) return undefined;
  const { found } = answer;
  if (found === undefined) return `the server \`${one.server}\` is not in ${side.subject}`;
  if (found.hiddenBy !== undefined) return `\`rules[${found.hiddenBy}]\` hides it in ${side.subject}`;
  if (found.leftOut !== undefined) return found.leftOut;
  const policy = found.policies.findIndex(({ says }) => says === "hides");
  if (policy >= 0)
    return `the policy \`${found.policies[policy].name}\` (\`policies[${policy}]\`) hides it in ${side.subject}`;
  const preset = role.preset ?? found.presets.find(({ says }) => says === "hides")?.name;
  return preset === undefined ? undefined : `the preset \`${preset}\` leaves it out in ${side.subject}`;
}

/** Returns the rules that match a primitive in a configuration. */
function rulesOn(side, role, kind, one, reasons) {
  const rules = ask(side, role, kind, one, reasons)?.found?.rules ?? [];
  return rules.length === 0 ? undefined : rules.map((at) => `\`rules[${at}]\``).join(", ");
}
