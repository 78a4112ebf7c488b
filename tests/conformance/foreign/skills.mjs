// Skills for a server on the official TypeScript SDK: one with files and one in its directory, and one that is
// generated.
import { createHash } from "node:crypto";
import { ProtocolError } from "@modelcontextprotocol/server";
import { EXTENSION, filesOf, serveSkills } from "../../support/skills.mjs";

const main = (name, description) => `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;
const ROOT = "skill://acme/refunds";
const contents = new Map([
  [`${ROOT}/SKILL.md`, main("refunds", "Pays money back by the rules of the shop")],
  [`${ROOT}/templates/letter.md`, "Dear customer,\n"],
  [`${ROOT}/templates/regional/eu.md`, "Dear customer in Europe,\n"],
  [`${ROOT}/escalation/SKILL.md`, main("escalation", "Hands a refund to a person")],
  ["skill://reports/daily/SKILL.md", main("daily", "Writes the report of the day")],
]);

const file = (uri) => ({
  uri,
  digest: `sha256:${createHash("sha256").update(contents.get(uri)).digest("hex")}`,
  size: Buffer.byteLength(contents.get(uri)),
});
function skill(root, resources) {
  const [, name, description] = /name: (.*)\ndescription: (.*)\n/.exec(contents.get(`${root}/SKILL.md`));
  return { uri: `${root}/SKILL.md`, frontmatter: { name, description }, resources };
}
const inside = (root) => [...contents.keys()].filter((uri) => uri.startsWith(`${root}/`)).map(file);

export const SKILLS = [
  skill(ROOT, inside(ROOT)),
  skill(`${ROOT}/escalation`, inside(`${ROOT}/escalation`)),
  skill("skill://reports/daily", "dynamic"),
];

/** The main files, as `resources/list` returns them. */
export const resources = SKILLS.map(({ uri, frontmatter }) => ({ uri, ...frontmatter, mimeType: "text/markdown" }));

export const extensions = { [EXTENSION]: { directoryRead: true } };

/** Returns the file at a URI as `resources/read` does, or `undefined` if it is not a file of a skill. */
export const read = (uri) =>
  filesOf(SKILLS).includes(uri)
    ? { contents: [{ uri, mimeType: "text/markdown", text: contents.get(uri) }] }
    : undefined;

/** Registers the methods of the extension at a server. */
export const serve = (server) =>
  serveSkills(
    {
      setRequestHandler: ({ shape: { method, params } }, answer) =>
        server.setRequestHandler(method.value, { params: params.unwrap() }, (asked) => answer({ params: asked })),
    },
    (code, message) => new ProtocolError(code, message),
    SKILLS,
  );
