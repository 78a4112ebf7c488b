// Tools that a model scores for a search. One of them is hidden from every caller.

const tool = (name, description) => ({ name, description, inputSchema: { type: "object" } });

export const TOOLS = [
  tool("thermometer", "Reads a sensor. Twice, if need be."),
  tool("closed", "Thermostats of others"),
  { name: "send_mail", inputSchema: { type: "object" } },
];

export const CONFIG = {
  disclosure: { mode: "search" },
  policies: [{ name: "closed", show: "-name:closed" }],
};
