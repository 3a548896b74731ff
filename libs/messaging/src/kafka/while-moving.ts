import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from './kafka-trouble.js';

/** A partition is new, or moving to another broker. */
export const moving: ReadonlySet<string> = new Set(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE']);
/** The same, or a listed topic is new: some brokers learn of it a moment later than the one that listed it. */
export const movingOrNew: ReadonlySet<string> = new Set([...moving, 'UNKNOWN_TOPIC_OR_PARTITION']);
/** Brokers elect a new leader within a second or two, and need longer for many new partitions on a busy machine. */
const longestWaitMs = 30_000;
const [firstPauseMs, longestPauseMs] = [50, 1000];

/**
 * Retries with a new client while the brokers give an answer that passes.
 *
 * @param passing the answers that pass by themselves.
 * @param close ends the client: a new one refreshes its metadata.
 * @throws the error of the broker, or of the connection.
 */
export async function askWhile<T>(
  passing: ReadonlySet<string>,
  ask: () => Promise<T>,
  close: () => Promise<void>,
): Promise<T> {
  const until = performance.now() + longestWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await ask();
    } catch (error) {
      await close();
      if (performance.now() > until || !passing.has(answerOf(error) ?? '')) throw error;
      await delay(pauseMs);
    }
  }
}
