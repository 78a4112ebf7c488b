// @ts-check
// Code for the current selection, in several languages.
import { headers, message } from "./server.js";
import { KINDS } from "./kinds.js";
import { query } from "./state.js";
import { tokenFor } from "./tokens.js";

export const SNIPPETS = { curl: "curl", typescript: "TypeScript", python: "Python", rust: "Rust" };
/** Those that name the URL of the server. */
export const NEED_URL = ["curl", "typescript", "python"];

/** The URL of a server. A fragment is the page's own, and no part of a request. */
function urlOf(server) {
  const url = new URL(server?.url ?? "./mcp", location.href);
  url.hash = "";
  return url;
}

/** The URL of a server with a filter and, for clients that are listed tools in another way, the mode of disclosure. */
export function addressOf(server, filter, mode) {
  const address = urlOf(server);
  const own = address.search.slice(1);
  address.search = [own, query(filter), mode && `disclosure=${mode}`].filter(Boolean).join("&");
  return address.href;
}

/** Returns the headers of a list request, with their names. */
function headersOf(server, kind) {
  return Object.entries(headers(server, KINDS[kind].method));
}

export function snippet(name, { server, kind, filter }) {
  const { method, many } = KINDS[kind];
  const url = urlOf(server).href;
  const asked = message(server, method, Object.keys(filter).length ? { filter } : {});
  const shown = JSON.stringify(filter);
  const lister = `list${many.replace(/^./, (first) => first.toUpperCase())}`;
  const python = kind === "resourceTemplates" ? "list_resource_templates" : `list_${many}`;
  switch (name) {
    case "curl":
      return [
        `curl -s ${quoted(url)}`,
        "-H 'Content-Type: application/json'",
        "-H 'Accept: application/json, text/event-stream'",
        ...headersOf(server, kind).map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`),
        ...(tokenFor(url) === undefined ? [] : ['-H "Authorization: Bearer $TOKEN"']),
        `-d ${quoted(JSON.stringify(asked))}`,
      ].join(" \\\n  ");
    case "typescript":
      return `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { wrapClient } from "mcp-sieve";

const client = new Client({ name: "my-host", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)})));
const narrow = wrapClient(client, { filter: ${shown} });
const { ${kind} } = await narrow.${kind === "resourceTemplates" ? "listResourceTemplates" : lister}();
console.log(${kind}.map(({ ${KINDS[kind].id} }) => ${KINDS[kind].id}));
await client.close();`;
    case "python":
      return `import asyncio
from mcp.client.client import Client

async def main():
    async with Client(${JSON.stringify(addressOf(server, filter))}) as client:
        listed = await client.${python}()
        print([${kind === "resources" ? "str(one.uri)" : kind === "resourceTemplates" ? "one.uri_template" : "one.name"} for one in listed.${kind === "resourceTemplates" ? "resource_templates" : many}])

asyncio.run(main())`;
    case "rust":
      return `use mcp_sieve::{Caller, Config, Error, Filter, Sieve};

/// Returns the names that the filter keeps in the results of list requests.
fn names(lists: &str) -> Result<Vec<String>, Error> {
    let sieve = Sieve::compile(lists, &Config::default())?;
    let filter: Filter = ${rusty(shown)}.parse()?;
    let kept = sieve.view(&Caller::anonymous()).${{ resourceTemplates: "resource_templates" }[kind] ?? kind}(&filter)?;
    Ok(kept.names().map(str::to_owned).collect())
}`;
    default:
      return "";
  }
}

/** The list request of a choice, and the line with its method, path and headers, without the id of a session. */
export function requestOf({ server, kind, filter }) {
  const asked = message(server, KINDS[kind].method, Object.keys(filter).length ? { filter } : {});
  const shown = ([name, value]) => `${name}: ${name === "Mcp-Session-Id" ? "…" : value}`;
  const path = server ? ` ${urlOf(server).pathname}` : "";
  return { request: pretty(asked), headers: `POST${path}, with ${headersOf(server, kind).map(shown).join(", ")}` };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A raw string with as many signs as its text needs. */
function rusty(text) {
  const signs = "#".repeat(1 + Math.max(0, ...[...text.matchAll(/"(#*)/g)].map(([, signs]) => signs.length)));
  return `r${signs}"${text}"${signs}`;
}

// The request on few lines: what frames it on the first, then each member of each parameter.
function pretty({ params = {}, ...frame }) {
  const line = (part) => {
    if (Array.isArray(part)) return `[${part.map(line).join(", ")}]`;
    return Object(part) === part ? `{${members(part).join(", ")}}` : JSON.stringify(part);
  };
  const members = (object) => Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}: ${line(value)}`);
  const blocks = Object.entries(params).map(([key, value]) => `  "${key}": {\n    ${members(value).join(",\n    ")}}`);
  return blocks.length ? `${line(frame).slice(0, -1)}, "params": {\n${blocks.join(",\n")}}}` : line(frame);
}
