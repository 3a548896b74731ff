import type { DataSource } from 'typeorm';
import { type ClusterReader, type QueueInForce, settingOverrides, withOverrides } from '#clusters';
import { chainFromRoot, type Notice, settingsOfPartitions, settingsOfQueue } from '#contracts';
import type { PendingPreview, QueuePreview } from '#contracts/api';
import { ceilingForeseen, hasCeiling } from '#enforcement';
import { evictedBy } from '#forecast';
import { countVictims } from '#runs';
import type { IngestSettings } from '../settings/ingest-settings.js';

interface Foreseen {
  partition: string;
  /** RFC 3339, now. */
  at: string;
  /** Of the proposed configuration. */
  queues: readonly QueueInForce[];
  /** The queues whose clocks the configuration affects, with their runs. */
  affected: readonly (QueuePreview | PendingPreview)[];
  settings: IngestSettings;
}

/** The ceiling that the runs of a proposed configuration would exceed together; null: none. docs/how-to/ceilings.md */
export async function foreseeCeiling(
  { db, cluster }: { db: DataSource; cluster: ClusterReader },
  { partition, at, queues, affected, settings }: Foreseen,
): Promise<Notice | null> {
  const [first] = affected;
  if (first === undefined) return null;
  const root = chainFromRoot(first.queue)[0]!;
  const all = withOverrides(queues, await settingOverrides(db, partition));
  const set = settingsOfQueue(settingsOfPartitions, settings, all, root);
  const ceilings = {
    ceilingPerHour: set.ceilingPerHour ?? null,
    ceilingPerConfiguration: set.ceilingPerConfiguration ?? null,
    ceilingClusterPercent: set.ceilingClusterPercent ?? null,
  };
  if (!hasCeiling(ceilings)) return null;
  const isJudgedByCluster = ceilings.ceilingClusterPercent !== null;
  // A new version causes the runs, so no other victims count for it.
  const of = { partition, enforcement: '', configuration: undefined };
  const { hour } = await countVictims(db, of, { resources: isJudgedByCluster });
  const clusterSize = isJudgedByCluster ? await cluster.capacity(partition) : {};
  const seen = new Set<string>();
  const runs = affected.map((run) => {
    const victims = evictedBy(run).filter(({ allocation }) => !seen.has(allocation));
    for (const { allocation } of victims) seen.add(allocation);
    return { dueAt: run.dueAt ?? null, victims };
  });
  return ceilingForeseen(ceilings, { hour, clusterSize }, { partition, at, runs }) ?? null;
}
