import { topics } from '#contracts/events';
import { heldPartitions } from '../held-partitions.js';
import type { Scenario } from '../play.js';
import { leasesEnd, withShortLeases } from '../short-lease.js';

const topic = topics.enforcement;

/** The runs of some queues are not planned, nor is their end recorded, until their leases are over; those of others continue. */
export const enforcementLagging: Scenario = {
  name: 'partition-lagging-enforcement',
  title: 'one Kafka partition of curtail.enforcement lags until leases are over, and the others flow',
  async play({ stage, progress, endLoad }) {
    const { fleet, wire } = stage;
    const { environment, hold, release } = heldPartitions(stage.servers);
    progress('services hold a partition back');
    await withShortLeases(stage, { more: fleet.names('planner'), environment }, async () => {
      const partition = await wire.busiest(topic);
      progress(`${topic}/${partition} is held back`);
      try {
        await hold(topic, partition);
        await leasesEnd(stage, 3);
        await stage.moreRuns(10);
        await wire.assertLag('planner', topic, partition);
        await endLoad();
      } finally {
        await release();
      }
      progress('it flows again');
      await stage.settled();
    });
  },
};
