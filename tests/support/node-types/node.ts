// Every entry that has no element, in a project for Node; it is checked, not run.
import { Sieve } from "mcp-sieve";
import { gateway } from "mcp-sieve/handler";
import init, { initSync, type Source } from "mcp-sieve/init";
import { Middleware } from "mcp-sieve/middleware";

const sources: Source[] = ["/engine.wasm", new URL("file:///engine.wasm"), new Response(), new Uint8Array(8)];
const ready: Promise<void> = init(sources[0]);
initSync(Buffer.from("engine"));
export const served = [
  { authorization: "Bearer a" },
  [["authorization", "Bearer a"]] satisfies [string, string][],
  async () => new Headers(),
].map((listHeaders) => gateway(() => new Response(), {}, { listHeaders }));
// @ts-expect-error no headers
gateway(() => new Response(), {}, { listHeaders: 5 });
export { Middleware, Sieve, ready };
