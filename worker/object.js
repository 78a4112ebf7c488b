// @ts-check
/**
 * Builds a request to a Durable Object. The crate `worker` sets each member of its options by a call of its own.
 * @type {(url: string, method: string, body: string | undefined) => Request}
 */
export function request(url, method, body) {
  return new Request(url, { method, body });
}
