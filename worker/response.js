// @ts-check
/**
 * Builds a response from what the module answers: `head` has two lines for each header, its name and its value.
 * @type {(status: number, head: string, body?: Uint8Array<ArrayBuffer>) => Response}
 */
export function respond(status, head, body) {
  const lines = head.split("\n");
  const headers = Object.create(null);
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [name, value] = [lines[at], lines[at + 1]];
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return new Response(body, { status, headers });
}
