// Contestants side by side: the same input, in the same run, in turn, so that what the machine does meanwhile hits all.

/** Rounds after the warm-up. */
export const ROUNDS = 7;
/** A contestant slower than this, in ms, is given no more rounds than it has had: `slow` says so in the table. */
const TOO_SLOW = 20_000;

/** Times of every contestant, in ms: `[{name, times}]`. `contestants` is `[{name, run, tidy?, rounds?}]`:
 * `run` may be async, `tidy` is not timed. */
export async function sideBySide(contestants, { rounds = ROUNDS, warmUp = 3 } = {}) {
  const results = contestants.map(({ name }) => ({ name, times: [] }));
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      // Who comes first changes from round to round: nobody always inherits the same neighbour's garbage.
      const at = (turn + round + warmUp) % contestants.length;
      const { run, tidy, rounds: own = rounds } = contestants[at];
      const { times } = results[at];
      // Who has few rounds has one to warm up, or none.
      if (round >= 0 ? times.length >= own : own < rounds && (round < -1 || own === 1)) continue;
      if (times.some(time => time > TOO_SLOW)) continue;
      globalThis.gc?.();
      const start = performance.now();
      const pending = run();
      if (pending instanceof Promise) await pending;
      const time = performance.now() - start;
      tidy?.();
      if (round >= 0 || time > TOO_SLOW) times.push(time);
    }
    // Lets the page's own work through between the rounds, not into one.
    await new Promise(done => setTimeout(done, 0));
  }
  return results;
}

/** The smallest, middle and p99 of some times. */
export function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = share => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { min: sorted[0], median: at(0.5), p99: at(0.99), rounds: sorted.length };
}
