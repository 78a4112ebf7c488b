// @ts-check
// The pages of a list, one after the other, from any function that requests one.
import { SieveError } from "../core/error.js";

/** Maximum number of pages of one list that are followed. */
const MAX_PAGES = 1_000;

/**
 * Yields the pages of one list. `request` takes a cursor, for the first page none, and returns the page.
 * @template {{ nextCursor?: unknown }} Page
 * @param {(cursor: string | undefined) => Promise<Page>} request
 * @param {string} name of the list, for messages
 * @param {number} [maxPages]
 * @returns {AsyncGenerator<Page, void, undefined>}
 * @throws {SieveError} `endless_list` if the server sends a cursor twice, or has more pages than `maxPages`
 */
export async function* pagesOf(request, name, maxPages = MAX_PAGES) {
  const seen = new Set();
  for (let cursor; seen.size < maxPages; ) {
    const page = await request(cursor);
    yield page;
    if (typeof page.nextCursor !== "string") return;
    cursor = page.nextCursor;
    // A cursor that the server has sent before would lead round in a circle.
    if (seen.has(cursor))
      throw new SieveError(
        "endless_list",
        `${name} never ends: page ${seen.size + 1} has the cursor of an earlier page`,
      );
    seen.add(cursor);
  }
  throw new SieveError("endless_list", `${name} has more pages than ${maxPages}`);
}
