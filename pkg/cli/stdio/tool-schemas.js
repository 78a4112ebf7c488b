// @ts-check
// The input schemas of tools. They say which arguments of a call are repeated as headers.
import { statelessHeaders } from "./http-headers.js";

export class ToolSchemas {
  /** By the names of the tools. @type {Map<string, any>} */
  #schemas = new Map();

  /** The schema of a tool, if it has been listed. */
  of(name) {
    return this.#schemas.get(name);
  }

  /** Keeps the schemas of a list. */
  keep(result) {
    for (const { name, inputSchema } of result?.tools ?? []) this.#schemas.set(name, inputSchema);
  }

  /**
   * Lists the tools as a request with this `_meta` would.
   * @param {Record<string, any>} _meta
   * @param {(text: string, headers: Record<string, string>) => Promise<Response>} post
   */
  async learn(_meta, post) {
    for (let cursor; ; ) {
      const request = { method: "tools/list", params: { _meta, cursor } };
      const response = await post(
        JSON.stringify({ jsonrpc: "2.0", id: "tools", ...request }),
        statelessHeaders(request),
      );
      const { result } = await response.json();
      this.keep(result);
      cursor = result?.nextCursor;
      if (cursor === undefined) return;
    }
  }
}
