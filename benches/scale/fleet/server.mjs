// An MCP server on its own port. It counts requests by method, and its behaviour can change while it runs.
import { once } from "node:events";
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { behaviours } from "./behaviours.mjs";
import { pagesOf } from "./catalog.mjs";
import { acknowledged, changed, resultOf } from "./protocol.mjs";

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks));
}

export class FleetServer {
  #http = createServer((request, response) => this.#serve(request, response).catch(() => response.destroy()));
  #port = 0;
  #behaviour = { name: "healthy" };
  #streams = new Map();
  #changing;
  counts = {};
  abandoned = 0;
  version = 0;

  /**
   * `sessions`: whether it speaks 2025-11-25 instead of 2026-07-28. `ttlMs` and `discoverTtlMs`: the lifetimes that it
   * states. `padding`: bytes to add to its first description.
   */
  constructor({ name, tools, padding, sessions = false, ttlMs = 600_000, discoverTtlMs = 600_000 }) {
    Object.assign(this, { hasSessions: sessions, ttlMs, discoverTtlMs, page: pagesOf({ name, tools, padding }) });
  }

  async open() {
    await once(this.#http.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = this.#http.address().port;
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** Closes the port, so that connections are refused. */
  async close() {
    clearInterval(this.#changing);
    const closed = new Promise((done) => this.#http.close(done));
    this.#http.closeAllConnections();
    await closed;
  }

  /** Sets the behaviour: one of the table, `dead`, or `changing`, which changes the list every `everyMs`. */
  async behave(behaviour) {
    const wasDead = this.#behaviour.name === "dead";
    this.#behaviour = behaviour;
    clearInterval(this.#changing);
    if (behaviour.name === "dead") return wasDead ? undefined : this.close();
    if (wasDead) await this.open();
    if (behaviour.name === "changing") this.#changing = setInterval(() => this.change(true), behaviour.everyMs);
  }

  /** Changes the list, and notifies every stream if `notify`. */
  change(notify) {
    this.version += 1;
    if (notify) for (const [stream, id] of this.#streams) stream.write(changed(id));
  }

  get streams() {
    return this.#streams.size;
  }

  #stream(response, id) {
    this.#streams.set(response, id);
    response.once("close", () => this.#streams.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  }

  /** Holds a request unanswered until the client gives up. */
  #hold(response) {
    response.once("close", () => (this.abandoned += 1));
  }

  #count(name) {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  async #serve(request, response) {
    const { method: verb } = request;
    const message = verb === "POST" ? await read(request) : { method: verb };
    this.#count(message.method);
    const judge = behaviours[this.#behaviour.name] ?? behaviours.healthy;
    const verdict = await judge(this.#behaviour);
    if (verdict === "hang") return this.#hold(response);
    if (verdict === "refuse") return response.writeHead(503).end();
    if (this.hasSessions && verb === "GET") return this.#stream(response);
    if (verb === "DELETE") return response.writeHead(200).end();
    if (message.id === undefined) return response.writeHead(202).end();
    if (!this.hasSessions && message.method === "subscriptions/listen") {
      this.#stream(response, message.id);
      return response.write(acknowledged(message.id));
    }
    const result = resultOf(this, message);
    const id = JSON.stringify(message.id);
    const headers = { "content-type": "application/json" };
    if (message.method === "initialize") headers["mcp-session-id"] = randomUUID();
    if (result !== undefined)
      return response.writeHead(200, headers).end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    const error = `{"code":-32601,"message":"method not found"}`;
    response.writeHead(404, headers).end(`{"jsonrpc":"2.0","id":${id},"error":${error}}`);
  }
}
