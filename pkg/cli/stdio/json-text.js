// @ts-check
// Members of JSON text, found and replaced in place, so that everything else of a message keeps its bytes.

/**
 * Returns the position of the value at `path` in `text`, as `{ start, end }`; nothing if there is no such member. The text must
 * be valid JSON.
 * @param {string} text
 * @param {string[]} path
 */
export function find(text, path) {
  let place = { start: skip(text, 0), end: text.length };
  for (const name of path) {
    const found = member(text, place.start, name);
    if (found === undefined) return undefined;
    place = found;
  }
  return place;
}

/**
 * Returns the text with the values at some paths replaced. Paths without a value are passed over.
 * @param {string} text
 * @param {[string[], string][]} changes paths, each with the JSON of its new value
 */
export function replaced(text, changes) {
  const places = changes
    .map(([path, value]) => ({ ...find(text, path), value }))
    .filter(({ start }) => start !== undefined)
    .sort((one, other) => Number(other.start) - Number(one.start));
  return places.reduce((whole, { start, end, value }) => whole.slice(0, start) + value + whole.slice(end), text);
}

/** Returns the JSON at `path`, as it is written. */
export function written(text, path) {
  const place = find(text, path);
  return place === undefined ? undefined : text.slice(place.start, place.end);
}

/** The value of a member of the object at `at`; of a repeated member the last one, as for `JSON.parse`. */
function member(text, at, name) {
  if (text[at] !== "{") return undefined;
  let found;
  let key = skip(text, at + 1);
  while (text[key] === '"') {
    const colon = skip(text, endOf(text, key));
    const start = skip(text, colon + 1);
    const end = endOf(text, start);
    if (JSON.parse(text.slice(key, endOf(text, key))) === name) found = { start, end };
    const next = skip(text, end);
    key = text[next] === "," ? skip(text, next + 1) : next;
  }
  return found;
}

function skip(text, at) {
  while (" \t\r\n".includes(text[at] || "-")) at += 1;
  return at;
}

/** The end of the value at `at`. */
function endOf(text, at) {
  let depth = 0;
  do {
    if (text[at] === '"') {
      at = endOfString(text, at);
    } else if ("{[".includes(text[at])) {
      depth += 1;
      at += 1;
    } else if ("}]".includes(text[at])) {
      depth -= 1;
      at += 1;
    } else if (depth > 0) {
      at += 1;
    } else {
      while (at < text.length && !",}] \t\r\n".includes(text[at])) at += 1;
    }
  } while (depth > 0);
  return at;
}

function endOfString(text, at) {
  for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
  return at + 1;
}
