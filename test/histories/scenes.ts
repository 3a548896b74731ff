import type { CurtailSettings } from '#runtime';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';
import { inversion, watch } from '../support/inversion.js';
import type { TestPartition } from '../support/test-partition.js';

/** Scenes of a history, played on the real services. Names are those of its files. */
export interface Scene {
  settings: Partial<CurtailSettings>;
  play(system: EmbeddedSystem, partition: TestPartition): Promise<void>;
}

const twenty = { memory: 20 };
const core = { vcore: 1000 };

/** A command of an operator, which has to be accepted. */
async function command(system: EmbeddedSystem, method: string, path: string, body?: object): Promise<void> {
  const answer = await system.request(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
}

export const scenes: Record<string, Scene> = {
  /** A plan that is approved and carried out, one that is rejected, and a clock that an operator cancels. */
  'quota-decrease': {
    settings: { approveAboveVictims: 1 },
    async play(system, partition) {
      await partition.run(
        { queue: 'root.a', count: 6, resources: twenty },
        { queue: 'root.b', count: 3, resources: twenty },
      );
      const lowered = {
        a: { max: { memory: 60 }, guaranteed: { memory: 20 }, delay: '20ms' },
        b: { max: { memory: 20 }, delay: '20ms' },
      };
      await partition.configure(lowered);
      const approved = await partition.event('EnforcementOpened', 'root.a');
      const rejected = await partition.event('EnforcementOpened', 'root.b');
      // The console knows runs from the log.
      await partition.handled();
      await command(system, 'POST', `/v1/enforcements/${approved.data.enforcement}/approve`, { by: 'ada' });
      await command(system, 'POST', `/v1/enforcements/${rejected.data.enforcement}/reject`, {
        by: 'ada',
        reason: 'not today',
      });
      await partition.ended('root.a');
      await partition.ended('root.b');
      await partition.settled();
      await partition.configure({ ...lowered, a: { max: { memory: 40 }, delay: '1h' } });
      const { data } = await partition.event('EnforcementScheduled', 'root.a', 2);
      await partition.handled();
      await command(system, 'POST', `/v1/enforcements/${data.enforcement}/cancel`, { by: 'ada' });
      await partition.event('EnforcementCancelled', 'root.a');
    },
  },
  /** Owners are notified in one round, and killed by a later one. */
  'in-queue': {
    settings: {},
    async play(_system, partition) {
      await inversion(partition);
      await partition.event('VictimEvicted', 'root', 2);
      await partition.event('EnforcementEnded', 'root', 2);
      await watch(partition, undefined);
    },
  },
  /** An operation starves, its clock runs out, and others give it room. */
  'fair-share': {
    settings: { roundIntervalMilliseconds: 200, approveAboveVictims: 7 },
    async play(_system, partition) {
      const made = new FairSharePartition(partition);
      await made.cluster({ n1: 10 }, [
        { id: 'old', queue: 'root.a', on: { n1: 10 } },
        { id: 'new', queue: 'root.b', pending: [{ resources: core, count: 5 }] },
      ]);
      await made.configure(['a', 'b'], { fairShareStarvationTimeout: 500, allocationPreemptionTimeout: 0 });
      await partition.event('VictimEvicted');
      await partition.event('EnforcementEnded');
      await made.configure(['a', 'b']);
    },
  },
  /** A run that is stopped by a kill switch between two kills and continues after it, and one that no one carries on. */
  'kill-switch-and-dead-run': {
    settings: { victimsPerSecond: 1, leaseSeconds: 2, approveAboveVictims: 4 },
    async play(system, partition) {
      await partition.run(
        { queue: 'root.a', count: 4, resources: twenty },
        { queue: 'root.b', count: 7, resources: twenty },
      );
      await partition.configure({ a: { max: twenty, delay: '20ms' } });
      await partition.event('VictimEvicted', 'root.a');
      await command(system, 'POST', '/v1/kill-switch', {
        partition: partition.name,
        by: 'ada',
        reason: 'incident',
      });
      await partition.ended('root.a');
      await partition.settled();
      await command(system, 'DELETE', `/v1/kill-switch?partition=${partition.name}`);
      await partition.ended('root.a', 2);
      await partition.settled();
      system.silenceExecutor();
      await partition.configure({ a: { max: twenty, delay: '20ms' }, b: { max: twenty, delay: '20ms' } });
      await partition.event('EnforcementOpened', 'root.b');
      await partition.event('EnforcementEnded', 'root.b');
    },
  },
};
