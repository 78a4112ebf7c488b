// Clients of the gateway on persistent connections. Bodies stay text, because parsing them is not measured.
import http from "node:http";
import { request } from "../../tests/support/raw-client.mjs";

/** Milliseconds after which a missing response fails the run. */
const WITHIN_MS = 60_000;

/** Sends one request; resolves with `{status, headers, text, ms}` once the whole response has arrived. */
export function exchange(agent, url, { method = "POST", headers, body }) {
  const began = performance.now();
  return new Promise((done, fail) => {
    const sent = http.request(url, { method, agent, headers, timeout: WITHIN_MS }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk)).on("error", fail);
      response.on("end", () =>
        done({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          ms: performance.now() - began,
        }),
      );
    });
    sent.on("timeout", () => sent.destroy(new Error(`no response from ${url} within ${WITHIN_MS} ms`)));
    sent.on("error", fail).end(body);
  });
}

/** A client of one URL. */
export class Client {
  #agent;
  constructor(url, { connections = 64 } = {}) {
    this.url = url;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends a request of the stateless revision. `token` is the caller's. */
  send(method, params, { token } = {}) {
    const { headers, body } = request(method, params);
    return exchange(this.#agent, this.url, {
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      body,
    });
  }

  /** Sends a request like `send`, and fails unless the response has a result. Returns the response. */
  async ask(method, params, options) {
    const response = await this.send(method, params, options);
    if (response.status !== 200 || !response.text.includes('"result":'))
      throw new Error(`${method}: ${response.status} ${response.text.slice(0, 400)}`);
    return response;
  }

  close() {
    this.#agent.destroy();
  }
}

/** Runs `work(index)` for each index below `count`, at most `width` at a time. */
export async function each(count, width, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}
