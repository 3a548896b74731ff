import type { DataSource } from 'typeorm';
import type { ClusterReader } from '#clusters';
import { countVictims } from '#runs';
import { effectiveSettings, type InstallationSettings, readRoots } from '../settings/effective-settings.js';
import { openVersions } from './statements.js';

/** How far a ceiling of a partition is used: 1 is its limit. */
export interface CeilingShare {
  partition: string;
  ceiling: 'hour' | 'configuration' | 'cluster';
  share: number;
}

/** The use of each ceiling that is set (docs/how-to/ceilings.md). Of a cluster of unknown size there is none. */
export async function ceilingUse(
  db: DataSource,
  cluster: ClusterReader,
  installation: InstallationSettings,
): Promise<CeilingShare[]> {
  const shares: CeilingShare[] = [];
  for (const { partition, ...root } of await readRoots(db)) {
    const settings = effectiveSettings([root], installation);
    const of = (name: string) => settings.find(({ setting }) => setting === name)?.value as number | null;
    const perHour = of('ceilingPerHour');
    const perConfiguration = of('ceilingPerConfiguration');
    const percent = of('ceilingClusterPercent');
    const add = (ceiling: CeilingShare['ceiling'], share: number) =>
      shares.push({ partition, ceiling, share });
    if (perHour !== null || percent !== null) {
      const run = { partition, enforcement: '', configuration: undefined };
      const { hour } = await countVictims(db, run, { resources: percent !== null });
      if (perHour !== null) add('hour', part(hour.victims, perHour));
      const size = percent === null ? {} : await cluster.capacity(partition);
      if (percent !== null && Object.keys(size).length > 0) {
        const ofTypes = Object.entries(size).map(([type, amount]) =>
          part((hour.resources[type] ?? 0) * 100, amount * percent),
        );
        add('cluster', Math.max(...ofTypes));
      }
    }
    if (perConfiguration !== null) {
      add('configuration', part(await mostOfOneConfiguration(db, partition), perConfiguration));
    }
  }
  return shares;
}

/** A ceiling of 0 has no room: it is used. */
const part = (used: number, limit: number) => (limit === 0 ? 1 : used / limit);

/** The victims of the version that has most of them, among those with a run that is not over. */
async function mostOfOneConfiguration(db: DataSource, partition: string): Promise<number> {
  const versions = await openVersions(db, partition);
  let most = 0;
  for (const { configuration } of versions) {
    const run = { partition, enforcement: '', configuration };
    most = Math.max(most, (await countVictims(db, run, { resources: false })).ofConfiguration);
  }
  return most;
}
