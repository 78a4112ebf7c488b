// Sends the same requests to two gateways. The upstream server of one lists hidden primitives among the others, that of
// the other does not. Every byte of the responses must be equal.
import { parallel } from "../parallel.mjs";
import { difference, shape } from "../pairs.mjs";
import { read, session, stateless } from "../client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "catalogs with and without hidden items told apart";

const WORDS = ["issue", "label", "note", "ticket", "milestone", "secret", "wombat", "classified"];
const open = (name, more) => [name, { description: `Handles each ${name.split("_")[1]} of a project`, ...more }];
const OPEN = [
  open("create_issue"),
  open("list_issue", { annotations: { readOnlyHint: true } }),
  open("delete_label", { annotations: { destructiveHint: true } }),
  open("list_label"),
  open("take_note"),
  open("close_ticket"),
];
const HIDDEN = [
  ["secret_issue", { description: "A classified wombat closes each issue", annotations: { readOnlyHint: true } }],
  ["secret_note", { description: "classified" }],
  ["secret_label", { title: "Secret label" }],
];
const lists = (entries) => ({
  tools: entries.map(([name, more]) => tool(name, more)),
  prompts: entries.map(([name, { description }]) => ({ name, description })),
  resources: entries.map(([name, { description }]) => ({ uri: `doc://${name}`, name, description })),
  resourceTemplates: entries.map(([name]) => ({ uriTemplate: `tpl://${name}/{id}`, name })),
});
const WITH = lists([HIDDEN[0], ...OPEN.slice(0, 3), HIDDEN[1], ...OPEN.slice(3), HIDDEN[2]]);
const WITHOUT = lists(OPEN);

const COMMON = {
  groups: [{ name: "issues", title: "Issues" }, { name: "issues/closed", parent: "issues" }, { name: "labels" }],
  tags: [{ name: "read" }],
  concerns: [{ name: "cost", values: ["low", "high"], default: "low" }],
  rules: [
    { match: "name:*_issue", groups: ["issues"] },
    { match: "name:*_label", groups: ["labels"], concerns: { cost: "high" } },
    { match: "annotation.readOnlyHint=true", tags: ["read"] },
    { match: "name:secret_*", groups: ["issues/closed"] },
  ],
  pageSize: 3,
  filtering: { explain: true },
};
const HIDING = {
  policy: { policies: [{ name: "open", show: "-name:secret_* or claim.role:hr" }] },
  preset: { presets: [{ name: "strangers", when: "-claim.role:hr", filter: { where: "-name:secret_*" } }] },
  rule: { rules: [...COMMON.rules, { match: "name:secret_*", hide: true }] },
};
const COUNT = [40, 250];

function filterOf(random) {
  const parts = {
    groups: () =>
      random.shuffle(["issues", "labels", "issues/closed", "nothing", "secret"]).slice(0, 1 + random.below(2)),
    tags: () => [random.pick(["read", "secret", "write"])],
    concerns: () => ({ cost: random.pick(["low", "high", "none"]) }),
    not: () => ({ groups: [random.pick(["issues", "labels"])] }),
    namePatterns: () => [random.pick(["*_issue", "secret*", "*secret*", "s*", "*", "?ecret_*", "create_issue"])],
    uriPatterns: () => [random.pick(["doc://*", "doc://secret*", "*", "tpl://*"])],
    where: () =>
      random.pick([
        "name:secret*",
        "description:*wombat*",
        "-name:create*",
        "annotation.readOnlyHint=true",
        "group:issues",
        "kind:tool",
        "title:*",
      ]),
    query: () =>
      random
        .shuffle(WORDS)
        .slice(0, 1 + random.below(3))
        .join(" "),
    limit: () => random.pick([{ count: 1 + random.below(5) }, { tokens: 10 + random.below(300) }]),
  };
  const names = random.shuffle(Object.keys(parts)).slice(0, random.below(4));
  return Object.fromEntries(names.map((name) => [name, parts[name]()]));
}

