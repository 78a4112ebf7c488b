// The rows of fixtures/protocol that apply to a handler in JavaScript, and their runner.
import assert from "node:assert/strict";
import { checkReply } from "./protocol-check.mjs";
import { Talk } from "./protocol-talk.mjs";
import { protocolRows, serverInfoOf, world } from "./protocol-worlds.mjs";

/** The paths of the catalogs of server cards, which the application serves outside the handler's path. */
const CATALOGS = ["/.well-known/ai-catalog.json", "/.well-known/mcp/catalog.json"];

/**
 * The rows for a handler. Rows with context middleware are left out, because `gateway` rejects such a configuration.
 */
export const rows = protocolRows()
  .filter((row) => world(row.world).config?.middleware === undefined)
  .filter(({ steps }) => steps.some(({ path }) => !CATALOGS.includes(path)));
export const worlds = Object.fromEntries(rows.map((row) => [row.world, world(row.world)]));

/** The capabilities of tasks, which a handler does not announce. */
const TASKS = ["tasks", "io.modelcontextprotocol/tasks", "dev.mcpsieve/tasks"];
const withoutTasks = (step) =>
  JSON.parse(JSON.stringify(step, (key, value) => (TASKS.includes(key) ? undefined : value)));

/** Asserts a row's expectations of the handler at `url`. */
export async function runHandler({ world: place, steps }, url) {
  const server = serverInfoOf(worlds[place]);
  const talk = new Talk(url);
  for (const [index, step] of steps.entries()) {
    try {
      const answer = await talk.send(step);
      if (CATALOGS.includes(step.path)) assert.equal(answer.reply.status, 404);
      else checkReply(withoutTasks(step), answer, server, talk);
    } catch (error) {
      error.message = `step ${index}: ${error.message}`;
      throw error;
    }
  }
}
