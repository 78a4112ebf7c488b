// Ten servers with a hundred tools each, on the official SDK, on one port: `/NAME` is the server NAME. Tools that
// refund ask their client first. `node offices.mjs NAME` runs the server NAME over stdio.
import { fileURLToPath } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ElicitResultSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startEndpoints } from "./session-endpoints.mjs";

const VERBS = ["list", "get", "create", "update", "delete", "archive", "share", "export", "merge", "refund"];
const NOUNS = {
  billing: ["invoice", "payment", "subscription", "discount", "tax", "receipt", "quote", "payout", "ledger", "plan"],
  calendar: ["meeting", "room", "holiday", "reminder", "slot", "invitation", "agenda", "shift", "deadline", "rota"],
  chat: ["channel", "message", "thread", "reaction", "emoji", "mention", "poll", "pin", "huddle", "status"],
  crm: ["lead", "contact", "account", "deal", "pipeline", "campaign", "segment", "territory", "forecast", "partner"],
  docs: ["page", "section", "comment", "template", "draft", "revision", "table", "footnote", "heading", "citation"],
  forge: ["issue", "pull_request", "branch", "commit", "release", "label", "milestone", "runner", "secret", "webhook"],
  mail: [
    "letter",
    "mailbox",
    "attachment",
    "signature",
    "folder",
    "alias",
    "newsletter",
    "bounce",
    "spam_rule",
    "digest",
  ],
  maps: ["route", "place", "tile", "layer", "marker", "trip", "stop", "region", "geofence", "survey"],
  shop: ["order", "cart", "product", "parcel", "warehouse", "voucher", "review", "supplier", "return", "shelf"],
  wiki: ["article", "category", "portal", "redirect", "infobox", "gallery", "stub", "glossary", "index", "talk"],
};
const words = (noun) => noun.replaceAll("_", " ");
const article = (noun) => (/^[aeiou]/.test(noun) ? "an" : "a");

const toolsOf = (office) =>
  NOUNS[office].flatMap((noun) =>
    VERBS.map((verb) => ({
      name: `${verb}_${noun}`,
      description: `${verb[0].toUpperCase()}${verb.slice(1)}s ${article(noun)} ${words(noun)} of the ${office} office.`,
      inputSchema: {
        type: "object",
        properties: { id: { type: "integer", description: `Number of the ${words(noun)}.` } },
        required: verb === "list" ? [] : ["id"],
      },
      annotations: { readOnlyHint: ["list", "get", "export"].includes(verb) },
    })),
  );

const QUESTION = {
  mode: "form",
  message: "Refund it?",
  requestedSchema: { type: "object", properties: { reason: { type: "string" } }, required: ["reason"] },
};

function serverOf(office) {
  const server = new Server({ name: office, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolsOf(office) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }, { sendRequest }) => {
    const said = `${office}: ${name} ${JSON.stringify(args ?? {})}`;
    if (!name.startsWith("refund_")) return { content: [{ type: "text", text: said }] };
    const { action, content } = await sendRequest(
      { method: "elicitation/create", params: QUESTION },
      ElicitResultSchema,
    );
    return { content: [{ type: "text", text: `${said}, ${action}: ${content?.reason}` }] };
  });
  return server;
}

const path = fileURLToPath(import.meta.url);
if (process.argv[1] === path) await serverOf(process.argv[2]).connect(new StdioServerTransport());

/** Returns the command that starts a server over stdio. */
export const commandOf = (office) => [process.execPath, path, office];

/** The names of the servers. */
export const OFFICES = Object.keys(NOUNS);

/** Starts the servers. `url(NAME)` returns the URL of one, and `stop()` ends them. */
export const startOffices = () => startEndpoints(NOUNS, serverOf);
