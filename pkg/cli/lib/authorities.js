// @ts-check
// The certificate authorities that workerd trusts. It reads those of the system, and does not start without any, as in container
// images that leave them out. Node brings its own.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";

/** The files and folders in which Linux systems keep their authorities. */
const PLACES = [
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/opt/etc/ssl/certs/ca-certificates.crt",
];

/**
 * Returns the variables by which workerd finds authorities, beside those of its environment, and the text of the file that
 * NODE_EXTRA_CA_CERTS names, which Node trusts too. Where the system has no authorities, those of Node are written into `folder`.
 * @param {string} folder
 * @param {Record<string, string | undefined>} [environment]
 * @param {string[]} [places]
 * @returns {{ variables: Record<string, string>, extra: string | undefined }}
 */
export function authorities(folder, environment = process.env, places = PLACES) {
  const { SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS } = environment;
  const extra = NODE_EXTRA_CA_CERTS ? contentOf(NODE_EXTRA_CA_CERTS) : undefined;
  if (process.platform !== "linux" || SSL_CERT_FILE || SSL_CERT_DIR || places.some(hasAny))
    return { variables: {}, extra };
  const path = join(folder, "authorities.pem");
  writeFileSync(path, rootCertificates.join("\n"));
  return { variables: { SSL_CERT_FILE: path }, extra };
}

/** Returns the text of a file; nothing if it cannot be read, of which Node itself warns. */
function contentOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns whether a place is a file, or a folder with something in it. */
function hasAny(place) {
  if (!existsSync(place)) return false;
  try {
    return readdirSync(place).length > 0;
  } catch {
    return true;
  }
}
