import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from './kafka-trouble.js';

/** A partition is new, or moving to another broker. */
const moving = /^(NOT_LEADER_FOR_PARTITION|LEADER_NOT_AVAILABLE)$/;
const tries = 3;
const pauseMs = 50;

/**
 * Retries with a new client while a partition is moving to another broker.
 *
 * @param close ends the client: a new one refreshes its metadata.
 * @throws the error of the broker, or of the connection.
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
