import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from './kafka-trouble.js';

/** A partition is new, or on its way to another broker. */
const moving = /^(NOT_LEADER_FOR_PARTITION|LEADER_NOT_AVAILABLE)$/;
const tries = 3;
const pauseMs = 50;

/**
 * Asks again, by a new client, while a partition is on its way to another broker.
 *
 * @param close ends the client: a new one asks again where the partitions are.
 * @throws what the broker, or its absence, has to say.
 */
export async function askWhileMoving<T>(ask: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      await close();
      if (attempt === tries || !moving.test(answerOf(error) ?? '')) throw error;
      await delay(attempt * pauseMs);
    }
  }
}
