import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';

const core = { vcore: 1000 };
const wants = (count: number, resources = core) => [{ resources, count }];

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ fairShareIntervalMilliseconds: 200 });
});
afterAll(() => system.stop());

const fairShare = () => new FairSharePartition(system.partition());

/** `old` runs all over one node, and `new` has nothing of it. */
async function starving(settings: object, interruptible = true): Promise<FairSharePartition> {
  const made = fairShare();
  await made.cluster({ n1: 10 }, [
    { id: 'old', queue: 'root.a', on: { n1: 10 }, interruptible },
    { id: 'new', queue: 'root.b', pending: wants(5) },
  ]);
  await made.configure(['a', 'b'], settings);
  return made;
}

describe('starvation over time', () => {
  it('starts a timer when an operation falls below its fair share, and takes room when it has lasted too long', async () => {
    const { of } = await starving({ fairShareStarvationTimeout: 1000, allocationPreemptionTimeout: 0 });
    const { data: fell } = await of.event('StatusChanged', 'root.b');
    expect(fell).toMatchObject({ from: 'normal', to: 'below_fair_share' });
    const { data: timer } = await of.event('TimerStarted', 'root.b');
    expect(Date.parse(timer.dueAt) - Date.parse(fell.at)).toBe(1001);
    const { data: starves } = await of.event('StarvationChanged', 'root.b');
    expect(Date.parse(starves.at)).toBeGreaterThanOrEqual(Date.parse(timer.dueAt));
    const { data: planned } = await of.event('PlanComputed');
    expect(planned.plan.victims.map(({ allocation, cause }) => [allocation, cause])).toEqual([
      ['old-10', 'starvation'],
    ]);
    expect(planned.plan.starts).toMatchObject([{ operation: 'new', node: 'n1', victims: ['old-10'] }]);
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ policy: 'fair-share', evicted: 1 });
    expect(await of.standing('root.a')).not.toContain('old-10');
  });
});
