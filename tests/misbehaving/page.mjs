// The page about misbehaving servers, and the record that it shows.
import { readFileSync } from "node:fs";
import { tablesOf } from "./results.mjs";
import { FORMS } from "./forms/index.mjs";

export const RECORD = new URL("results.json", import.meta.url);
export const PAGE = new URL("../upstream/README.md", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const python = /^python_mcp=(.+)$/m.exec(readFileSync(new URL("../../scripts/common", import.meta.url), "utf8"))[1];
const versions = {
  "`v1`": `\`@modelcontextprotocol/sdk\` ${manifest.devDependencies["@modelcontextprotocol/sdk"]}`,
  "`v2`": `\`@modelcontextprotocol/client\` ${manifest.devDependencies["@modelcontextprotocol/client"]}`,
  "`v2 auto`": "the same, with the negotiation of the stateless revision",
  "`Python`": `\`mcp\` ${python}, with \`initialize\``,
  "`Python auto`": "the same, with the negotiation of the stateless revision",
};

/** Returns what is recorded of all forms. */
export const recorded = () => JSON.parse(readFileSync(RECORD, "utf8"));

/** Returns the text of the page. */
export const pageText = (record) => `# Upstream servers that misbehave

The tests in this folder run the gateway in front of servers in Rust. This page is about servers that deviate from the protocol. It
shows what the official clients accept of ${FORMS.length} forms of misbehaviour, and what the commands of the npm package do. What
an official client lists, the gateway lists too. Where it does not, the last column gives the reason.

| client | what it is |
|---|---|
${Object.entries(versions)
  .map(([name, about]) => `| ${name} | ${about} |`)
  .join("\n")}

Every server is correct except for one thing. It has two tools, resources, templates and prompts, unless its form is about them. A
cell has a letter for each list and for a call of a tool: \`T\` tools, \`R\` resources, \`M\` templates, \`P\` prompts, \`C\` the call.
A small letter is a part of a list, \`·\` none of it, and \`–\` a client that does not connect. \`init\` reads addresses only, and its cell
says whether it accepts the server. \`dev\` and \`run\` are asked by clients of both revisions, and a cell shows what both receive.

\`tests/misbehaving/forms\` has the forms, and \`tests/misbehaving.test.mjs\` runs some of them in every build. \`make misbehaving\` runs
all of them and writes this page (\`ONLY=pattern\` some of them, \`CLIENTS=keep\` at the commands alone).

${tablesOf(record)}`;
