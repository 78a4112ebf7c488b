// One of the company's servers over stdio: `node stdio-server.mjs NAME`. Those at even places of `LISTS` are on SDK 2, the others
// on SDK 1. `mail` does not start without its token.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { LISTS, legacyServer, modernServer } from "./servers.mjs";

const [name] = process.argv.slice(2);
if (name === "mail" && process.env.MAIL_TOKEN !== "s3cret") {
  process.stderr.write("MAIL_TOKEN is not valid\n");
  process.exit(1);
}
if (Object.keys(LISTS).indexOf(name) % 2 === 0) serveStdio(() => modernServer(name));
else await legacyServer(name).connect(new StdioServerTransport());
