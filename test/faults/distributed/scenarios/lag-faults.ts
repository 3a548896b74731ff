import { topics } from '@curtail/contracts';
import { HeldPartitions } from '../held-partitions.js';
import type { Scenario } from '../play.js';
import { leaseKeepers, leasesEnd, shortLease } from '../short-lease.js';

const topic = topics.enforcement;

/** The runs of some queues are not planned, nor is their end heard of, until their leases are over; those of others go on. */
export const enforcementLagging: Scenario = {
  name: 'partition-lagging-enforcement',
  title: 'one Kafka partition of curtail.enforcement lags until leases are over, and the others flow',
  async play({ stage, say, endLoad }) {
    const { fleet, wire } = stage;
    const held = new HeldPartitions(stage.servers);
    const readers = [...fleet.names('planner'), ...leaseKeepers(stage)];
    say('services are told to hold a partition back');
    await fleet.restart(readers, { ...shortLease, ...held.environment });
    const partition = await wire.busiest(topic);
    try {
      say(`${topic}/${partition} is held back`);
      await held.hold(topic, partition);
      await leasesEnd(stage, 3);
      await stage.moreRuns(10);
      const lag = await wire.lag('planner', topic);
      if (!lag.get(partition)) throw new Error(`${topic}/${partition} does not lag`);
      await endLoad();
    } finally {
      await held.letGo();
    }
    say('it flows again');
    await stage.settled();
    await fleet.restart(readers);
  },
};
