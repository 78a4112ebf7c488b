// A short lifetime, for lists that expire during a measurement.

/** Minimum time that the gateway keeps a list, in milliseconds, regardless of what its server states. */
export const MIN_TTL_MS = 300;
/** Settings of a server with that minimum. */
export const shortLived = { minTtlMs: MIN_TTL_MS };
