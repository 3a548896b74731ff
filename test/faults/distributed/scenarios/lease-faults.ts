import type { Scenario } from '../play.js';
import { leasesEnd, withShortLeases } from '../short-lease.js';

/** Runs start that no one plans; their leases end, and other runs of the same queues start; then all are planned at once. */
export const plannersFrozen: Scenario = {
  name: 'planners-frozen',
  title: 'all planners are frozen until the leases of unplanned runs are over, and thawed',
  async play({ stage, progress, endLoad }) {
    const { fleet } = stage;
    const planners = fleet.names('planner');
    progress('leases are made short');
    await withShortLeases(stage, {}, async () => {
      progress('all planners are frozen');
      for (const name of planners) fleet.freeze(name);
      try {
        await leasesEnd(stage, 5);
        await endLoad();
      } finally {
        for (const name of planners) fleet.thaw(name);
      }
      progress('all planners are thawed');
      await stage.settled();
    });
  },
};
