// @ts-check
// Bearer tokens, by the server that each is for. Only this module has them: no storage, address or snippet does.

/** @type {Map<string, string>} */
const tokens = new Map();

/** What identifies a server: its URL without the parameters, which only narrow its lists. */
function keyOf(url) {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The token for a server, if there is one. */
export const tokenFor = (/** @type {string} */ url) => tokens.get(keyOf(url));

/**
 * Keeps a token for servers. An empty one removes theirs.
 * @type {(urls: readonly string[], token: string) => void}
 */
export function keepToken(urls, token) {
  for (const url of urls.filter((url) => URL.canParse(url))) {
    if (token === "") tokens.delete(keyOf(url));
    else tokens.set(keyOf(url), token);
  }
}

const IN_FRAGMENT = /(?:^#|&)token=([^&]*)/;

/**
 * Takes the token from the page's address, where the command that serves the page may have written it, and removes it there before
 * anything else reads the address.
 */
export function takeToken() {
  const [part, token = ""] = IN_FRAGMENT.exec(location.hash) ?? [];
  if (part === undefined) return undefined;
  const rest = location.hash
    .slice(1)
    .split("&")
    .filter((pair) => !pair.startsWith("token="));
  history.replaceState(
    null,
    "",
    `${location.pathname}${location.search}${rest.length > 0 ? `#${rest.join("&")}` : ""}`,
  );
  return token;
}
