import type { DataSource } from 'typeorm';
import { type ClusterReader, type RoundScope, takeRoundSnapshot } from '#clusters';
import type { ClusterSnapshot } from '#contracts';
import { readPreempted } from './preempted-applications.js';

/**
 * Takes the snapshot of a whole partition for a round: that of `takeRoundSnapshot`, with the time when each application
 * last lost an allocation to a round (docs/reference/policies/intra-queue.md §9).
 *
 * @throws TooManyAllocations
 */
export async function takeInQueueSnapshot(
  db: DataSource,
  reader: ClusterReader,
  scope: RoundScope,
): Promise<ClusterSnapshot> {
  const lostAt = await readPreempted(db, scope.partition);
  const snapshot = await takeRoundSnapshot(db, reader, scope);
  return {
    ...snapshot,
    applications: snapshot.applications.map((application) => {
      const lastPreemptedAt = lostAt.get(application.id);
      return lastPreemptedAt === undefined
        ? application
        : { ...application, properties: { ...application.properties, lastPreemptedAt } };
    }),
  };
}
