// @ts-check
// The addresses to which a sign-in may send requests and browsers. Metadata names them, so they are checked: a server must
// not lead the gateway to hosts of its own network. Only what the address itself shows is checked, not what a name resolves to.
import { fail } from "./failure.js";

/** Maximum length of an address in metadata, in bytes. */
const MAX_ADDRESS = 2_048;
/** Suffixes of names that are never public. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
/**
 * Ranges of IPv4 that are not public, as first address and length of the prefix (RFC 6890).
 * @type {[number, number][]}
 */
const PRIVATE_RANGES = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 3],
];

/** @typedef {"public" | "private" | "loopback"} Kind */

/** @type {(address: number) => Kind} */
function kindOfV4(address) {
  if (address >>> 24 === 127) return "loopback";
  return PRIVATE_RANGES.some(([first, bits]) => (address ^ first) >>> (32 - bits) === 0) ? "private" : "public";
}

/**
 * Returns the eight groups of an IPv6 address, as `URL` writes it: without an IPv4 part, and with at most one `::`.
 * @type {(text: string) => number[]}
 */
function groupsOf(text) {
  const [head, tail] = text.split("::").map((side) => (side === "" ? [] : side.split(":")));
  const filled = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return filled.map((group) => Number.parseInt(group, 16));
}

/** @type {(text: string) => Kind} */
function kindOfV6(text) {
  const groups = groupsOf(text);
  const v4 = (/** @type {number} */ at) => kindOfV4(((groups[at] << 16) | groups[at + 1]) >>> 0);
  const isZero = (/** @type {number} */ from, /** @type {number} */ to) =>
    groups.slice(from, to).every((group) => group === 0);
  if (isZero(0, 7) && groups[7] === 1) return "loopback";
  // IPv4 in IPv6: mapped, translated (RFC 6052), and 6to4.
  if (isZero(0, 5) && groups[5] === 0xffff) return v4(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && isZero(2, 6)) return v4(6);
  if (groups[0] === 0x2002) return v4(1);
  const isReserved = groups[0] === 0x2001 && (groups[1] < 0x200 || groups[1] === 0xdb8);
  return groups[0] >>> 13 === 1 && !isReserved ? "public" : "private";
}

/**
 * Returns whether a host is public. `URL` has already written decimal, octal and hexadecimal forms of IPv4 as four numbers.
 * @type {(url: URL) => Kind}
 */
export function kindOf(url) {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return kindOfV6(host.slice(1, -1));
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (parts) return kindOfV4(parts.slice(1).reduce((sum, part) => sum * 256 + Number(part), 0));
  if (/(?:^|\.)localhost$/.test(host)) return "loopback";
  return !host.includes(".") || PRIVATE_NAMES.test(host) ? "private" : "public";
}

/**
 * Returns the address that a text is, or nothing.
 * @type {(text: unknown, limit?: number) => URL | undefined}
 */
export function parse(text, limit = MAX_ADDRESS) {
  return typeof text === "string" && text.length <= limit && URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Parses an address that the operator wrote: any host, by HTTPS or HTTP.
 * @type {(text: unknown, what: string) => URL}
 */
export function ownAddress(text, what) {
  const url = parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) fail("sign_in_address", `${what} is not an address with https.`);
  return url;
}

/**
 * Parses an address from metadata. It has HTTPS and a public host. A host that `trusted` names may be private, and on loopback
 * both may be: HTTP then is allowed too.
 * @type {(text: unknown, what: string, trusted: URL[]) => URL}
 */
export function allowedAddress(text, what, trusted) {
  const url = parse(text);
  if (!url || url.username || url.password || url.hash) {
    fail("sign_in_address", `${what} is not an address that a sign-in can use.`);
  }
  const kind = kindOf(url);
  if (kind === "loopback" && trusted.some((other) => kindOf(other) === "loopback")) {
    if (/^https?:$/.test(url.protocol)) return url;
  } else if (kind !== "public" && !trusted.some(({ hostname }) => hostname === url.hostname)) {
    fail(
      "sign_in_address",
      `${what} is at the private address ${url.host}. If it belongs there, name the \`issuer\` in the configuration.`,
    );
  }
  if (url.protocol !== "https:") fail("sign_in_address", `${what} at ${url.host} does not use https.`);
  return url;
}
