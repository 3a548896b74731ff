import type { DataSource } from 'typeorm';
import { type Limit } from '#contracts';
import { typesOf } from '#contracts/events';
import { limitInWords, sameLimit } from '#enforcement';
import { runStream } from '#event-store';
import { quotasOfRun } from './statements.js';

/**
 * A sentence if the quota in force differs from the one that a run was planned for, else undefined. A share of the cluster is the
 * same quota, whatever amounts it resolves to.
 */
export async function quotaChangedSince(
  db: DataSource,
  { partition, queue }: { partition: string; queue: string },
  enforcement: string,
): Promise<string | undefined> {
  const [found] = await quotasOfRun(
    db,
    partition,
    queue,
    runStream(enforcement),
    typesOf('EnforcementOpened'),
  );
  if (!found) return undefined;
  const [planned, inForce] = [found.planned, found.inForce].map(limitOf) as [Limit, Limit];
  if (sameLimit(planned, inForce)) return undefined;
  return (
    `The quota of ${queue} changed from ${limitInWords(planned)} to ${limitInWords(inForce)} since this run was planned: ` +
    'it evicts only what the quota in force needs.'
  );
}

const limitOf = (found: { max: Limit['max']; maxShare?: string | null | undefined } | null): Limit => ({
  max: found?.max ?? null,
  ...(found?.maxShare != null && { maxShare: found.maxShare }),
});
