import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'bullmq';

/** An earlier answer did not come from the server. */
const soonestMs = 1;
const breathMs = 50;

/**
 * BullMQ requests the next job in a loop. Without a connection it gets no job or an error at once, and would repeat the request
 * without letting anything else in the process run, not even its shutdown. This adds a pause to such requests.
 */
export function breathing<T extends Worker>(worker: T): T {
  const asking = worker as unknown as Asking;
  const ask = asking._getNextJob.bind(worker);
  asking._getNextJob = async (...args) => {
    const asked = performance.now();
    let job: unknown;
    try {
      job = await ask(...args);
      return job;
    } finally {
      if (!job && performance.now() - asked < soonestMs) await delay(breathMs);
    }
  };
  return worker;
}

interface Asking {
  _getNextJob(...args: unknown[]): Promise<unknown>;
}
