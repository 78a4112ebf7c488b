export * from "./index.js";

/** `WebAssembly.Module`. Projects for Node without the library `dom` have no type of this name, and get `never`. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : never;

/** `BufferSource`, which is no type of Node. */
type Bytes = ArrayBuffer | ArrayBufferView;

/** The WebAssembly: its URL, a response with it, its bytes, or a compiled module. */
export type Source = string | URL | Request | Response | Bytes | CompiledModule;

/**
 * Sources of the parts that are loaded on demand, by name. By default they are loaded from the package's own files. Only
 * the engine without parts (`mcp-sieve/parts/engine.wasm`) loads any.
 */
export type PartSources = Partial<Record<import("./sieve.js").Part, Source | Promise<Source>>>;

/**
 * Loads the WebAssembly. Later calls do nothing; calls during a load wait for that load. After a failure the next call
 * tries again.
 *
 * Without a source, the package's own files are fetched (in Node, read from disk): the engine now, and its parts on first use.
 * `mcp-sieve/sieve.wasm` as a source is the whole engine. Vite and webpack (Next.js) find the files and copy them into their
 * output; esbuild needs a source, see the README.
 * @throws {SieveError} `load`, with `url`, `status` and `contentType` if they are known
 */
export default function init(source?: Source | Promise<Source>, parts?: PartSources): Promise<void>;

/**
 * Instantiates the WebAssembly at once, from bytes or a compiled module. Later calls do nothing.
 * @throws {SieveError} `load`
 */
export function initSync(source: Bytes | CompiledModule, parts?: PartSources): void;
