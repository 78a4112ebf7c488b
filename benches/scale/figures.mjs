// Percentiles, and the formatting of numbers.

/** Returns the value below which a share of the samples lies. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Returns the median, the 95th percentile and the maximum. */
export const spread = (samples) => ({
  median: percentile(samples, 0.5),
  p95: percentile(samples, 0.95),
  max: samples.reduce((most, sample) => Math.max(most, sample), 0),
});

/** Formats a number: below 100 with two significant digits, otherwise as an integer with thousands separators. */
export const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
