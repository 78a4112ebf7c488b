// A server that speaks both revisions from one port, differently in each, as servers do that came to the newer one
// by a second SDK: sessions on SDK 1, where tools ask in the middle of a call, and stateless requests on SDK 2, where
// those tools have nothing to ask with. Stateless requests complete arguments, which they do not discover.
import { capabilities, startForeign } from "../foreign/server.mjs";
import { tools } from "../foreign/tools.mjs";
import { createSessions } from "./sessions.mjs";

const ASKING = [
  "test_sampling",
  "test_elicitation",
  "test_elicitation_sep1034_defaults",
  "test_elicitation_sep1330_enums",
];

/** Serves the fixtures on a port of its own choosing; `{url, stop}`. `revisions` are those that it speaks. */
export function startReference({ revisions } = {}) {
  const { completions, ...discovered } = capabilities;
  const refuse = () => ({ content: [{ type: "text", text: "This tool needs a session." }], isError: true });
  const without = Object.fromEntries(ASKING.map((name) => [name, refuse]));
  return startForeign({ discovered, tools: { ...tools, ...without }, revisions, createSessions });
}
