// Misbehaving clients.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openSession, request } from "../support/raw-client.mjs";
import { drained } from "./drained.mjs";

const SETTLED_MS = 1_000;

/** Sends a request and reads the head of the response, but nothing after it until `rest` or `leave`. */
async function heard(url, { body, ...options }) {
  const sent = httpRequest(url, { ...options, agent: false }).end(body);
  sent.on("error", () => {});
  const [response] = await once(sent, "response");
  response.pause();
  response.on("error", () => {});
  /** Reads the rest, and returns the number of its events and bytes. */
  const rest = async () => {
    let [events, bytes, before] = [0, 0, ""];
    for await (const chunk of response.setEncoding("latin1")) {
      bytes += chunk.length;
      events += (before + chunk).split("\n\n").length - 1;
      before = chunk.endsWith("\n\n") ? "" : chunk.at(-1);
    }
    return { events, bytes };
  };
  return { rest, leave: () => sent.destroy() };
}

/** Calls a tool and does not read the response. */
export const deaf = (url, name, args) =>
  heard(url, request("tools/call", { name, arguments: args, _meta: { progressToken: 1 } }));

/** Does the same in a session. */
export async function deafInSession(url, name, args) {
  const headers = await openSession(url);
  const params = { name, arguments: args, _meta: { progressToken: 1 } };
  return heard(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
}

/**
 * Sends a body of `bytes`, or an endless one. Resolves with the status and message of the response, or with `undefined`
 * if the connection closed first.
 */
export function talk(url, bytes) {
  const piece = Buffer.alloc(64 * 1024, " ");
  return new Promise((done) => {
    const sent = httpRequest(url, { method: "POST", headers: { "content-type": "application/json" }, agent: false });
    let answered = false;
    sent.on("response", async (response) => {
      answered = true;
      try {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        done({ status: response.statusCode, message: JSON.parse(text) });
      } catch {
        done(undefined);
      }
      sent.destroy();
    });
    sent.on("error", () => {
      if (!answered) done(undefined);
    });
    (async () => {
      for (let left = bytes; left > 0 && !answered && !sent.destroyed; left -= piece.length) {
        if (!sent.write(piece)) await drained(sent, "response");
      }
      sent.end();
    })();
  });
}

/** Waits until a number no longer changes, and returns it. */
export async function settled(number) {
  for (let before = -1; ; ) {
    const now = number();
    if (now === before) return now;
    before = now;
    await sleep(SETTLED_MS);
  }
}
