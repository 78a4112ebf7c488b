// Results with a member for which the gateway has to look at them, at places where it is easily missed.

const PAD = "x".repeat(70_000);
const LONG_PAD = "x".repeat(300_000);
const block = (text) => `{"type":"text","text":${JSON.stringify(text)}}`;

/** The members of a result that nothing has to look at. */
export const REST = {
  "tools/call": `"content":[${block("done")}]`,
  "prompts/get": `"messages":[{"role":"user","content":${block("done")}}]`,
  "resources/read": `"contents":[{"uri":"doc://open","text":"done"}]`,
};
const padded = (method, pad) => REST[method].replace("done", `done${pad}`);

/** Escapes the second letter of a key. Parsers read the same key. */
const escaped = (member) =>
  member.replace(/^"(.)(.)/, (_, first, second) => `"${first}\\u00${second.charCodeAt(0).toString(16)}`);

/**
 * Returns results of a method by where they have a member. `member` is its text, and `harmless` the text of the same member
 * with a value that nothing has to look at. `content` states that the member replaces the content.
 */
export function placed(method, { member, harmless, content }) {
  const rest = content ? `"x":"done"` : REST[method];
  const long = (pad) => (content ? `"x":"done${pad}"` : padded(method, pad));
  // With both, a result is complete in the stateless revision, and nothing but the member keeps it from passing.
  const info = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"own","version":"1"}}';
  const meta = member.includes('"resultType"') ? info : `"resultType":"complete",${info}`;
  const all = {
    "at the beginning": `{${member},${rest},${meta}}`,
    "at the end": `{${rest},${meta},${member}}`,
    "behind 70 KB": `{${long(PAD)},${meta},${member}}`,
    "behind 300 KB": `{${long(LONG_PAD)},${member},${meta}}`,
    "before 70 KB": `{${member},${long(PAD)},${meta}}`,
    "under an escaped key": `{${escaped(member)},${rest},${meta}}`,
    "under an escaped key, behind 70 KB": `{${long(PAD)},${meta},${escaped(member)}}`,
    "behind white space": `{ \n\t${rest} , ${member.replace(":", " \r\n: ")} , ${meta} }`,
    "behind a text with its key": `{"y":${JSON.stringify(member.slice(0, member.indexOf(":") + 2))},${rest},${meta},${member}}`,
    "behind a member with brackets": `{"y":"}]}\\\\","z":[{"a":[]},"]"],${rest},${meta},${member}}`,
    alone: `{${rest},${member}}`,
  };
  if (harmless === undefined) return all;
  return {
    ...all,
    "behind another value": `{${harmless},${rest},${meta},${member}}`,
    "behind another value, under an escaped key": `{${harmless},${rest},${meta},${escaped(member)}}`,
    "behind another value and 70 KB": `{${harmless},${long(PAD)},${meta},${member}}`,
  };
}
