// Addresses that are not public, in the spellings that `URL` accepts.

/** First and last address of each range. */
const V4 = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["224.0.0.0", "255.255.255.255"],
];
const NAMES = ["localhost", "a.localhost", "printer.local", "metadata.google.internal", "intranet", "router.home.arpa"];
const V6 = [
  (hex) => `fe80::${hex(4)}`,
  (hex) => `fc00:${hex(4)}::${hex(4)}`,
  (hex) => `fd${hex(2)}:${hex(4)}:${hex(4)}::1`,
  (hex) => `ff02::${hex(4)}`,
  (hex) => `fec0::${hex(4)}`,
  (hex) => `::${hex(4)}`,
  (hex) => `64:ff9b:1::${hex(4)}`,
  (hex) => `2001:db8:${hex(4)}::1`,
  (hex) => `2001::${hex(4)}:${hex(4)}`,
  (hex) => `${["0", "1", "4000", "8000", "a000", "e000"][hex(1).charCodeAt(0) % 6]}:${hex(4)}::1`,
];

const numberOf = (text) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const partsOf = (number) => [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256);
const dotted = (number) => partsOf(number).join(".");
const hex = (number, length = 0) => number.toString(16).padStart(length, "0");

/** The spellings of an IPv4 address, some of them inside IPv6. */
const SPELLINGS = [
  dotted,
  (number) => `${dotted(number)}.`,
  String,
  (number) => `0x${hex(number)}`,
  (number) => `0X${hex(number).toUpperCase()}`,
  (number) => `0${number.toString(8)}`,
  (number) =>
    partsOf(number)
      .map((part) => `0x${hex(part)}`)
      .join("."),
  (number) =>
    partsOf(number)
      .map((part) => `0${part.toString(8)}`)
      .join("."),
  (number) =>
    partsOf(number)
      .map((part) => String(part).padStart(1, "0"))
      .join("%2e"),
  (number) => `${Math.floor(number / 2 ** 24)}.${number % 2 ** 24}`,
  (number) => `${partsOf(number).slice(0, 2).join(".")}.${number % 2 ** 16}`,
  (number) => dotted(number).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (number) => dotted(number).replaceAll(".", "。"),
  (number) => `[::ffff:${dotted(number)}]`,
  (number) => `[::ffff:${hex(Math.floor(number / 65_536))}:${hex(number % 65_536)}]`,
  (number) => `[0:0:0:0:0:FFFF:${dotted(number)}]`,
  (number) => `[::${dotted(number)}]`,
  (number) => `[64:ff9b::${dotted(number)}]`,
  (number) => `[2002:${hex(Math.floor(number / 65_536), 4)}:${hex(number % 65_536, 4)}::1]`,
];

/** Yields `count` addresses, by a seeded source of random numbers. */
export function* privateAddresses(random, count) {
  const { below, pick } = random;
  for (let at = 0; at < count; at += 1) {
    const kind = at % 8;
    const port = pick(["", "", ":8443", ":80"]);
    if (kind === 0) {
      const host = pick(NAMES);
      yield `https://${pick([host, host.toUpperCase(), `${host}.`])}${port}`;
    } else if (kind === 1) {
      const digits = (length) => hex(below(16 ** length), length);
      yield `https://[${pick(V6)(digits)}]${port}`;
    } else {
      const [from, to] = pick(V4).map(numberOf);
      const number = pick([from, to, from + below(to - from + 1)]);
      yield `https://${pick(SPELLINGS)(number)}${port}`;
    }
  }
}
