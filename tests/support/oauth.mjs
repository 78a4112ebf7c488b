// The sign-in to upstream servers, bundled from its sources as the build does it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns the module. */
export async function loadOauth() {
  const folder = mkdtempSync(join(tmpdir(), "sieve-oauth-"));
  try {
    execFileSync(fileURLToPath(new URL("../../scripts/build-oauth", import.meta.url)), [join(folder, "oauth.mjs")]);
    return await import(pathToFileURL(join(folder, "oauth.mjs")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
