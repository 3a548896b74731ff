import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from './kafka-trouble.js';

/** A partition is new, or moving to another broker. */
const moving = /^(NOT_LEADER_FOR_PARTITION|LEADER_NOT_AVAILABLE)$/;
/** Brokers elect a new leader within a second or two. */
const pausesMs = [50, 100, 200, 400, 800];

/**
 * Retries with a new client while a partition has no leader where the client asks for it.
 *
 * @param close ends the client: a new one refreshes its metadata.
 * @throws the error of the broker, or of the connection.
 */
export async function askWhileMoving<T>(ask: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      await close();
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !moving.test(answerOf(error) ?? '')) throw error;
      await delay(pauseMs);
    }
  }
}
