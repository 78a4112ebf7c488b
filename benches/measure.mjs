// Times contenders in turn, so that a slowdown of the machine affects all of them.

const SAMPLE_MS = 12;
const now = () => performance.now();

/** Returns the milliseconds that `times` calls take. */
function time(run, times) {
  const start = now();
  for (let turn = 0; turn < times; turn += 1) run();
  return now() - start;
}

/** Returns how often a function runs in one sample. A slow function runs once. */
function repeats(run) {
  for (let times = 1; ; times *= 4) {
    // The best of three, so that a pause of the machine does not look like a slow function.
    const took = Math.min(time(run, times), time(run, times), time(run, times));
    if (took >= SAMPLE_MS / 4) return Math.max(1, Math.round((times * SAMPLE_MS) / took));
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Takes contenders as name → function. Returns name → microseconds per call, the median of `rounds`. */
export function race(contenders, rounds = 7) {
  const lanes = Object.entries(contenders).map(([name, run]) => ({ name, run, times: repeats(run), samples: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const lane of lanes) lane.samples.push((time(lane.run, lane.times) * 1000) / lane.times);
  }
  return Object.fromEntries(lanes.map(({ name, samples }) => [name, median(samples)]));
}