/** Returns a random request, as an attacker would invent it. */
function invent(random) {
  const [missing, kind] = [
    `${random.pick(["secret", "secrit", "create", "delete"])}_${random.pick(["issue", "label", "note", "isue"])}`,
    random.pick(["tool", "prompt", "resource"]),
  ];
  return random.pick([
    () => [
      random.pick(["tools/list", "resources/list", "prompts/list", "resources/templates/list"]),
      { filter: filterOf(random), ...(random.chance(0.2) ? { fields: ["name"] } : {}) },
    ],
    () => [
      random.pick(["groups/list", "tags/list"]),
      { counts: random.chance(0.7), ...(random.chance(0.3) ? { parent: random.pick([null, "issues"]) } : {}) },
    ],
    () => ["listConcerns", { counts: true }],
    () => ["tools/call", { name: missing, arguments: {} }],
    () => ["prompts/get", { name: missing }],
    () => ["completion/complete", { ref: { type: "ref/prompt", name: missing }, argument: { name: "a", value: "b" } }],
    () => [
      "completion/complete",
      { ref: { type: "ref/resource", uri: `tpl://${missing}/{id}` }, argument: { name: "id", value: "b" } },
    ],
    () => ["resources/subscribe", { uri: `doc://${missing}` }],
    () => ["dev.mcpsieve/explain", { name: missing, kind, filter: filterOf(random) }],
    () => ["server/discover", {}],
  ])();
}

/**
 * Returns a reply as text, following its cursors for at most six pages. Cursors are sealed and differ, so they are
 * removed.
 */
async function pages(ask, method, params) {
  const seen = [];
  for (let cursor; seen.length < 6; ) {
    const reply = await ask(method, cursor === undefined ? params : { ...params, cursor });
    seen.push(shape(reply).replace(/"nextCursor":"[^"]*"/g, '"nextCursor":""'));
    cursor = reply.message?.result?.nextCursor;
    if (cursor === undefined) break;
  }
  return seen.join("\n");
}

export async function* attempt(stage, size, random) {
  const people = { "hr-token": { sub: "h", role: "hr" }, "plain-token": { sub: "p" } };
  const worlds = {};
  for (const [how, config] of Object.entries(HIDING)) {
    for (const sessions of [false, true]) {
      const era = sessions ? "sessions" : "stateless";
      // A missing resource is requested from the upstream server, which another class attacks. Here unlisted URIs are
      // not forwarded.
      const settled = { ...COMMON, ...config, upstream: { ttlMs: 600_000, unlisted: false } };
      for (const [world, content] of [
        ["with", WITH],
        ["without", WITHOUT],
      ]) {
        worlds[`${how}-${era}-${world}`] = {
          behind: simple({ label: `${how}, ${era}`, lists: content, sessions }),
          config: settled,
          people,
          options: { catalog: "/catalog" },
        };
      }
    }
  }
  const fronts = await stage.fronts(worlds);
  for (const name of Object.keys(worlds).filter((name) => name.endsWith("-with"))) {
    for (const [at, front] of fronts[name].entries()) {
      const twin = fronts[`${name}out`][at];
      const pair = (make) => Promise.all([front, twin].map(make));
      const clients = {
        stateless: await pair((place) => stateless(place)),
        session: await pair((place) => session(place)),
        "2025-03-26": await pair((place) => session(place, { revision: "2025-03-26" })),
        token: await pair((place) => stateless(place, { token: "plain-token" })),
      };
      if (!name.startsWith("rule")) {
        const [one, other] = await Promise.all(
          [front, twin].map((place) => pages(stateless(place, { token: "hr-token" }), "tools/list", {})),
        );
        yield control(`${front.name}: the role tells the worlds apart`, one !== other, one);
      } else {
        const [one, other] = await Promise.all(
          [front, twin].map((place) =>
            pages(stateless(place), "tools/list", { filter: { namePatterns: [place === twin ? "none" : "create*"] } }),
          ),
        );
        yield control(`${front.name}: different lists are told apart`, one !== other, one);
      }
      const requests = Array.from({ length: COUNT[size] }, () => [
        random.pick(Object.entries(clients)),
        invent(random),
      ]);
      yield* parallel(requests, async ([[client, asks], [method, params]]) => {
        const [one, other] = await Promise.all(asks.map((ask) => pages(ask, method, params)));
        return tried(
          `${front.name}, ${client}: ${method} ${JSON.stringify(params)}`,
          one === other,
          difference(one, other),
        );
      });
      for (const path of [
        "/catalog/tools",
        "/catalog/prompts?q=name:secret*",
        "/catalog/resources?namePatterns=secret*",
        "/catalog/tools?groups=issues&query=wombat",
      ]) {
        for (const method of ["GET", "HEAD", "OPTIONS"]) {
          const [one, other] = (
            await Promise.all(
              [front, twin].map(async (place) => shape(await read(await place.fetch(path, { method })))),
            )
          ).map(String);
          yield tried(`${front.name}: ${method} ${path}`, one === other, difference(one, other));
        }
      }
    }
  }
}
