// What a server renders and a page takes over.
import { forwardRef } from "react";
import { SievePicker } from "mcp-sieve/react";

const tool = (name, groups) => ({ name, groups, inputSchema: { type: "object" } });
export const catalogs = [
  {
    tools: [tool("send", ["mail"]), tool("read", ["mail"]), tool("merge", ["code"])],
    prompts: [{ name: "triage", groups: ["mail"] }],
  },
  { tools: [tool("send", ["mail"]), tool("fly", ["travel"])] },
];

export const Host = forwardRef((properties, ref) => (
  <main>
    <h1>A host</h1>
    <SievePicker name="filter" className="wide" aria-label="Which tools" {...properties} ref={ref} />
  </main>
));
