// A host whose picker loads the engine itself, beside a hook that does; nothing here waits for it.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { filterTools } from "mcp-sieve/init";
import { SievePicker, useSieve } from "mcp-sieve/react";
import { catalogs } from "./host.jsx";

const tools = catalogs[0].tools;
function App() {
  const [{ filter, at = 0, shown = true, config }, set] = useState({});
  globalThis.tell = (change) => set((state) => ({ ...state, ...change }));
  globalThis.renders = (globalThis.renders ?? 0) + 1;
  // Written in place, as hosts do: new objects in every render.
  const made = tools.map((tool) => ({ ...tool }));
  const { sieve, error } = useSieve({ tools: made }, { rules: [{ match: "name:merge", groups: ["code"] }] });
  const chosen = sieve ? filterTools(tools, sieve, { filter }) : tools;
  return (
    <main>
      <h1>A host</h1>
      <p>{error ? `${error.code}: ${error.message}` : chosen.map(({ name }) => name).join(" ")}</p>
      {shown && (
        <SievePicker
          lists={{ tools: catalogs[at].tools }}
          config={config}
          filter={filter}
          onChange={(filter) => tell({ filter })}
        />
      )}
    </main>
  );
}
createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
