// The generations of the official TypeScript client: version 1, and version 2 in either revision.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const version2 = (mode) => ({ Client: Client2, Transport: Transport2, options: { versionNegotiation: { mode } } });

/** Client, transport and options of each generation, by its name. */
export const generations = {
  "version 1": { Client: Client1, Transport: Transport1, options: {} },
  "version 2, stateless": version2("auto"),
  "version 2, handshake": version2("legacy"),
};

/** Returns a client of a generation that is not connected. */
export const clientOf = ({ Client, options }, name = "host") => new Client({ name, version: "1" }, options);

/** Connects a client of a generation to a URL. `init` is the init of its transport. */
export async function connect(generation, url, init, name) {
  const client = clientOf(generation, name);
  await client.connect(new generation.Transport(new URL(url), init));
  return client;
}
