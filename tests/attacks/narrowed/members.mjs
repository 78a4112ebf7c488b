// Arguments as JSON text, made of random combinations: values that a condition forbids, a caller's own values of bound
// parameters, and spellings of their names.
import { HIDDEN, REFUSED } from "./world.mjs";

const quoted = JSON.stringify;
const LOOK_ALIKE = { a: "а", e: "е", i: "і", o: "ο", p: "р", s: "ſ", k: "\u212a", t: "ｔ", m: "ｍ", n: "ո", u: "υ" };
const TAILS = ["", " ", "\u0000", "\u200b", ".", "\ufeff", "\u0301"];
const escapeOf = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Returns a JSON string of `text`, with some letters as escapes. */
export function spelled(text, random, share = 0.2) {
  const letters = [...text].map((letter) =>
    /[a-z]/i.test(letter) && random.chance(share) ? escapeOf(letter) : quoted(letter).slice(1, -1),
  );
  return `"${letters.join("")}"`;
}

const one = (text, random, change) => {
  const place = random.below(text.length);
  return text.slice(0, place) + change(text[place]) + text.slice(place + 1);
};
/** Returns another text that a server may take for `text`. */
export const like = (text, random) =>
  random.pick([
    () => text,
    () => text,
    () => text.toUpperCase(),
    () => one(text, random, (letter) => letter.toUpperCase()),
    () => one(text, random, (letter) => LOOK_ALIKE[letter] ?? letter),
    () => one(text, random, (letter) => LOOK_ALIKE[letter] ?? letter),
    () => text + random.pick(TAILS),
    () => random.pick(TAILS) + text,
    () => `${random.pick(["upstream", "sieve", "x"])}${random.pick(["_", "__", ".", "/", ":"])}${text}`,
    () => text.replace("_", random.pick(["-", "", " "])),
    () => one(text, random, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ])();

const FORBIDDEN_NUMBERS = [
  "101",
  "5000",
  "1e400",
  "1E3",
  "100.0000000000000001",
  "100.00000000000000000000000000001",
  "0.00101e5",
  "9007199254740993",
  "1000000e-3",
  "1e99999999999999999999",
  '"50"',
  '"5000"',
  "null",
  "true",
  "[]",
  "[5,5000]",
  "[[5],[5000]]",
  "[5,null]",
  "{}",
  '{"amount":5}',
  "NaN",
  "Infinity",
  "0x10",
  "+5",
  "05000",
  "5.",
  "1_000",
  "[[7]]",
  "1e-400",
];
const NUMBERS = ["5", "100", "1e2", "1E2", "-0", "-3.5", "100.0", "0.1e3", "[5,6]"];
const texts = (good, ...bad) => ({
  good: (random) => spelled(good, random),
  bad: (random) =>
    random.pick([
      () => spelled(like(random.pick(bad), random), random),
      () => spelled(like(good, random), random),
      () =>
        spelled(
          one(good, random, (letter) => LOOK_ALIKE[letter] ?? "x"),
          random,
        ),
      () => `[${random.shuffle([quoted(good), quoted(random.pick(bad))]).join()}]`,
      () => random.pick(["null", "7", "{}", "[]", "true", '"\\ud800"', '""', `{"a":${quoted(good)}}`]),
    ])(),
});
const STEPS = [
  "..",
  "%2e%2e",
  "%252e%252e",
  "%25252e%2e",
  ".%2E",
  "..;a",
  ".. ",
  " ..",
  "...",
  "．．",
  "%c0%ae%c0%ae",
  "..\u0000",
  "..\u200b",
  ".\t.",
  "%uff0e%uff0e",
  ".",
  "",
  "a",
  "~",
  "$HOME",
  "..\\..",
];
const SLASHES = ["/", "/", "\\", "%2f", "%5c", "%252f", "//", "∕", "／", "\\u005c", "/./"];
const PREFIXES = ["", "", "", "file://", "file:", "FILE:///", "file://localhost", " ", "\\\\?\\", "/", "C:", "."];
const paths = {
  good: (random) => spelled(random.pick(["/srv/public", "/srv/public/a.b/c", "/srv/public/"]), random),
  bad: (random) => {
    const steps = Array.from(
      { length: 1 + random.below(5) },
      () => random.pick(SLASHES) + random.pick([...STEPS, "..", ".."]),
    );
    const begin = random.pick(["/srv/public", "/srv/public", "/srv/PUBLIC", "/srv", "/srv/publicx", "srv/public"]);
    return spelled(
      random.pick(PREFIXES) + begin + steps.join("") + random.pick(["", "/etc/passwd", "/", "..", "\u0000.txt", "%00"]),
      random,
      0.1,
    );
  },
};
const HOSTS = [
  "api.acme.com@evil.example",
  "api.acme.com.evil.example",
  "api.acme.com\\@evil.example",
  "api.acme.com%2f@evil.example",
  "api.acme.com%00.evil.example",
  "evil.example#@api.acme.com",
  "evil.example?api.acme.com",
  "evil.example\\api.acme.com",
  "user:api.acme.com@evil.example",
  "api.acme.com:80",
  "аpi.acme.com",
  "api。acme.com",
  "api.acme.com.",
  "api.acme.com\t.evil.example",
  "api.acme.comevil.example",
  "api.acme.com;.evil.example",
];
const urls = {
  good: (random) => quoted(random.pick(["https://api.acme.com/", "https://api.acme.com/v1?q=1"])),
  bad: (random) =>
    spelled(
      random.pick([
        "https://",
        "https://",
        "https:",
        "http://",
        "https:\\\\",
        "https:///",
        " https://",
        "//",
        "HTTPS://",
      ]) +
        random.pick(HOSTS) +
        random.pick(["", "/", "/v1", "/../", "\\..", "?a", "#a"]),
      random,
      0.1,
    ),
};
const numbers = {
  good: (random) => random.pick(NUMBERS),
  bad: (random) => random.pick(FORBIDDEN_NUMBERS),
};
const small = { good: (random) => random.pick(["5", "10", "1e1", "-0"]), bad: numbers.bad };
const flags = {
  good: () => "false",
  bad: (random) => random.pick(["true", '"false"', "0", "null", "[]", "[false,true]", '""', "{}", "False"]),
};
const own = {
  good: (random) => random.pick(['"EVIL-own"', "7", "null", "[]", '"TENANT-root"', "{}"]),
  bad: (random) => random.pick(['"EVIL-own"', "7", "null", '["EVIL-own"]', '"TENANT-root"', '""', "false"]),
};
/** The argument of each tool that is attacked, and its values. */
const TOOLS = {
  pay: ["amount", numbers],
  mark: ["amount", numbers],
  page: ["limit", small],
  push: ["repo", texts("acme/site", "evil/site", "acme/secret")],
  send: ["mail.to", texts("a@example.com", "eve@evil.example")],
  wipe: ["force", flags],
  load: ["path", paths],
  open: ["url", urls],
  order: [["tenant_id", "region", "options.limit", "options"], own],
  ship: ["tenant_id", own],
  [HIDDEN]: ["a", own],
  [REFUSED]: ["a", own],
};
export const NAMES = Object.keys(TOOLS);

/** Returns the member at a path, with a spelling of each key: nested, or under one key with dots. */
function member(path, value, random) {
  if (random.chance(0.08)) return `${spelled(path, random)}:${value}`;
  const [key, ...rest] = path.split(".");
  const inner = () => member(rest.join("."), value, random);
  const text = rest.length === 0 ? value : random.chance(0.1) ? `[{${inner()}}]` : `{${inner()}}`;
  return `${spelled(random.chance(0.3) ? like(key, random) : key, random)}:${text}`;
}

/** Returns arguments that the configuration allows. `unset` tools have bound ones, which a caller leaves out. */
export function allowed(name, random) {
  const [path, values] = TOOLS[name];
  if (values === own) return "{}";
  const [key, inner] = path.split(".");
  const value = values.good(random);
  return inner === undefined ? `{"${key}":${value}}` : `{"${key}":{"${inner}":${value}}}`;
}

/** Returns arguments that try to pass what narrows the tool `name`, as JSON text, valid or not. */
export function forbidden(name, random) {
  const [paths, values] = TOOLS[name];
  const path = random.pick([paths].flat());
  const bad = () => member(path, values.bad(random), random);
  const good = () => (values === own ? '"item":"x"' : member(path, values.good(random), random));
  const shapes = [
    () => [bad()],
    () => [bad()],
    () => [good(), bad()],
    () => [bad(), good()],
    () => [good(), bad(), good()],
    () => [],
    () => [`"arguments":{${bad()}}`, good()],
    () => [`"_meta":{${bad()}}`, good()],
    () => [`"__proto__":{${bad()}}`],
    () => [`"":${values.bad(random)}`, good()],
    () => [`"params":{"arguments":{${bad()}}}`, good()],
    () => [good(), `"deep":${"[".repeat(random.pick([3, 130]))}{${bad()}}`],
  ];
  return `{${random
    .pick(shapes)()
    .join(random.pick([",", ", ", ",\n"]))}}`;
}
