import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { RepeatedWarning } from '#platform';
import { forgetLimits, type LimitedService, noteLimitEveryMs, noteLimits } from '#runs';
import { Sampler } from './samples.js';
import type { Worker } from './service-app.js';

/**
 * Keeps on record, as long as this process runs, which of its services only observe.
 *
 * @param options.alone no other process uses the database: what a killed one left behind is forgotten at once.
 */
export function limitsOnRecord(
  db: DataSource,
  services: readonly LimitedService[],
  { log, alone }: { log: Logger; alone: boolean },
): Worker {
  const process = randomUUID();
  const note = () => noteLimits(db, process, services);
  const failed = new RepeatedWarning(
    log,
    'Could not record whether this process only observes; the console may show another mode.',
  );
  const sampler = new Sampler(noteLimitEveryMs, note, failed);
  return {
    start: async () => {
      if (alone) await forgetLimits(db);
      await note();
      sampler.start();
    },
    stop: async () => {
      await sampler.stop();
      await forgetLimits(db, process);
    },
  };
}
