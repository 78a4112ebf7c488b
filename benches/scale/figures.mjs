// Percentiles, and the text of numbers.

/** The value below which a share of the samples lies. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Median, 95th percentile and maximum. */
export const spread = (samples) => ({
  median: percentile(samples, 0.5),
  p95: percentile(samples, 0.95),
  max: samples.reduce((most, sample) => Math.max(most, sample), 0),
});

/** A number with three significant digits at most, and thousands apart. */
export const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
