export * from "./types.js";

/** Where the WebAssembly is: its address, a response that carries it, its bytes, or compiled. */
export type Source = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Fetches and instantiates the WebAssembly, once; later calls do nothing.
 * Without a source it is fetched from beside the package's own files (not in Node, whose `fetch` takes no files).
 */
export default function init(source?: Source | Promise<Source>): Promise<void>;

/** Instantiates the WebAssembly at once from its bytes or compiled, once; later calls do nothing. */
export function initSync(source: BufferSource | WebAssembly.Module): void;
