// Other spellings of a URI that `new URL` parses as the same one.

const fullWidth = (letter) => String.fromCodePoint(letter.codePointAt(0) + 0xfee0);
const percent = (letter) => `%${letter.codePointAt(0).toString(16)}`;
/** Applies `change` to one random letter that matches `pattern`. */
const one = (text, random, pattern, change) => {
  const places = [...text.matchAll(pattern)];
  if (places.length === 0) return text;
  const place = random.pick(places);
  return text.slice(0, place.index) + change(place[0]) + text.slice(place.index + place[0].length);
};
const inHost = (uri, work) => uri.replace(/(^[^:]+:[\\/]+)([^\\/]+)/, (_, before, host) => before + work(host));
const insert = (uri, random, pieces) => {
  const at = random.below(uri.length + 1);
  return uri.slice(0, at) + random.pick(pieces) + uri.slice(at);
};

const CHANGES = [
  (uri, random) => uri.replace(/^[a-z]+/i, (scheme) => one(scheme, random, /[a-z]/g, (letter) => letter.toUpperCase())),
  (uri) => uri.replace(/^[a-z]+/i, (scheme) => scheme.toUpperCase()),
  (uri, random) => inHost(uri, (host) => one(host, random, /[a-z]/g, (letter) => letter.toUpperCase())),
  (uri, random) => inHost(uri, (host) => one(host, random, /[a-z]/g, percent)),
  (uri, random) => inHost(uri, (host) => one(host, random, /[a-z]/g, fullWidth)),
  (uri) => inHost(uri, (host) => host.replace(".", "。")),
  (uri) => inHost(uri, (host) => host.replace("xn--bcher-kva", "bücher")),
  (uri, random) => insert(uri, random, ["\t", "\n", "\r", "\r\n"]),
  (uri, random) => random.pick([" ", "\n", "\t", "\u0000", "\u001f", "  "]) + uri,
  (uri, random) => uri + random.pick([" ", "\n", "\t", "\u0000", "\u001f", "  "]),
  (uri) => inHost(uri, (host) => `${host}:443`),
  (uri) => inHost(uri, (host) => `${host}:`),
  (uri) => inHost(uri, (host) => `${host}:00443`),
  (uri, random) => inHost(uri, (host) => random.pick(["@", ":@"]) + host),
  (uri, random) =>
    one(
      uri,
      random,
      /(?<=[^/\\:])[\\/](?=.)/g,
      (slash) => slash + random.pick(["./", "x/../", "%2e/", "x/%2e%2e/", "x/.%2E/", "x/y/../../", ".\\", "x\\..\\"]),
    ),
  (uri, random) => one(uri, random, /\//g, () => "\\"),
  (uri, random) => uri.replace(/:\/\//, random.pick([":", ":/", ":///", ":////", ":\\\\", ":\\/"])),
  (uri, random) =>
    uri.replace(
      /^file:\/\/\//,
      random.pick(["file:/", "file://localhost/", "file:\\\\\\", "file:", "file:////../", "FILE://LOCALHOST/"]),
    ),
];

const canonical = (uri) => {
  try {
    return new URL(uri).toString();
  } catch {
    return undefined;
  }
};

/** Returns whether `new URL` parses both texts as the same resource. */
export const same = (one, other) => canonical(one) !== undefined && canonical(one) === canonical(other);

/** Returns a random spelling of `uri` that differs in its bytes, verified with `new URL`. */
export function respell(uri, random) {
  for (;;) {
    let spelling = uri;
    for (let rounds = 1 + random.below(3); rounds > 0; rounds -= 1) spelling = random.pick(CHANGES)(spelling, random);
    if (spelling !== uri && same(spelling, uri)) return spelling;
  }
}
