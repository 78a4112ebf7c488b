// Times contenders in turn, so that a machine that slows down slows them all.

const SAMPLE_MS = 12;
const now = () => performance.now();

/** Milliseconds for so many calls. */
function time(run, times) {
  const start = now();
  for (let turn = 0; turn < times; turn += 1) run();
  return now() - start;
}

/** How often a function runs in one sample; a slow one runs once. */
function repeats(run) {
  for (let times = 1; ; times *= 4) {
    // The best of three: a pause of the machine must not pass for a slow function.
    const took = Math.min(time(run, times), time(run, times), time(run, times));
    if (took >= SAMPLE_MS / 4) return Math.max(1, Math.round((times * SAMPLE_MS) / took));
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Name → function, to name → microseconds a call: the median of `rounds`. */
export function race(contenders, rounds = 7) {
  const lanes = Object.entries(contenders).map(([name, run]) => ({ name, run, times: repeats(run), samples: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const lane of lanes) lane.samples.push((time(lane.run, lane.times) * 1000) / lane.times);
  }
  return Object.fromEntries(lanes.map(({ name, samples }) => [name, median(samples)]));
}
