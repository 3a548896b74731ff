import type { RunLog } from './runs/run-log.js';
import type { Turn } from './turns.js';

/**
 * Records the outcomes of the last victims while the run waits for the turn to check the next ones: neither depends on the other, and a
 * commit takes as long as a turn.
 */
export async function recordWhileWaiting<T extends { turn: Turn }>(
  run: RunLog,
  takeTurn: () => Promise<T>,
): Promise<T> {
  const recording = run.hasNews ? run.record() : undefined;
  const [recorded, taken] = await Promise.allSettled([recording, takeTurn()]);
  if (taken.status === 'rejected') throw taken.reason;
  if (recorded.status === 'fulfilled') return taken.value;
  taken.value.turn.end();
  throw recorded.reason;
}
