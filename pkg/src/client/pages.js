// @ts-check
// The pages of a list, one after the other, from any function that requests one.
import { SieveError } from "../core/error.js";

/** Maximum number of pages of one list that are followed. */
const MAX_PAGES = 1_000;

/**
 * Yields the pages of one list. `request` takes a cursor, for the first page none, and returns the page. A list whose cursor
 * repeats ends there: it would lead round in a circle.
 * @template {{ nextCursor?: unknown }} Page
 * @param {(cursor: string | undefined) => Promise<Page>} request
 * @param {string} name of the list, for messages
 * @returns {AsyncGenerator<Page, void, undefined>}
 * @throws {SieveError} `endless_list` if the server has more pages than `MAX_PAGES`
 */
export async function* pagesOf(request, name) {
  const seen = new Set();
  let before;
  for (let cursor; seen.size < MAX_PAGES; ) {
    const page = await request(cursor);
    const next = page.nextCursor;
    // A server that reads no cursor sends its only page again.
    if (before !== undefined && next === cursor && JSON.stringify(page) === JSON.stringify(before)) return;
    yield page;
    if (typeof next !== "string" || seen.has(next)) return;
    seen.add(next);
    cursor = next;
    before = page;
  }
  throw new SieveError("endless_list", `${name} has more pages than ${MAX_PAGES}`);
}
