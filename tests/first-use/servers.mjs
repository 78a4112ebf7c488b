// Twelve MCP servers of a company, half on each generation of the official SDK. They have the faults of real servers:
// names that two servers share, members that are `null`, a tool that no client accepts.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as modern from "@modelcontextprotocol/server";
import { Server as LegacyServer } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/** One tool per line: its name, `r` (reads), `w` (writes) or `d` (destroys), and its description. */
const TOOLS = {
  forge: `
    list_repositories r Lists the repositories of a team.
    get_repository r Returns one repository with its default branch.
    create_repository w Creates an empty repository.
    delete_repository d Deletes a repository and its history.
    list_branches r Lists the branches of a repository.
    create_branch w Creates a branch from a commit.
    list_files r Lists the files of a folder at a commit.
    get_file r Returns the text of a file at a commit.
    search r Searches code in all repositories.
    list_pull_requests r Lists the open pull requests of a repository.
    merge_pull_request w Merges a pull request that was approved.`,
  tickets: `
    list_tickets r Lists tickets by state and assignee.
    get_ticket r Returns a ticket with its comments.
    create_ticket w Opens a ticket.
    update_ticket w Changes the title, state or assignee of a ticket.
    close_ticket w Closes a ticket with a reason.
    delete_ticket d Deletes a ticket and its comments.
    add_comment w Adds a comment to a ticket.
    list_comments r Lists the comments of a ticket.`,
  wiki: `
    search r Searches the pages of the wiki.
    get_page r Returns a page as Markdown.
    create_page w Creates a page below another.
    update_page w Replaces the text of a page.
    delete_page d Moves a page to the bin.
    list_pages r Lists the pages of a space.`,
  mail: `
    search r Searches messages by sender, subject and text.
    get_message r Returns a message without its attachments.
    send_message w Sends a message.
    draft_message w Saves a draft.
    delete_message d Deletes a message for good.
    list_folders r Lists the folders of a mailbox.`,
  calendar: `
    list_events r Lists events between two dates.
    get_event r Returns an event with its guests.
    create_event w Creates an event and invites its guests.
    delete_event d Cancels an event.
    find_free_time r Finds times at which all guests are free.`,
  crm: `
    list_customers r Lists customers by region.
    get_customer r Returns a customer with contracts and contacts.
    create_customer w Creates a customer.
    merge_customers w Merges two records of one customer.
    delete_customer d Deletes a customer.
    list_contracts r Lists the contracts of a customer.`,
  billing: `
    list_invoices r Lists invoices by state.
    get_invoice r Returns an invoice with its lines.
    create_invoice w Drafts an invoice.
    send_invoice w Sends an invoice to its customer.
    refund_payment d Pays a payment back.
    list_payments r Lists payments of an invoice.`,
  files: `
    list_files r Lists the files of a shared folder.
    get_file r Returns a file that holds text.
    upload_file w Uploads a file.
    share_file w Gives a colleague access to a file.
    delete_file d Deletes a file for good.`,
  maps: `
    geocode r Returns the coordinates of an address.
    route r Returns the way between two places.
    places_nearby r Lists places of a kind around a point.`,
  news: `
    get_news r Returns headlines about a topic.
    list_sources r Lists the newspapers that are searched.`,
  metrics: `
    query_metrics r Runs a query over time series.
    list_dashboards r Lists dashboards.
    create_alert w Creates an alert on a query.
    delete_alert d Deletes an alert.`,
  people: `
    get_news r Returns announcements for employees.
    find_colleague r Finds a colleague by name or team.
    get_org_chart r Returns who reports to whom.
    request_leave w Requests days off.`,
};

const HINTS = {
  r: { readOnlyHint: true },
  w: { readOnlyHint: false },
  d: { readOnlyHint: false, destructiveHint: true },
};
const inputSchema = {
  type: "object",
  properties: { query: { type: "string", description: "What to look for, or an identifier." } },
};

