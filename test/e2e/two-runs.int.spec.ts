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
  // A check before an eviction is done does not see it: give the other run all the time it needs to check.
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

it('one approval covers all runs of a configuration that would exceed a ceiling, also those still to start', async () => {
  const partition = system.partition();
  const leaves = ['one', 'two', 'three', 'four'];
  await partition.run(...leaves.map((leaf) => ({ queue: `root.${leaf}`, count: 3, resources: twenty })));
  const lowered = { max: { memory: 20 }, delay: '20ms' };
  const open = { max: { memory: 60 }, delay: '20ms' };
  await partition.configure({ one: open, two: open, three: open, four: open });
  const place = `/v1/partitions/${partition.name}`;
  const settings = { ceilingPerConfiguration: 3 };
  expect(await system.request('PATCH', `${place}/settings`, { settings })).toMatchObject({ status: 200 });
  await partition.configure({
    ...{ one: lowered, two: lowered, four: open },
    three: { ...lowered, delay: '1h' },
  });
  const waiting = [
    await partition.event('EnforcementOpened', 'root.one'),
    await partition.event('EnforcementOpened', 'root.two'),
  ];
  await partition.handled();
  const [run] = waiting;
  const started = await partition.event('EnforcementStarted', 'root.one');
  const version = started.data.configuration;
  const change = `${place}/configurations/${version}`;
  expect((await system.request('GET', `${change}/effect`)).body).toMatchObject({
    decision: null,
    planned: { victims: 4, resources: { memory: 80 } },
    runs: { open: 2, waiting: 2 },
    queues: [
      { queue: 'root.one', victims: 2, resources: { memory: 40 } },
      { queue: 'root.two', victims: 2, resources: { memory: 40 } },
    ],
    clocks: [{ queue: 'root.three', foresight: null }],
  });
  await system.measureWaiting();
  const measured = await (await fetch(`${system.url}/metrics`)).text();
  expect(measured).toContain(
    `curtail_ceiling_used_ratio{partition="${partition.name}",ceiling="configuration"} 1.3`,
  );
  const approved = await system.request('POST', `/v1/enforcements/${run!.data.enforcement}/approve`, {});
  expect(approved.body).toMatchObject({ change: { version, approved: true, runs: 2 } });
  for (const queue of ['root.one', 'root.two']) {
    expect((await partition.ended(queue)).data.outcome).toBe('satisfied');
  }
  // Its third run starts later, and needs no further approval, neither for a ceiling nor for its size.
  await system.request('POST', '/v1/queues/root.three/enforce', { partition: partition.name, atOnce: true });
  expect((await partition.ended('root.three')).data.outcome).toBe('satisfied');
  const third = await partition.event('EnforcementOpened', 'root.three');
  expect(third.data).toMatchObject({ needsApproval: false });

  // The next configuration is another change.
  await partition.configure({ one: lowered, two: lowered, three: lowered, four: lowered });
  const fourth = await partition.event('EnforcementOpened', 'root.four');
  expect(fourth.data).toMatchObject({ needsApproval: true });
  const startedFourth = await partition.event('EnforcementStarted', 'root.four');
  const other = `${place}/configurations/${startedFourth.data.configuration}`;
  const rejected = await system.request('POST', `${other}/reject`, { by: 'ann', reason: 'wrong unit' });
  expect(rejected.body).toMatchObject({ approved: false, runs: 1, until: null });
  expect((await partition.ended('root.four')).data.outcome).toBe('rejected');
});
