export * from "./index.js";

/** The WebAssembly: its address, a response that carries it, its bytes, or compiled. */
export type Source = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the WebAssembly. Later calls do nothing; calls during a load wait for that load. After a failure the next call
 * tries again.
 *
 * Without a source the file beside the package's own code is fetched, in Node read from disk. Vite and webpack (Next.js)
 * find it by themselves and copy it into their output; esbuild needs a source, see the README.
 * @throws {SieveError} `load`, with `url`, `status` and `contentType` as far as they are known
 */
export default function init(source?: Source | Promise<Source>): Promise<void>;

/**
 * Instantiates the WebAssembly at once, from bytes or a compiled module. Later calls do nothing.
 * @throws {SieveError} `load`
 */
export function initSync(source: BufferSource | WebAssembly.Module): void;
