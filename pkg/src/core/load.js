// @ts-check
// Fetches and compiles a WebAssembly file, and says what went wrong in terms of the file, the server and the page.
import { SieveError } from "./error.js";

const WASM = "application/wasm";
/** The first bytes of every WebAssembly file. */
const MAGIC = [0x00, 0x61, 0x73, 0x6d];
/** Matches the messages of browsers whose page policy forbids WebAssembly; there is no code for it. */
const POLICY = /unsafe-eval|content security policy|blocked by csp/i;

const CUT = "the download broke off:";
const FOREIGN = "the file belongs to another version of mcp-sieve:";

const isAddress = (source) =>
  typeof source === "string" || source instanceof URL || (typeof Request === "function" && source instanceof Request);

/**
 * Compiles the WebAssembly at `source`: an address, a response, bytes or a module, or a promise of one. Returns the module,
 * and what is known of the response. Throws a `SieveError` with the code `load`.
 */
export async function compile(source) {
  if (typeof WebAssembly === "undefined")
    throw failure("this runtime has none;", "Lockdown Mode on Apple devices turns it off");
  const given = await settled(source);
  if (given instanceof WebAssembly.Module) return { module: given };
  if (!isResponse(given)) return { module: await guarded(() => WebAssembly.compile(given)) };
  const { status } = given;
  const contentType = given.headers.get("content-type") ?? "";
  const facts = { url: given.url || undefined, status, contentType };
  if (!given.ok) throw failure("the server answered", `${status}, expected 200`, facts);
  const type = contentType.split(";", 1)[0].trim().toLowerCase();
  if (type === WASM && WebAssembly.compileStreaming)
    return { module: await guarded(() => WebAssembly.compileStreaming(given), facts, CUT), facts };
  const bytes = await guarded(() => given.arrayBuffer(), facts, CUT);
  const head = new Uint8Array(bytes, 0, Math.min(MAGIC.length, bytes.byteLength));
  if (!MAGIC.every((byte, at) => head[at] === byte)) {
    throw failure(
      "the server sent",
      `${contentType || "a file without a type"}, expected ${WASM}; a server that answers every unknown path with its start page has no such file`,
      facts,
    );
  }
  // Streaming takes no other type. The file is good, so that slower loading is better than none.
  if (type !== "")
    console.warn(
      `mcp-sieve: ${facts.url ?? "the WebAssembly"} is served as \`${type}\`; it loads faster as \`${WASM}\``,
    );
  return { module: await guarded(() => WebAssembly.compile(bytes), facts), facts };
}

/** Refuses a module of other code, on which the bindings would stumble half-way. */
export function check(module, facts) {
  const exports = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  if (!["memory", "__wbindgen_start"].every((name) => exports.has(name)))
    throw failure(FOREIGN, "it lacks exports", facts);
}

/** Refuses a module that imports no table of the engine: it is no part of it, and would add nothing. */
export function checkPart(module, facts) {
  if (!WebAssembly.Module.imports(module).some(({ kind }) => kind === "table"))
    throw failure(FOREIGN, "it is no part of this engine", facts);
}

/** Runs `work`, which downloads, compiles or instantiates. */
export async function guarded(work, facts, otherwise) {
  try {
    return await work();
  } catch (cause) {
    throw refused(cause, facts, otherwise);
  }
}

/** The error for what compiling or instantiating threw; `otherwise` is the reason if neither the page nor the file is at fault. */
export function refused(cause, facts, otherwise = FOREIGN) {
  if (cause instanceof SieveError) return cause;
  const text = String(cause?.message ?? cause);
  if (POLICY.test(text))
    return failure(
      "the page's Content-Security-Policy forbids WebAssembly:",
      "add 'wasm-unsafe-eval' to `script-src`",
      { ...facts, cause },
    );
  return failure(cause instanceof WebAssembly.CompileError ? "the file could not be compiled:" : otherwise, text, {
    ...facts,
    cause,
  });
}

/**
 * @param {string} what
 * @param {string} detail
 * @param {{ url?: string, [fact: string]: any }} [facts]
 */
function failure(what, detail, { url, ...facts } = {}) {
  return new SieveError(
    "load",
    `could not load the WebAssembly${url === undefined ? "" : ` from ${url}`}: ${what} ${detail}`,
    { ...facts, url },
  );
}

/** Fetches an address; returns anything else as it is. */
async function settled(source) {
  let url;
  try {
    const given = await source;
    if (!isAddress(given)) return given;
    url = String(given instanceof Request ? given.url : given);
    return fileOf(url) ?? (await fetch(given));
  } catch (cause) {
    if (cause instanceof SieveError) throw cause;
    throw failure(
      "the request failed:",
      `${cause?.message ?? cause}; expected a server that can be reached, and under a Content-Security-Policy its origin in \`connect-src\``,
      { url, cause },
    );
  }
}

/** Responses of another realm, or of a library, are responses too. */
const isResponse = (given) => given?.[Symbol.toStringTag] === "Response";

/** The bytes of a file beside the code, where there are files: Node's `fetch` takes none. */
export function fileOf(url) {
  if (!url.startsWith("file:")) return undefined;
  const builtin = globalThis.process?.getBuiltinModule;
  return builtin?.("node:fs").readFileSync(builtin("node:url").fileURLToPath(url));
}
