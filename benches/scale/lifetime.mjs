// How long the gateway keeps a listing at least, whatever its server states.
import { readFileSync } from "node:fs";

const schema = readFileSync(new URL("../../src/config/sieve.schema.json", import.meta.url), "utf8");
const hasMinimum = schema.includes('"minTtlMs"');

/** Settings of a server whose listings are kept for so many milliseconds at least, where the gateway has a minimum. */
export const keptFor = (minTtlMs) => (hasMinimum ? { minTtlMs } : {});

/** The minimum of servers whose listings are to expire while something is measured, in milliseconds. */
export const MIN_TTL_MS = 300;
export const shortLived = keptFor(MIN_TTL_MS);
