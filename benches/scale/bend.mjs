// Whether a cost grows faster than the number that it is of.

/** The most by which four times the number may multiply a cost. */
export const MAX_RATIO = 4.5;
/** Its exponent: 4 raised to it is the ratio. */
const MAX_GROWTH = Math.log(MAX_RATIO) / Math.log(4);
/** Sizes nearer to each other are not compared: chance would count for more than growth. */
const MIN_STEP = 3.5;

/** The steepest step of a curve as an exponent (`growth`), and whether that is more than it may be (`bends`). */
export function bend(sizes, costs) {
  const steps = sizes.flatMap((size, at) => {
    const next = sizes.findIndex((other) => other >= size * MIN_STEP);
    return next < 0 ? [] : [Math.log(costs[next] / costs[at]) / Math.log(sizes[next] / size)];
  });
  const growth = Math.max(...steps);
  return { growth, bends: growth > MAX_GROWTH };
}
