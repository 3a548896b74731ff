import type { DataSource } from 'typeorm';
import { type ClusterReader, type RoundScope, takeRoundSnapshot } from '#clusters';
import type { ClusterSnapshot } from '#contracts';
import { readClocksOfRound } from './fair-share-tables.js';

/**
 * Takes the snapshot of a whole partition for a round of fair-share: that of `takeRoundSnapshot`, with the clocks of
 * its pools, operations and nodes (docs/reference/policies/fair-share.md §4, §8.3). States of starvation that the
 * cluster reports are ignored.
 *
 * @throws TooManyAllocations
 */
export async function takeFairShareSnapshot(
  db: DataSource,
  reader: ClusterReader,
  scope: RoundScope,
): Promise<ClusterSnapshot> {
  const { partition } = scope;
  const rows = await readClocksOfRound(db, partition);
  const clocks = new Map(rows.clocks.map((clock) => [`${clock.kind} ${clock.name}`, clock]));
  const usedAt = new Map(rows.used.map(({ node, at }) => [node, at]));
  const snapshot = await takeRoundSnapshot(db, reader, scope);

  const withClock = <T extends { properties?: Record<string, unknown> }>(
    kind: string,
    name: string,
    of: T,
  ): T => {
    const clock = clocks.get(`${kind} ${name}`);
    const properties = {
      ...without(of.properties, elementState),
      ...(clock && {
        belowFairShareSince: instant(clock.since),
        starvationStatus: clock.starvation,
        ...(clock.starvingSince && { starvingSince: instant(clock.starvingSince) }),
      }),
    };
    return withProperties(of, properties);
  };
  return {
    ...snapshot,
    ...(snapshot.nodes && {
      nodes: snapshot.nodes.map((node) => {
        const clock = clocks.get(`node ${node.id}`);
        const at = usedAt.get(node.id);
        return withProperties(node, {
          ...without(node.properties, nodeState),
          ...(clock && { overcommittedSince: instant(clock.since) }),
          ...(at && { lastPreemptiveSchedulingAt: instant(at) }),
        });
      }),
    }),
    queues: snapshot.queues.map((queue) => withClock('pool', queue.path, queue)),
    applications: snapshot.applications.map((application) =>
      withClock('operation', application.id, application),
    ),
  };
}

const elementState = ['belowFairShareSince', 'starvationStatus', 'starvingSince'];
const nodeState = ['overcommittedSince', 'lastPreemptiveSchedulingAt'];

const instant = (at: string) => new Date(at).toISOString();

function without(properties: Record<string, unknown> | undefined, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => !names.includes(name)));
}

function withProperties<T extends { properties?: Record<string, unknown> }>(
  of: T,
  properties: Record<string, unknown>,
): T {
  const { properties: _, ...rest } = of;
  return (Object.keys(properties).length === 0 ? rest : { ...rest, properties }) as T;
}
