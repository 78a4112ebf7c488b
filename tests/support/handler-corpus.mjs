// The rows of fixtures/protocol that concern a handler in JavaScript, and what is done with one.
import assert from "node:assert/strict";
import { checkReply } from "./protocol-check.mjs";
import { Talk } from "./protocol-talk.mjs";
import { protocolRows, serverInfoOf, world } from "./protocol-worlds.mjs";

/** The catalog of server cards belongs to the application, which answers outside the handler's path. */
const CATALOG = "/.well-known/mcp/catalog.json";

/** What goes through functions of context middleware is not for a handler: it has none, and says so when it is made. */
export const rows = protocolRows()
  .filter((row) => world(row.world).config?.middleware === undefined)
  .filter(({ steps }) => steps.some(({ path }) => path !== CATALOG));
export const worlds = Object.fromEntries(rows.map((row) => [row.world, world(row.world)]));

/** The same of tasks: a handler keeps none, so none of their capabilities is told. */
const TASKS = ["tasks", "io.modelcontextprotocol/tasks", "dev.mcpsieve/tasks"];
const withoutTasks = (step) =>
  JSON.parse(JSON.stringify(step, (key, value) => (TASKS.includes(key) ? undefined : value)));

/** Asserts what a row says of the handler at `url`. */
export async function runHandler({ world: place, steps }, url) {
  const server = serverInfoOf(worlds[place]);
  const talk = new Talk(url);
  for (const [index, step] of steps.entries()) {
    try {
      const answer = await talk.send(step);
      if (step.path === CATALOG) assert.equal(answer.reply.status, 404);
      else checkReply(withoutTasks(step), answer, server, talk);
    } catch (error) {
      error.message = `step ${index}: ${error.message}`;
      throw error;
    }
  }
}
