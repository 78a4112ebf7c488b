// A host in React, as a bundler takes it: what it is told from outside is its state, what it hears goes there.
import { StrictMode, createRef, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { Preferences, Sieve } from "mcp-sieve";
import { Host, catalogs } from "./host.jsx";

const sieves = catalogs.map((lists) => Sieve.compile(lists));
const preferences = new Preferences("https://mcp.example.com/mcp");
globalThis.heard = [];
const picker = (globalThis.picker = createRef());
globalThis.count = (filter) => sieves[0].count({ filter });

function App() {
  const [{ shown = true, at = 0, kept = false, ...state }, set] = useState({});
  globalThis.tell = (change) => set((state) => ({ ...state, ...change }));
  // What goes to the model: the tools that the filter of this host leaves.
  globalThis.sent = () => {
    const sieve = state.lists ? Sieve.compile(state.lists) : sieves[at];
    return sieve.names({ filter: state.filter ?? {} });
  };
  const hear = (filter) => {
    heard.push(filter);
    tell({ filter });
  };
  const budget = (budget) => heard.push({ budget });
  return (
    shown && (
      <Host
        sieve={state.lists ? undefined : sieves[at]}
        preferences={kept ? preferences : undefined}
        {...state}
        ref={picker}
        onBudget={budget}
        onChange={hear}
      />
    )
  );
}

const root = document.getElementById("root");
const app = (
  <StrictMode>
    <App />
  </StrictMode>
);
if (root.hasChildNodes()) hydrateRoot(root, app);
else createRoot(root).render(app);
globalThis.ready = true;
