import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { ProblemException } from '#platform';
import { runsWithMissing } from '../read-model/missing-victims.js';

/*
 * The victims of a large plan are listed some seconds after their run. Until then, a request for victims waits, or gets the answer to try again:
 * an answer without them would state that they were not chosen.
 */

/** How long a request waits for the victims of a run. */
const victimsWithinMs = 10_000;
const lookAgainMs = 50;

/**
 * Reads something until the victims behind it are there.
 *
 * @param missing a run whose victims it lacks, or undefined.
 * @throws ProblemException if they do not follow in time.
 */
export async function onceThere<T>(
  read: () => Promise<T>,
  missing: (found: T) => Promise<string | undefined>,
): Promise<T> {
  for (const end = performance.now() + victimsWithinMs; ; await delay(lookAgainMs)) {
    const found = await read();
    const enforcement = await missing(found);
    if (enforcement === undefined) return found;
    if (performance.now() > end) throw victimsFollow(enforcement);
  }
}

/**
 * Waits for the victims of all runs of a partition, or of all partitions.
 *
 * @throws ProblemException if they do not follow in time.
 */
export function victimsAreThere(db: DataSource, partition?: string): Promise<void> {
  return onceThere(
    async () => {},
    async () => (await runsWithMissing(db, partition))[0],
  );
}

const victimsFollow = (enforcement: string) =>
  new ProblemException(
    {
      code: 'victims-follow',
      title: 'The victims of the run are still being listed',
      status: 503,
      detail: `The console still adds the victims of run ${enforcement} to what it shows.`,
      remedy: 'Send the request again in a few seconds.',
      retryAfterSeconds: 5,
    },
    { 'Retry-After': '5' },
  );
