// @ts-check
// Requests to upstream servers that the module has prepared in the call that answers a client. They are sent here, and a short
// response passes on as it came, after one look of the module at its outer members.
import { answerOf, headOf, statedLength } from "./fetch.js";
import { headersOf, keptHeaders } from "./response.js";

/** Length up to which a response is read whole, in bytes. Longer ones pass through the module in pieces. */
const WHOLE = 262_144;
/** The same for a response that does not state its length. */
const UNSTATED = 65_536;
/** Milliseconds for which a response is waited for here. The module then goes on waiting, and watches the client meanwhile. */
const SOON_MS = 900;

/** @typedef {import("./fetch.js").Answer} Answer */
/**
 * The module's part of a request that waits for a response.
 * @typedef {{
 *   read(response: Uint8Array): string | Response | undefined,
 *   instead(answer: Promise<Answer>, controller: AbortController, unread: boolean): Promise<Response>,
 * }} Work
 */
/** @typedef {{ readAtLeast(length: number, view: Uint8Array): Promise<{ value?: Uint8Array<ArrayBuffer> }> }} Reader */

/**
 * Resolves with the value of a promise; with nothing if it is rejected, or is not settled soon.
 * @template T
 * @type {(promise: Promise<T>) => Promise<T | undefined>}
 */
function soon(promise) {
  return new Promise((done) => {
    const timer = setTimeout(done, SOON_MS);
    promise.then(done, () => done(undefined)).finally(() => clearTimeout(timer));
  });
}

/**
 * Reads a short body, or the beginning of a longer one. Resolves with the bytes, and with what is left.
 * @type {(response: Response, body: ReadableStream<Uint8Array>) => Promise<{ whole: Uint8Array<ArrayBuffer>, rest?: ReadableStream<Uint8Array> }>}
 */
async function read(response, body) {
  const stated = statedLength(response);
  if (stated <= WHOLE) return { whole: new Uint8Array(await response.arrayBuffer()) };
  const length = Number.isNaN(stated) ? UNSTATED : WHOLE;
  const reader = body.getReader({ mode: "byob" });
  const { value } = await /** @type {Reader} */ (/** @type {unknown} */ (reader)).readAtLeast(
    length,
    new Uint8Array(length),
  );
  const whole = value ?? new Uint8Array(0);
  reader.releaseLock();
  return whole.length < length ? { whole } : { whole, rest: body };
}

/** A prepared request: `head` has two lines for each header, its name and its value. */
export class Plan {
  /** @type {(url: string, head: string, body: Uint8Array, work: Work) => void} */
  constructor(url, head, body, work) {
    this.url = url;
    this.head = head;
    this.body = body;
    this.work = work;
  }

  /**
   * Sends the request and answers the client. `run` calls into the module.
   * @type {(run: <T>(work: () => T) => T) => Promise<Response>}
   */
  async carryOut(run) {
    const { url, head, body, work } = this;
    const controller = new AbortController();
    const init = { method: "POST", headers: headersOf(head), body, signal: controller.signal };
    // A redirect could lead to a host that the operator never named.
    const sent = fetch(url, { ...init, redirect: "manual" });
    /** @type {(answer: Promise<Answer>, unread: boolean) => Promise<Response>} */
    const instead = (answer, unread) => run(() => work.instead(answer, controller, unread));
    const response = await soon(sent);
    if (!response) return instead(sent.then(answerOf), true);
    const isJson = response.headers.get("content-type")?.toLowerCase().startsWith("application/json");
    if (response.status !== 200 || !isJson || !response.body) return instead(answerOf(response), true);
    const reading = read(response, response.body);
    const begun = await soon(reading);
    const unread = reading.then((read) => ({ ...headOf(response), ...read }));
    if (!begun || begun.rest) return instead(unread, true);
    const passed = run(() => work.read(begun.whole));
    if (passed === undefined) return instead(unread, false);
    return typeof passed === "string" ? new Response(begun.whole, { headers: keptHeaders(passed) }) : passed;
  }
}

/**
 * Returns a prepared request. `body` is in the memory of the module, and is copied here.
 * @type {(url: string, head: string, body: Uint8Array, work: Work) => Plan}
 */
export function plan(url, head, body, work) {
  return new Plan(url, head, body.slice(), work);
}
