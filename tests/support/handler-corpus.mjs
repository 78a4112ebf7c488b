// The rows of fixtures/protocol that concern a handler in JavaScript, and what is done with one.
import { checkReply } from "./protocol-check.mjs";
import { Talk } from "./protocol-talk.mjs";
import { protocolRows, serverInfoOf, world } from "./protocol-worlds.mjs";

/** What goes through functions of context middleware is not for a handler: it has none, and says so when it is made. */
export const rows = protocolRows().filter((row) => world(row.world).config?.middleware === undefined);
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
      checkReply(withoutTasks(step), await talk.send(step), server, talk);
    } catch (error) {
      error.message = `step ${index}: ${error.message}`;
      throw error;
    }
  }
}
