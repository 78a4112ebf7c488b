export * from "./index.js";

/** The WebAssembly: its address, a response that carries it, its bytes, or compiled. */
export type Source = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Sources of the parts that are loaded on demand, by name. A part that is left out is loaded from the package's own files.
 * Only the engine without parts (`mcp-sieve/parts/engine.wasm`) loads any.
 */
export type PartSources = Partial<Record<import("./sieve.js").Part, Source | Promise<Source>>>;

/**
 * Loads the WebAssembly. Later calls do nothing; calls during a load wait for that load. After a failure the next call
 * tries again.
 *
 * Without a source the files beside the package's own code are fetched, in Node read from disk: the engine now, and its parts
 * when they are first needed. `mcp-sieve/sieve.wasm` as a source is the whole engine. Vite and webpack (Next.js)
 * find it by themselves and copy it into their output; esbuild needs a source, see the README.
 * @throws {SieveError} `load`, with `url`, `status` and `contentType` as far as they are known
 */
export default function init(source?: Source | Promise<Source>, parts?: PartSources): Promise<void>;

/**
 * Instantiates the WebAssembly at once, from bytes or a compiled module. Later calls do nothing.
 * @throws {SieveError} `load`
 */
export function initSync(source: BufferSource | WebAssembly.Module, parts?: PartSources): void;
