// @ts-check
// The parts of the engine that a page loads when they are first used. A complete engine has all of them.
import { SieveError } from "./error.js";
import { checkPart, compile, fileOf, guarded, refused } from "./load.js";

/** The parts, and those that each of them calls. */
const REQUIRED = { search: [], picker: ["search"], discovery: ["search"] };
/** The tables that the engine shares with its parts; a complete engine exports none. */
const SHARED = /^table\d_/;

/**
 * The exports of an engine without parts.
 * @type {WebAssembly.Exports | undefined}
 */
let engine;
/** @type {Record<string, any>} */
let sources = {};
/** @type {Set<string>} */
const there = new Set();
/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/** Beside this file. The addresses are written out, so that bundlers find them. */
const besides = () => ({
  search: new URL("../../dist/parts/search.wasm", import.meta.url),
  picker: new URL("../../dist/parts/picker.wasm", import.meta.url),
  discovery: new URL("../../dist/parts/discovery.wasm", import.meta.url),
});

/**
 * Takes the exports of the instantiated engine. If they are those of the first module alone, its parts will come from `given`,
 * or from the files beside this one.
 * @param {WebAssembly.Exports} exports
 * @param {Record<string, any>} [given]
 */
export function divide(exports, given) {
  if (!Object.keys(exports).some((name) => SHARED.test(name))) return;
  engine = exports;
  sources = { ...besides(), ...given };
}

/** Whether a part can be called. */
export const isReady = (/** @type {string} */ part) => engine === undefined || there.has(part);

/**
 * Loads parts that are not there yet. A load that failed is tried again by the next call.
 * @param {readonly string[]} parts
 */
export async function ready(parts) {
  await Promise.all(withRequired(parts).map(load));
}

/**
 * Throws if a part is not there. Where files can be read at once, as in Node, it is loaded instead.
 * @param {string} part
 * @param {string} what what needs it
 */
export function need(part, what) {
  if (isReady(part)) return;
  for (const one of withRequired([part]).filter((one) => !isReady(one))) {
    const file = sources[one] instanceof URL ? fileOf(String(sources[one])) : undefined;
    if (file === undefined)
      throw new SieveError(
        "part",
        `${what} needs a part of the engine that is loaded on demand: call \`await sieve.ready("${part}")\` before`,
        { part },
      );
    try {
      new WebAssembly.Instance(new WebAssembly.Module(file), imports());
      there.add(one);
    } catch (cause) {
      throw refused(cause, { url: String(sources[one]) });
    }
  }
}

/**
 * Returns the result of `work`. If it needs a part that is not loaded, loads the part and calls `work` again.
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withParts(work) {
  try {
    return await work();
  } catch (error) {
    if (error?.code !== "part" || isReady(error.part)) throw error;
    await ready([error.part]);
    return withParts(work);
  }
}

/** @param {readonly string[]} parts */
function withRequired(parts) {
  for (const part of parts) {
    if (Object.hasOwn(REQUIRED, part)) continue;
    const known = Object.keys(REQUIRED).map((name) => `\`${name}\``);
    throw new SieveError("invalid_option", `unknown part \`${part}\`, expected one of ${known.join(", ")}`);
  }
  return [...new Set(parts.flatMap((part) => [...REQUIRED[part], part]))];
}

/**
 * @param {string} part
 * @returns {Promise<void>}
 */
function load(part) {
  if (isReady(part)) return Promise.resolve();
  const load = loading.get(part) ?? fetched(part).finally(() => loading.delete(part));
  loading.set(part, load);
  return load;
}

async function fetched(/** @type {string} */ part) {
  const { module, facts } = await compile(sources[part]);
  checkPart(module, facts);
  await guarded(() => WebAssembly.instantiate(module, imports()), facts);
  there.add(part);
}

/** A part writes its functions into the engine's table when it is instantiated. It exports nothing. */
const imports = () => ({ engine: /** @type {WebAssembly.ModuleImports} */ (engine) });