function toolsOf(lines) {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [, name, kind, description] = /^\s*(\w+) ([rwd]) (.*)$/.exec(line);
      return { name, description, inputSchema, annotations: HINTS[kind] };
    });
}

/** Adds `null` for each absent member, as some libraries do. */
const withNulls = (tool) => ({
  ...tool,
  title: null,
  outputSchema: null,
  icons: null,
  _meta: null,
  annotations: { ...tool.annotations, title: null, idempotentHint: null },
});
/** A tool that the schema of every revision rejects. */
const BROKEN = { name: "export_everything", description: "Exports all series.", inputSchema: "none" };
const CHANGED = {
  crm: (tools) => tools.map(withNulls),
  billing: (tools) => tools.map(withNulls),
  metrics: (tools) => [...tools, BROKEN],
};

/** The list of each server, exactly as it is returned. */
export const LISTS = Object.fromEntries(
  Object.entries(TOOLS).map(([name, lines]) => [name, (CHANGED[name] ?? ((tools) => tools))(toolsOf(lines))]),
);
/** Number of tools of all servers that a client can use. */
export const USABLE = Object.values(LISTS).flat().length - 1;

const answer = (server, name) => ({ content: [{ type: "text", text: `${server} did ${name}` }] });

/** Returns a server on SDK 2. */
export function modernServer(name) {
  const server = new modern.Server(
    { name, title: `The ${name} server`, version: "1.0.0" },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: LISTS[name] }));
  server.setRequestHandler("tools/call", ({ params }) => answer(name, params.name));
  return server;
}

/** Returns a server on SDK 1. */
export function legacyServer(name) {
  const server = new LegacyServer(
    { name, title: `The ${name} server`, version: "1.0.0" },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTS[name] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(name, params.name));
  return server;
}

/** Returns a `fetch` handler of the stateless revision, on SDK 2. */
function stateless(name) {
  const handler = modern.createMcpHandler(() => modernServer(name));
  return (request) => handler.fetch(request);
}

/** Returns a `fetch` handler with sessions, on SDK 1. */
function withSessions(name) {
  const sessions = new Map();
  return async (request) => {
    let transport = sessions.get(request.headers.get("mcp-session-id"));
    if (transport === undefined) {
      // After a restart, all sessions are unknown, and the client must open another.
      if (request.headers.has("mcp-session-id")) return new Response(null, { status: 404 });
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await legacyServer(name).connect(transport);
    }
    return transport.handleRequest(request);
  };
}

/** Serves a `fetch` handler on loopback. Resolves with its port and `stop`. */
export async function serve(handle, port = 0) {
  const http = createServer(async (incoming, outgoing) => {
    const body = incoming.method === "GET" || incoming.method === "HEAD" ? undefined : Readable.toWeb(incoming);
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      body,
      duplex: "half",
    });
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) return outgoing.end();
    // A client that disconnects ends its stream early.
    await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => {});
  }).listen(port, "127.0.0.1");
  await once(http, "listening");
  const stop = async () => {
    http.closeAllConnections();
    await new Promise((done) => http.close(done));
  };
  return { port: http.address().port, stop };
}

/**
 * Starts all twelve. `urls` has their URLs by name. `down(name)` and `up(name)` stop and restart one, which loses its
 * sessions. `stop()` ends all.
 */
export async function startCompany() {
  const start = (name, at, port) => serve((at % 2 === 0 ? stateless : withSessions)(name), port);
  const names = Object.keys(LISTS);
  const running = Object.fromEntries(await Promise.all(names.map(async (name, at) => [name, await start(name, at)])));
  return {
    urls: Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${running[name].port}/mcp`])),
    down: (name) => running[name].stop(),
    up: async (name) => {
      running[name] = await start(name, names.indexOf(name), running[name].port);
    },
    stop: () => Promise.all(Object.values(running).map((server) => server.stop())),
  };
}
