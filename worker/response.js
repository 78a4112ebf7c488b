// @ts-check
/** Maximum number of heads whose headers are kept. Nearly all responses have one of a few. */
const MAX_HEADS = 64;
/** @type {Map<string, Headers>} */
const kept = new Map();

/**
 * Returns the headers that `head` has two lines for each of, its name and its value.
 * @type {(head: string) => Headers}
 */
export function headersOf(head) {
  const lines = head.split("\n");
  const headers = new Headers();
  for (let at = 0; at + 1 < lines.length; at += 2) headers.append(lines[at], lines[at + 1]);
  return headers;
}

/**
 * Returns the headers of a head, which are kept. They must not be changed.
 * @type {(head: string) => Headers}
 */
export function keptHeaders(head) {
  let headers = kept.get(head);
  if (headers === undefined) {
    headers = headersOf(head);
    if (kept.size === MAX_HEADS) kept.clear();
    kept.set(head, headers);
  }
  return headers;
}

/**
 * Builds a response of the module. `head` has two lines for each header, its name and its value. `body` is in the memory of the
 * module. It is copied here, because for a view the runtime copies all of that memory.
 * @type {(status: number, head: string, body?: Uint8Array<ArrayBuffer>) => Response}
 */
export function respond(status, head, body) {
  return new Response(body?.slice(), { status, headers: keptHeaders(head) });
}
