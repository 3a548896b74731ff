import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from './kafka-trouble.js';

/** A partition is new, or moving to another broker. */
export const moving: ReadonlySet<string> = new Set(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE']);
/** The same, or a listed topic is new: some brokers learn of it a moment later than the one that listed it. */
export const movingOrNew: ReadonlySet<string> = new Set([...moving, 'UNKNOWN_TOPIC_OR_PARTITION']);
/** Brokers elect a new leader within a second or two. */
export const usualPausesMs: readonly number[] = [50, 100, 200, 400, 800];

/**
 * Retries with a new client while the brokers give an answer that passes.
 *
 * @param passing the answers that pass by themselves.
 * @param close ends the client: a new one refreshes its metadata.
 * @param pausesMs the pauses before the attempts after the first.
 * @throws the error of the broker, or of the connection.
 */
export async function askWhile<T>(
  passing: ReadonlySet<string>,
  ask: () => Promise<T>,
  close: () => Promise<void>,
  pausesMs: readonly number[],
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      await close();
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !passing.has(answerOf(error) ?? '')) throw error;
      await delay(pauseMs);
    }
  }
}
