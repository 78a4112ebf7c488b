// @ts-check
// The text of JSON-RPC responses. Clients parse messages, which loses digits of numbers and the first value of a repeated member.
import { written } from "../stdio/json-text.js";

/** Records the text of the results that `fetch` receives. */
export class ResultTexts {
  /** @type {Map<unknown, string>} */
  #texts = new Map();

  /** Returns the text of the result with this id; `undefined` if there was none. */
  take(id) {
    const text = this.#texts.get(id);
    this.#texts.delete(id);
    return text;
  }

  /** @type {typeof fetch} */
  fetch = async (url, options) => {
    const response = await fetch(url, options);
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || response.body === null) return response;
    if (type.includes("application/json")) return this.#whole(response);
    return type.includes("text/event-stream") ? this.#events(response) : response;
  };

  async #whole(response) {
    const text = await response.text();
    this.#record(text);
    return new Response(text, { headers: response.headers });
  }

  /** Each message is recorded before the client receives its last bytes. */
  #events(response) {
    const decoder = new TextDecoder();
    let rest = "";
    let data = [];
    const line = (text) => {
      if (/^data:/.test(text)) data.push(text.slice(5).replace(/^ /, ""));
      if (text !== "" || data.length === 0) return;
      this.#record(data.join("\n"));
      data = [];
    };
    const watch = new TransformStream({
      transform: (chunk, controller) => {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
        rest = lines.pop() ?? "";
        lines.forEach(line);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(watch), { headers: response.headers });
  }

  #record(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return; // the client reports it
    }
    const result = message?.result === undefined ? undefined : written(text, ["result"]);
    if (result !== undefined) this.#texts.set(message.id, result);
  }
}
