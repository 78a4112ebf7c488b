// @ts-check
// Addresses: which only this machine or its own network reaches, and what is printed of them.
import { BlockList, isIP } from "node:net";

const LOOPBACK = listOf(["127.0.0.0", 8], ["::1", 128]);
/** Networks of which no address is public: loopback, private, link-local, shared and unspecified. */
const INTERNAL = listOf(
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["::", 128],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
);
/** Names that the public name service does not resolve (RFC 6761, RFC 6762, RFC 9476, and Docker's). */
const INTERNAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|lan)$/i;

/**
 * @param {string} address
 * @returns {"ipv4" | "ipv6"}
 */
function familyOf(address) {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

function listOf(...networks) {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

const within = (list, host) => isIP(host) !== 0 && list.check(host, familyOf(host));

/** Whether only this machine can reach what listens on `host`. */
export const isLoopback = (host) => /^localhost$/i.test(host) || within(LOOPBACK, host);

/** An address as it is printed: users and parameters of URLs may be credentials. */
export const withoutSecrets = (address) => address.replace(/(:\/\/|^)[^/?#]*@/, "$1").replace(/\?[^#]+/, "?…");

/** Whether the address of a server is out of reach for a Worker at the edge. */
export function isInternal(url) {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  // A name without a dot is one of this network, such as a container's.
  return isIP(host) === 0 ? !host.includes(".") || INTERNAL_NAMES.test(host) : within(INTERNAL, host);
}
