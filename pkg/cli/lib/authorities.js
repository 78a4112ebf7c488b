// @ts-check
// The certificate authorities that workerd trusts. It reads those of the system, and does not start without any, as in container
// images that leave them out. Node brings its own.
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { Unreadable } from "./cli-error.js";
import { createFile } from "./files.js";

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
 * Returns the variables by which workerd finds authorities, beside those of its environment, and the certificates of the file
 * that NODE_EXTRA_CA_CERTS names, which Node trusts too. Where the system has no authorities, those of Node are written into `folder`.
 * @param {string} folder
 * @param {Record<string, string | undefined>} [environment]
 * @param {string[]} [places]
 * @returns {{ variables: Record<string, string>, extra: string | undefined }}
 * @throws {Unreadable} if that file has no certificate, or one that cannot be read
 */
export function authorities(folder, environment = process.env, places = PLACES) {
  const { SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS } = environment;
  const extra = NODE_EXTRA_CA_CERTS ? certificatesOf(NODE_EXTRA_CA_CERTS) : undefined;
  if (process.platform !== "linux" || SSL_CERT_FILE || SSL_CERT_DIR || places.some(hasAny))
    return { variables: {}, extra };
  const path = join(folder, "authorities.pem");
  createFile(path, rootCertificates.join("\n"));
  return { variables: { SSL_CERT_FILE: path }, extra };
}

/** A certificate in PEM form. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the certificates of a file as PEM; nothing if it cannot be read, of which Node itself warns.
 * @throws {Unreadable} if the file has no certificate, or one that cannot be read. workerd would not start.
 */
function certificatesOf(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    throw new Unreadable(`NODE_EXTRA_CA_CERTS: a certificate of ${path} cannot be read: ${error.message}`);
  }
  if (certificates.length === 0)
    throw new Unreadable(`NODE_EXTRA_CA_CERTS: expected certificates in PEM form in ${path}`);
  return `${certificates.join("\n")}\n`;
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
