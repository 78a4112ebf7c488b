// A server that speaks both revisions on one port with different SDKs, as servers do that added the newer revision
// later. Sessions run on SDK 1, where tools ask during a call. Stateless requests run on SDK 2, where those tools
// cannot ask. Stateless requests support completion, but `server/discover` does not announce it.
import { capabilities, startForeign } from "../foreign/server.mjs";
import { tools } from "../foreign/tools.mjs";
import { createSessions } from "./sessions.mjs";

const ASKING = [
  "test_sampling",
  "test_elicitation",
  "test_elicitation_sep1034_defaults",
  "test_elicitation_sep1330_enums",
];

/**
 * Serves the fixtures on a free port. Resolves with `{url, stop}`. `revisions`: the revisions that the server speaks.
 */
export function startReference({ revisions } = {}) {
  const { completions, ...discovered } = capabilities;
  const refuse = () => ({ content: [{ type: "text", text: "This tool needs a session." }], isError: true });
  const without = Object.fromEntries(ASKING.map((name) => [name, refuse]));
  return startForeign({ discovered, tools: { ...tools, ...without }, revisions, createSessions });
}
