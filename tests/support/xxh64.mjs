// The hashes of a filter's report, reimplemented from their description (src/filter/hash.rs) and that of XXH64.
const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const u64 = (n) => BigInt.asUintN(64, n);
const rotl = (n, by) => u64((n << by) | (n >> (64n - by)));
const round = (acc, lane) => u64(rotl(u64(acc + lane * P2), 31n) * P1);
const merge = (acc, lane) => u64((acc ^ round(0n, lane)) * P1 + P4);

function xxh64(bytes, seed) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let hash;
  if (bytes.length >= 32) {
    const lanes = [u64(seed + P1 + P2), u64(seed + P2), seed, u64(seed - P1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let lane = 0; lane < 4; lane++) lanes[lane] = round(lanes[lane], view.getBigUint64(at + lane * 8, true));
    }
    hash = u64(rotl(lanes[0], 1n) + rotl(lanes[1], 7n) + rotl(lanes[2], 12n) + rotl(lanes[3], 18n));
    for (const lane of lanes) hash = merge(hash, lane);
  } else {
    hash = u64(seed + P5);
  }
  hash = u64(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8)
    hash = u64(rotl(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  for (; at + 4 <= bytes.length; at += 4)
    hash = u64(rotl(hash ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
  for (; at < bytes.length; at++) hash = u64(rotl(hash ^ u64(BigInt(bytes[at]) * P5), 11n) * P1);
  hash = u64((hash ^ (hash >> 33n)) * P2);
  hash = u64((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}

/** Returns the hash of parts. Each is hashed after its length. */
export function hashOf(...parts) {
  const pieces = parts.flatMap((part) => {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    return [length, bytes];
  });
  const bytes = Buffer.concat(pieces);
  return [0n, 1n].map((seed) => xxh64(bytes, seed).toString(16).padStart(16, "0")).join("");
}

/** Returns the hash of a list from the text of its array: the hash of its elements' hashes, 16 bytes each. */
export function resultHashOf(array) {
  let depth = 0;
  let start = 1;
  const hashes = [];
  for (const { 0: part, index } of array.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/gs)) {
    const outside = depth === 1 && (part === "," || part === "]");
    if (outside && index > start) hashes.push(Buffer.from(hashOf(array.slice(start, index)), "hex"));
    if (outside) start = index + 1;
    if (part === "[" || part === "{") depth += 1;
    if (part === "]" || part === "}") depth -= 1;
  }
  return hashOf(Buffer.concat(hashes));
}

/** Returns the text of the array that is the first member `key` in `text`. */
export function arrayText(text, key) {
  const start = text.indexOf(`"${key}":[`) + key.length + 3;
  let depth = 0;
  for (const { 0: part, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[[\]]/gs)) {
    if (part === "[") depth += 1;
    if (part === "]" && --depth === 0) return text.slice(start, start + index + 1);
  }
  throw new Error(`no array \`${key}\``);
}
