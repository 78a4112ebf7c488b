// A Streamable HTTP server of the handshake revision on the official SDK, with one endpoint for each world. It returns
// the lists of the world, in pages if the world says so, and predictable results.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { startEndpoints } from "./session-endpoints.mjs";
import { EXTENSION, filesOf, serveSkills } from "./skills.mjs";

const LISTS = [
  ["tools", ListToolsRequestSchema],
  ["resources", ListResourcesRequestSchema],
  ["resourceTemplates", ListResourceTemplatesRequestSchema],
  ["prompts", ListPromptsRequestSchema],
];

/** Returns an error that is sent unchanged. The SDK's own class would write its code into the message. */
function refusal(code, message, data) {
  return Object.assign(new Error(message), { code, data });
}

/** Returns the pattern of a template such as `log://{day}`, in which a variable matches one segment of a path. */
function pattern(template) {
  const literal = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(
    `^${template
      .split(/\{[^}]*\}/)
      .map(literal)
      .join("[^/]+")}$`,
  );
}

/** Returns the primitives of a world by the member that lists them, over all its pages. */
function gather(lists) {
  const results = [lists].flat().map((list) => list.result ?? list);
  return Object.fromEntries(
    [...LISTS.map(([key]) => key), "skills"].map((key) => [key, results.flatMap((result) => result[key] ?? [])]),
  );
}

async function call({ params }, extra) {
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const result = { content: [{ type: "text", text: `called ${name} with ${JSON.stringify(args)}` }] };
  if (name === "refuse") throw refusal(-31999, "no such luck", { why: "the upstream server says so" });
  if (name === "reject") throw refusal(-32602, "no such offer", args.why === undefined ? undefined : { why: args.why });
  if (name === "stumble") {
    return {
      ...result,
      isError: true,
      structuredContent: { knee: "scraped" },
      _meta: { "vendor/seen": meta["vendor/trace"] ?? "" },
    };
  }
  if (name === "narrate" && meta.progressToken !== undefined) {
    await extra.sendNotification({
      method: "notifications/progress",
      params: { progressToken: meta.progressToken, progress: 1, total: 2 },
    });
  }
  return result;
}

function serverOf({ lists, pages = Infinity, completions = true, unlistedSkills = [], says = {} }) {
  const listed = gather(lists);
  const skilled = [lists].flat().some((list) => (list.result ?? list).skills);
  const skills = [...listed.skills, ...unlistedSkills];
  const reads = listed.resources.length + listed.resourceTemplates.length > 0 || skilled;
  const list = { listChanged: true, subscribe: true };
  const announced = { tools: list, resources: list, prompts: list, logging: {}, tasks: {}, ...says.capabilities };
  const has = { tools: listed.tools.length > 0, resources: reads, prompts: listed.prompts.length > 0, completions };
  const capabilities = Object.fromEntries(
    Object.entries({ completions: {}, ...announced }).filter(([name, value]) => value && (has[name] ?? true)),
  );
  if (skilled) capabilities.extensions = { [EXTENSION]: { directoryRead: true } };
  const { serverInfo = { name: "behind", version: "1" }, instructions } = says;
  const server = new Server(serverInfo, { capabilities, instructions });
  server.fallbackRequestHandler = async ({ method, params: { _meta, ...params } = {} }) => {
    if (!method.startsWith("com.example/")) throw refusal(-32601, "Method not found");
    if (params.fail) throw refusal(-31998, "no preview", { "com.example/why": [1.5] });
    return { method, params, _meta: { "com.example/mark": [1, 2] } };
  };

  const owner = { tools: "tools", resources: "resources", resourceTemplates: "resources", prompts: "prompts" };
  for (const [key, schema] of LISTS) {
    if (!has[owner[key]]) continue;
    server.setRequestHandler(schema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const to = from + pages;
      const more = to < listed[key].length ? { nextCursor: String(to) } : {};
      return { [key]: listed[key].slice(from, to), ...more };
    });
  }
  if (has.tools) server.setRequestHandler(CallToolRequestSchema, call);
  if (skilled) serveSkills(server, refusal, listed.skills, unlistedSkills, pages);
  if (has.prompts) {
    server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: args = {} } }) => ({
      messages: [{ role: "user", content: { type: "text", text: `prompt ${name} with ${JSON.stringify(args)}` } }],
    }));
  }
  if (has.resources) {
    const known = [
      (asked) => filesOf(skills).includes(asked),
      ...listed.resources.map(
        ({ uri }) =>
          (asked) =>
            asked === uri,
      ),
      ...listed.resourceTemplates.map(
        ({ uriTemplate }) =>
          (asked) =>
            pattern(uriTemplate).test(asked),
      ),
    ];
    server.setRequestHandler(SubscribeRequestSchema, () => ({}));
    server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
      // Some servers report missing resources with their own message.
      if (uri.startsWith("vague:")) throw refusal(-32602, "no good");
      if (!known.some((is) => is(uri))) throw refusal(-32002, `nothing at ${uri}`, { uri });
      return { contents: [{ uri, text: `read ${uri}` }] };
    });
  }
  if (has.completions) {
    server.setRequestHandler(
      CompleteRequestSchema,
      ({
        params: {
          argument: { value },
        },
      }) => ({
        completion: { values: [`${value}-one`, `${value}-two`], total: 2, hasMore: false },
      }),
    );
  }
  return server;
}

/** Serves `worlds` (name → `{lists, pages?, completions?}`), each at `/NAME`, on a free port. */
export const startUpstream = (worlds) => startEndpoints(worlds, (name) => serverOf(worlds[name]));
