// Detects costs that grow faster than linearly.

/** Maximum factor of a cost when its number is multiplied by four. */
export const MAX_RATIO = 4.5;
/** The exponent of that growth: 4 raised to it is the ratio. */
const MAX_GROWTH = Math.log(MAX_RATIO) / Math.log(4);
/** Minimum ratio of two sizes that are compared. Between nearer sizes, noise would exceed growth. */
const MIN_STEP = 3.5;

/** Returns the steepest step of a curve as an exponent (`growth`), and whether it exceeds the maximum (`bends`). */
export function bend(sizes, costs) {
  const steps = sizes.flatMap((size, at) => {
    const next = sizes.findIndex((other) => other >= size * MIN_STEP);
    return next < 0 ? [] : [Math.log(costs[next] / costs[at]) / Math.log(sizes[next] / size)];
  });
  const growth = Math.max(...steps);
  return { growth, bends: growth > MAX_GROWTH };
}
