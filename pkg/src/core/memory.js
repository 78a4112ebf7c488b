// @ts-check
// The engine's memory: results are read from it, and lists are written into it.
import { Inbox } from "../../dist/sieve.js";
import { SieveError } from "./error.js";

const utf8 = new TextEncoder();
/** Length, in characters, of the parts in which text goes over to the engine. */
const PART = 1 << 17;

/**
 * Absent until a loader has instantiated the engine.
 * @type {WebAssembly.Memory | undefined}
 */
let memory;
/** All of it as 32-bit words. The memory is replaced when it grows, and the old words are then empty. */
let words = new Uint32Array();

/** The load that is under way, if there is one. @type {Promise<unknown> | undefined} */
let loading;

/**
 * Notes that the engine is being loaded.
 * @param {Promise<unknown>} load
 */
export function awaiting(load) {
  loading = load;
}

/** Waits for the engine, if it is being loaded. A load that failed is reported to its caller. */
export async function loaded() {
  await loading?.catch(() => {});
}

/** @param {{ memory: WebAssembly.Memory }} exports of the instantiated engine */
export function attach(exports) {
  memory = exports.memory;
}

/**
 * Throws if the engine is not there yet.
 * @param {string} method what was called
 */
export function initialised(method) {
  if (memory === undefined) throw new SieveError("uninitialised", `call \`init\` or \`initSync\` before \`${method}\``);
}

/**
 * Bytes in the engine's memory, without a copy. Call it after the engine has written: writing may replace the memory.
 * @param {number} address
 * @param {number} length
 */
export function bytesAt(address, length) {
  return new Uint8Array(/** @type {WebAssembly.Memory} */ (memory).buffer, address, length);
}

/**
 * A copy of numbers in the engine's memory: the next call writes over the original.
 * @param {number} address in bytes
 * @param {number} count
 */
export function numbersAt(address, count) {
  if (words.length === 0) words = new Uint32Array(/** @type {WebAssembly.Memory} */ (memory).buffer);
  const start = address / Uint32Array.BYTES_PER_ELEMENT;
  return words.slice(start, start + count);
}

/**
 * The engine's copy of lists, the only one that is made: text is encoded part by part.
 * @param {string | Uint8Array} lists
 */
export function inboxOf(lists) {
  const inbox = new Inbox(lists.length);
  const put = (/** @type {Uint8Array} */ part) => {
    // The address first: making room may have grown the memory and replaced it.
    const at = inbox.room(part.length);
    bytesAt(at, part.length).set(part);
  };
  if (typeof lists !== "string") {
    put(lists);
    return inbox;
  }
  for (let at = 0, end; at < lists.length; at = end) {
    end = at + PART;
    // Both halves of a character go over together.
    if ((lists.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    put(utf8.encode(lists.slice(at, end)));
  }
  return inbox;
}
