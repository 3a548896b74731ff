import type { DataSource } from 'typeorm';
import { type ClusterReader, type RoundScope, takeRoundSnapshot } from '#clusters';
import type { ClusterSnapshot, Resources, SnapshotQueue } from '#contracts';
import { type Departure, departuresAfter, freedRoomMs, freedRoomOf } from './departures.js';
import { readDepartures, readEvicted, readPreempted } from './intra-queue-tables.js';

/** The input of a round, and the departures that the next round compares with its own. */
export interface InQueueInput {
  snapshot: ClusterSnapshot;
  departures: { before: Departure[]; after: Departure[] };
}

/**
 * Takes the snapshot of a whole partition for a round: that of `takeRoundSnapshot`, with the time when each application
 * last lost an allocation to a round, and the room of each queue that was freed lately and is not taken yet
 * (docs/reference/policies/intra-queue.md §5.3, §9).
 *
 * @param monitoringIntervalMs of the round; absent: a preview.
 * @throws TooManyAllocations
 */
export async function takeInQueueInput(
  db: DataSource,
  reader: ClusterReader,
  scope: RoundScope,
  monitoringIntervalMs?: number,
): Promise<InQueueInput> {
  const lostAt = await readPreempted(db, scope.partition);
  const snapshot = await takeRoundSnapshot(db, reader, scope);
  const countsMs = freedRoomMs(monitoringIntervalMs);
  // Read after the cluster: what was evicted before the snapshot, and is no longer in it, is not missed.
  const before = await readDepartures(db, scope.partition);
  const since = new Date(Date.parse(snapshot.takenAt!) - countsMs);
  const after = departuresAfter(before, await readEvicted(db, scope.partition, since), snapshot, countsMs);
  const freed = freedRoomOf(after, snapshot);
  return {
    snapshot: {
      ...snapshot,
      queues: snapshot.queues.map((queue) => withFreedRoom(queue, freed.get(queue.path))),
      applications: snapshot.applications.map((application) => {
        const lastPreemptedAt = lostAt.get(application.id);
        return lastPreemptedAt === undefined
          ? application
          : { ...application, properties: { ...application.properties, lastPreemptedAt } };
      }),
    },
    departures: { before, after },
  };
}

/** The snapshot alone, for what only looks. */
export async function takeInQueueSnapshot(
  db: DataSource,
  reader: ClusterReader,
  scope: RoundScope,
): Promise<ClusterSnapshot> {
  return (await takeInQueueInput(db, reader, scope)).snapshot;
}

/** Only rounds know this property: one that a configuration has is dropped. */
function withFreedRoom(queue: SnapshotQueue, freedRoom: Resources | undefined): SnapshotQueue {
  const { properties, ...rest } = queue;
  if (freedRoom === undefined && properties?.freedRoom === undefined) return queue;
  const { freedRoom: _, ...others } = properties ?? {};
  return { ...rest, properties: { ...others, ...(freedRoom && { freedRoom }) } };
}
