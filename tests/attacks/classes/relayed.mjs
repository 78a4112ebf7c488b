// Has a result passed on that the gateway should have looked at, and sends messages of others through the stream of a call:
// by the order and the spelling of members, by bodies that are no message, and by what carries them.
import { request } from "../../support/raw-client.mjs";
import { session } from "../client.mjs";
import { bodies, forbidden, own, streams, usual } from "../relayed/forms.mjs";
import { fault, receive } from "../relayed/verdict.mjs";
import { NOTHING, OWN_URI, WORLDS } from "../relayed/worlds.mjs";
import { at } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "results and streams passed on that should have been looked at";

const ACCEPT = ["application/json, text/event-stream", "text/event-stream, application/json", "application/json"];
/** Ids that clients may choose. */
const IDS = [(number) => number, (number) => `id-${number}`, (number) => `"\\${number}\u00e9\n`];
const TOKENS = [7, "seven"];
/** Maximum wait for a reply, in milliseconds. */
const PATIENCE_MS = 20_000;
/** Number of bodies and of streams for each client and configuration. */
const BODIES = [12, 60];
const STREAMS = [6, 40];
/** Number of calls at the same time. */
const TOGETHER = [12, 60];
const LISTS = {
  tools: [tool("open")],
  prompts: [{ name: "open" }],
  resources: [
    { uri: "doc://open", name: "open" },
    { uri: "doc://secret", name: "secret" },
  ],
};
const DIGEST = `sha256:${"0".repeat(64)}`;
const SKILLS = {
  ttlMs: 600_000,
  cacheScope: "public",
  skills: [
    {
      uri: OWN_URI,
      frontmatter: { name: "refunds", description: "d" },
      resources: [{ uri: OWN_URI, digest: DIGEST, size: 1 }],
    },
  ],
};

/** Returns the configurations with their servers. A server replies what `answers` has for the configuration. */
function worldsOf(answers) {
  return Object.fromEntries(
    Object.entries(WORLDS).map(([name, world], number) => {
      const reply = (params, { message: { id } }) =>
        answers[name](JSON.stringify(id), params._meta?.progressToken, params);
      const answer = {
        "tools/call": reply,
        "prompts/get": reply,
        "resources/read": reply,
        "skills/list": () => SKILLS,
      };
      const { sessions, config, extensions } = world;
      const behind = simple({ lists: LISTS, answer, sessions, capabilities: extensions && { extensions } });
      // A wrapped handler has no middleware.
      return [`world-${number}`, { name, world, behind, config, workerOnly: config?.middleware !== undefined }];
    }),
  );
}

/** Starts the fronts of each configuration. Behind a wrapped handler there is one server. */
async function frontsOf(stage, worlds) {
  const alone = Object.entries(worlds).filter(([, { world }]) => !world.several);
  const fronts = await stage.fronts(Object.fromEntries(alone));
  const other = { name: "other", url: await stage.served(simple({ lists: { tools: [tool("other")] } })) };
  for (const [name, { world, behind }] of Object.entries(worlds)) {
    if (!world.several) continue;
    const wiki = { name: "wiki", url: await stage.served(behind), prefix: "wiki_", prefixAll: true };
    const { urls } = await stage.workers([{ name, config: { upstreams: [wiki, other] } }]);
    fronts[name] = [at(urls[name], { name: "Worker, several servers" })];
  }
  return fronts;
}

/** Returns the reply of a connection that broke off before the head of the response was sent. */
function brokenOff(error) {
  if (error.cause?.code !== "UND_ERR_SOCKET") throw error;
  return { status: 0, headers: new Headers(), text: "", ended: false };
}

/** Returns functions that send a request of each revision. */
async function clientsOf(front, { capabilities = {} }) {
  const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
  // The client of a session would have to answer what it can be asked.
  const own = await session(front);
  const post = async (headers, body) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const sent = front.fetch("/mcp", { method: "POST", headers, body: JSON.stringify(body), signal });
    return sent.then(receive, brokenOff);
  };
  return {
    stateless: (method, params, { id, token, accept }) => {
      const { headers, body } = request(method, { ...params, _meta: { ...meta, progressToken: token } });
      return post({ ...headers, accept }, { ...JSON.parse(body), id });
    },
    session: (method, params, { id, token, accept }) =>
      post(
        { ...own.headers, accept },
        { jsonrpc: "2.0", id, method, params: { ...params, _meta: { progressToken: token } } },
      ),
  };
}

/** Returns the parameters of a request for a primitive of the server. */
function paramsOf(method, { uri = "doc://open", through }) {
  if (method === "resources/read") return { uri };
  const params = { name: "open", arguments: {} };
  return through === undefined ? params : { name: through, arguments: params };
}

/** Makes calls at the same time, each of which has to get its own result. */
async function* together(about, ask, expect, count) {
  expect((id, _, params) => own(id, params.arguments.number));
  const call = (_, number) => {
    const asked = { id: `together-${number}`, token: number, accept: ACCEPT[number % ACCEPT.length] };
    return ask("tools/call", { name: "open", arguments: { number } }, asked);
  };
  const replies = await Promise.all(Array.from({ length: count }, call));
  for (const [number, reply] of replies.entries()) {
    const found = [...new Set(reply.text.match(/of-call-\d+-/g))];
    const held = found.length === 1 && found[0] === `of-call-${number}-` && reply.text.includes(`together-${number}"`);
    yield tried(`${about}: call ${number} of ${count} at the same time`, held, `${found}: ${reply.text}`);
  }
}

export async function* attempt(stage, size, random) {
  const answers = {};
  const worlds = worldsOf(answers);
  const fronts = await frontsOf(stage, worlds);
  let sent = 0;
  for (const [key, { name, world }] of Object.entries(worlds)) {
    const { secrets = [], isPrivate } = world;
    for (const reply of secrets.length > 0 ? forbidden(world) : []) {
      const wrong = fault(await receive(reply), { id: 1, era: "stateless", secrets });
      yield control(
        `${name}: a reply that arrived as the server wrote it would be noticed`,
        wrong !== undefined,
        wrong,
      );
    }
    for (const front of fronts[key]) {
      for (const [era, ask] of Object.entries(await clientsOf(front, world))) {
        const about = `${front.name}, ${name}, ${era}`;
        const send = async ({ method, answer }, accept = random.pick(ACCEPT)) => {
          sent += 1;
          const asked = { id: IDS[sent % IDS.length](sent), token: TOKENS[sent % TOKENS.length], accept };
          answers[name] = answer;
          const reply = await ask(method, paramsOf(method, world), asked);
          return { reply, wrong: fault(reply, { ...asked, era, secrets, isPrivate }) };
        };
        const good = await send({ method: world.members[0].method, answer: usual }, ACCEPT[0]);
        const arrives = good.reply.text.includes(name === "hidden" ? "error" : "done") && good.wrong === undefined;
        yield control(`${about}: a good answer arrives`, arrives, `${good.wrong}: ${good.reply.text}`);
        for (const form of [...bodies(world, random, BODIES[size]), ...streams(world, random, STREAMS[size], era)]) {
          const { reply, wrong } = await send(form);
          const saw = `${wrong}: ${reply.status} ${reply.text}`;
          yield tried(`${about}: ${form.method} ${form.what}`, wrong === undefined, saw);
        }
        const expect = (answer) => {
          answers[name] = answer;
        };
        if (world.members.every(({ member }) => member === NOTHING))
          yield* together(about, ask, expect, TOGETHER[size]);
      }
    }
  }
}
