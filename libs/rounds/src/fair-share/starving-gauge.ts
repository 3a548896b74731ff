import type { OwnGauge } from '../round-policy.js';
import { countClocks } from './fair-share-tables.js';

/** How many pools and operations starve as of the last rounds. */
export const starvingGauge: OwnGauge = {
  name: 'curtail_starving',
  help: 'Pools and operations that starve as of the last fair-share round, by kind and state.',
  labels: ['kind', 'state'],
  async count(db) {
    const counts = await countClocks(db);
    return ['pool', 'operation'].flatMap((kind) =>
      ['starving', 'aggressively_starving'].map((state) => {
        const found = counts.find((row) => row.kind === kind && row.starvation === state);
        return { labels: { kind, state }, value: found?.count ?? 0 };
      }),
    );
  },
};
