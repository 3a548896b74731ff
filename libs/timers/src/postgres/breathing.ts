import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'bullmq';

/** An answer that is there sooner was never asked of the server. */
const soonestMs = 1;
const breathMs = 50;

/**
 * BullMQ asks for the next job in a loop. Where there is no one to ask, it is answered at once, by no job or by an error, and
 * would ask again without letting anything else in the process run, forever: not even the end of the process.
 */
export function breathing<T extends Worker>(worker: T): T {
  const asking = worker as unknown as Asking;
  const ask = asking._getNextJob.bind(worker);
  asking._getNextJob = async (...words) => {
    const asked = performance.now();
    let job: unknown;
    try {
      job = await ask(...words);
      return job;
    } finally {
      if (!job && performance.now() - asked < soonestMs) await delay(breathMs);
    }
  };
  return worker;
}

interface Asking {
  _getNextJob(...words: unknown[]): Promise<unknown>;
}
