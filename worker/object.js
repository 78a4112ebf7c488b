// @ts-check
/**
 * Builds a request to a Durable Object. The crate `worker` sets each member of its options by a call of its own.
 * @type {(url: string, method: string, body: string | undefined) => Request}
 */
export function request(url, method, body) {
  return new Request(url, { method, body });
}

/**
 * Builds the response of a Durable Object. `bytes` lie in the memory of the module, and the response has a copy of them.
 * @type {(bytes: Uint8Array<ArrayBuffer>) => Response}
 */
export function respond(bytes) {
  return new Response(bytes);
}
