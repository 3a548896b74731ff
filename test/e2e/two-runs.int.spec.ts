import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ approveAboveVictims: 0 });
});
afterAll(() => system.stop());

it('two runs at the same time do not together take the queue above them below its guaranteed amount', async () => {
  const partition = system.partition();
  await partition.run(
    { queue: 'root.p.one', count: 3, resources: twenty },
    { queue: 'root.p.two', count: 3, resources: twenty },
    { queue: 'root.p.three', count: 2, resources: twenty },
  );
  const leaf = { max: { memory: 20 }, delay: '20ms' };
  await partition.configure({
    p: { guaranteed: { memory: 80 }, queues: { one: leaf, two: leaf, three: {} } },
  });
  const runs = [
    await partition.event('EnforcementOpened', 'root.p.one'),
    await partition.event('EnforcementOpened', 'root.p.two'),
  ];
  expect(runs.map(({ data }) => data.victims)).toEqual([2, 2]);
  await partition.handled();

  // Both plans were sound; then work beside them ended by itself, and one victim has to stay.
  await system.db.query("DELETE FROM simulated_allocations WHERE partition = $1 AND id = 'three-2'", [
    partition.name,
  ]);
  // A check before a kill is done does not see it: give the other run all the time it needs to check.
  const { cluster } = system;
  const evict = cluster.evict.bind(cluster);
  cluster.evict = async (request, gate) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return evict(request, gate);
  };
  await Promise.all(
    runs.map(({ data }) => system.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {})),
  );
  await partition.ended('root.p.one');
  await partition.ended('root.p.two');
  expect(await partition.usage('root.p')).toEqual({ memory: 80 });
  expect((await partition.events('VictimSpared')).map(({ data }) => data.code)).toEqual(['guaranteed-floor']);
});
