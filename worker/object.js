// @ts-check
/**
 * Builds a request to a Durable Object. The crate `worker` sets each member of its options by a call of its own.
 * @type {(url: string, method: string, body: string | undefined) => Request}
 */
export function request(url, method, body) {
  return new Request(url, { method, body });
}

/** The header with the length of a body. The platform states no length for streams and between Durable Objects. */
const LENGTH = "x-length";

/**
 * Builds the response of a Durable Object. `bytes` lie in the memory of the module, and the response has a copy of them.
 * @type {(bytes: Uint8Array<ArrayBuffer>) => Response}
 */
export function respond(bytes) {
  return new Response(bytes, { headers: { [LENGTH]: String(bytes.length) } });
}

/** @typedef {{ exec(query: string, name: string): { raw(): Iterable<[ArrayBuffer]> } }} Sql */

/**
 * Builds the response of a Durable Object from `head` and the blobs that a query finds under a name. They can have ten megabytes,
 * which do not pass through the module's memory. Returns nothing if there are no blobs.
 * @type {(sql: Sql, query: string, name: string, head: Uint8Array<ArrayBuffer>) => Response | undefined}
 */
export function respondStored(sql, query, name, head) {
  const parts = [head.slice()];
  let length = head.length;
  for (const [blob] of sql.exec(query, name).raw()) {
    parts.push(new Uint8Array(blob));
    length += blob.byteLength;
  }
  if (parts.length === 1) return undefined;
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.close();
    },
  });
  return new Response(body, { headers: { [LENGTH]: String(length) } });
}
