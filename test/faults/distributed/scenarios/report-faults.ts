import { setTimeout as delay } from 'node:timers/promises';
import { inboundTopics } from '#contracts/events';
import { heldPartitions } from '../held-partitions.js';
import { endWhatMayGo } from '../platform/departures.js';
import { isOfAllocation, keyOfHeartbeats } from '../platform/platform.js';
import type { Played, Scenario } from '../play.js';
import type { Shape } from '../tree.js';

/**
 * Clocks are pending for some seconds when reports are disturbed, and due while they are. Much of the work may go, so that much
 * of it can end by itself.
 */
const shape: Partial<Shape> = {
  groups: 6,
  guaranteedEvery: 1,
  guaranteedShare: [0.55, 0.65],
  delayMs: [6000, 9000],
};
/** All of them are due by then, and many an eviction would be ordered. */
const untilDueMs = 14_000;

/** How often reports are mixed; each time work ends in other groups. */
const mixes = 3;

/** Work ends by itself while a fault lasts; what that leaves above the guaranteed amounts is not there to be evicted. */
async function meanwhile({ stage, progress, endLoad }: Played, what: string): Promise<void> {
  await endLoad();
  progress(`work ends by itself; ${what}`);
  await endWhatMayGo(stage);
  await delay(untilDueMs);
}

export const reportsStale: Scenario = {
  name: 'reports-stale',
  title: 'reports lie on their topic for a while, and no one reads them',
  cluster: 'inventory',
  shape,
  async play(played) {
    const { fleet } = played.stage;
    const [reader] = fleet.names('config-ingest');
    await played.endLoad();
    fleet.freeze(reader!);
    try {
      await meanwhile(played, `${reader} is frozen`);
    } finally {
      fleet.thaw(reader!);
    }
  },
};

export const reportsLost: Scenario = {
  name: 'reports-lost',
  title: 'reports are lost on the way; whole listings put that right later',
  cluster: 'inventory',
  shape,
  async play(played) {
    const { platform } = played.stage;
    await platform.courier.lose(isOfAllocation, () => meanwhile(played, 'no report of it arrives'));
    // Much is missing in the first of them, and what is missing in one alone need not be believed.
    await platform.list();
    await delay(1000);
    await platform.list();
  },
};

export const reportsReordered: Scenario = {
  name: 'reports-reordered',
  title: 'reports and answers are held up, and come in an order of chance, some of them twice',
  cluster: 'inventory',
  shape,
  async play(played) {
    const { stage, chance, progress, endLoad } = played;
    const { platform } = stage;
    const { courier } = platform;
    await endLoad();
    for (let times = 0; times < mixes; times++) {
      progress(`reports are held up, and mixed: ${times + 1}`);
      const mixed = courier.mix(chance, chance.between(1500, 3000));
      // Work that ends now stands in this listing, which may come after the report of its end.
      await platform.list();
      await endWhatMayGo(stage, (queue) => groupOf(queue) % mixes === times);
      await mixed;
    }
  },
};

const groupOf = (queue: string) => Number(/\.g(\d+)\./.exec(queue)?.[1]);

export const inventoryLagging: Scenario = {
  name: 'partition-lagging-inventory',
  title: 'one Kafka partition of curtail.inventory lags, and the one with the heartbeats flows',
  cluster: 'inventory',
  shape,
  async play({ stage, progress, endLoad }) {
    const { fleet, wire } = stage;
    const readers = fleet.names('config-ingest');
    const { environment, hold, release } = heldPartitions(stage.servers);
    const topic = inboundTopics.inventory;
    await fleet.restart(readers, environment);
    await stage.moreRuns(3);
    await endLoad();
    const partition = wire.partitionBeside(keyOfHeartbeats);
    try {
      progress(`${topic}/${partition} is held back, and work ends by itself`);
      await hold(topic, partition);
      await endWhatMayGo(stage, (queue) => wire.partitionOf(queue) === partition);
      await delay(untilDueMs);
      await wire.assertLag('inventory', topic, partition);
    } finally {
      await release();
    }
    progress('it flows again');
    await stage.settled();
    await fleet.restart(readers);
  },
};
