// Listings that expire while something is measured.

/** How long the gateway keeps a listing at least, in milliseconds, whatever its server states. */
export const MIN_TTL_MS = 300;
/** Settings of a server with that minimum. */
export const shortLived = { minTtlMs: MIN_TTL_MS };
