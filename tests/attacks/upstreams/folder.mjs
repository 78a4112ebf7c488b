// Servers that open files of a real folder for the URIs that reach them, in every way that servers were seen to: each
// reply holds what any of the openers read.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import * as modern from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { start } from "../../support/foreign.mjs";
import { freePort } from "../../support/port.mjs";

export const SECRET = "TOP SECRET";
/** A file that no list mentions and no policy names. */
export const OUTSIDE = "OUTSIDE";

const python = fileURLToPath(new URL("../../../.tools/venv/bin/python", import.meta.url));
const program = fileURLToPath(new URL("folder.py", import.meta.url));

/** Makes the folder: `public/a` is open, `private/a` hidden, `outside` beside both. */
export function makeFolder(stage) {
  const root = mkdtempSync(join(tmpdir(), "sieve-folder-"));
  stage.defer(() => rmSync(root, { recursive: true, force: true }));
  for (const directory of ["public/x", "private"]) mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, "public/a"), "open a");
  writeFileSync(join(root, "private/a"), SECRET);
  writeFileSync(join(root, "outside"), OUTSIDE);
  return root;
}

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const pathname = (uri) => {
  try {
    return new URL(uri).pathname;
  } catch {
    return undefined;
  }
};
const withoutParameters = (path) => path.replace(/;[^/]*/g, "");
const file = (path) => path?.replace(/^file:\/\//i, "");

/** Returns every path that an opener of a URI tries. `variable` is what an SDK found for the template's variable. */
export function paths(root, uri, variable) {
  const found = new Set();
  const add = (path) => {
    if (typeof path !== "string") return;
    for (const again of [path, decoded(path), decoded(decoded(path)), decoded(decoded(decoded(path)))]) {
      found.add(again);
      found.add(posix.normalize(again));
      found.add(withoutParameters(again));
      found.add(pathname(`file://${posix.normalize(again)}`));
    }
  };
  for (const text of [uri, decoded(uri), decoded(decoded(uri))]) {
    add(file(text));
    add(file(text)?.split(/[?#]/)[0]);
    add(pathname(text));
  }
  if (variable !== undefined) for (const text of [variable, decoded(variable)]) add(join(root, "public", text));
  return [...found].filter((path) => typeof path === "string" && !path.includes("\0"));
}

/** Returns what the openers read, without repetitions. */
function opened(root, uri, variable) {
  const read = new Set();
  for (const path of paths(root, uri, variable)) {
    try {
      read.add(readFileSync(path, "utf8"));
    } catch {
      // Not every path is a file.
    }
  }
  if (read.size === 0) throw new Error("no such file");
  return [...read].join("\n");
}

const lists = (root) => ({
  resources: [
    { name: "open_a", uri: `file://${root}/public/a` },
    { name: "hidden_a", uri: `file://${root}/private/a` },
  ],
  resourceTemplates: [
    { name: "public", uriTemplate: `file://${root}/public/{+path}` },
    { name: "private", uriTemplate: `file://${root}/private/{+path}` },
  ],
});

/** Returns a stateless server on version 2 of the TypeScript SDK, which parses URIs and matches templates. */
export function templateServer(root) {
  const handler = modern.createMcpHandler(() => {
    const server = new modern.McpServer({ name: "folder", version: "1" });
    for (const { name, uri } of lists(root).resources)
      server.registerResource(name, uri, {}, async (asked) => ({
        contents: [{ uri: asked.href, text: opened(root, asked.href) }],
      }));
    for (const { name, uriTemplate } of lists(root).resourceTemplates)
      server.registerResource(
        name,
        new modern.ResourceTemplate(uriTemplate, { list: undefined }),
        {},
        async (asked, { path }) => ({
          contents: [{ uri: asked.href, text: opened(root, asked.href, name === "public" ? String(path) : undefined) }],
        }),
      );
    return server;
  });
  return { label: "files by SDK 2 and templates", fetch: (request) => handler.fetch(request) };
}

/** Returns a server with sessions on version 1 of the TypeScript SDK, which is given the URI as written. */
export function rawServer(root) {
  const sessions = new Map();
  const fetch = async (request) => {
    let transport = sessions.get(request.headers.get("mcp-session-id"));
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      const server = new Server({ name: "folder", version: "1" }, { capabilities: { resources: {} } });
      const { resources, resourceTemplates } = lists(root);
      server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
      server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
      server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
        contents: [{ uri, text: opened(root, uri) }],
      }));
      await server.connect(transport);
    }
    return transport.handleRequest(request);
  };
  return { label: "files by SDK 1 and the raw URI", fetch };
}

/** Starts a server on the Python SDK. */
export async function pythonServer(stage, root) {
  const port = await freePort();
  // The kernel ends the server when this process ends, even if it crashes.
  const args = ["--pdeathsig", "KILL", python, program, String(port), root];
  const server = await start(port, "setpriv", args, { signal: "SIGKILL" });
  stage.defer(() => server.stop());
  return { label: "files by the Python SDK", ...server };
}
