import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeYtsaurus } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { type TreeLook, takeLook } from './look.js';
import { YtApi } from './yt-api.js';
import { YtInventory } from './yt-inventory.js';

const node = { cpu: 10, memory: 1000, user_slots: 10 };

describe('a look at a pool tree', () => {
  let fake: FakeYtsaurus;
  let api: YtApi;
  let before: TreeLook | undefined;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.world.addTree('physical', { main_resource: 'cpu', allocation_preemption_timeout: 7000 });
    fake.world.addPool('physical', 'prod');
    fake.world.addPool('physical', 'prod/batch', { weight: 2 });
    fake.world.addNode('n1:9012', node, 'physical', ['ssd', 'old']);
    api = new YtApi({ url: fake.url, token: async () => 't' });
    before = undefined;
  });
  afterEach(async () => {
    api.close();
    await fake.down();
  });
  const look = async () => {
    before = await takeLook(api, before, { tree: 'physical', elapsed: () => 0, listAgainMs: 30_000 });
    return before;
  };
  const reported = async () => {
    const inventory = new YtInventory({ hasEnding: () => false, isEnding: () => false });
    inventory.show(await look());
    return inventory.listing();
  };

  it('reports pools, operations, jobs and nodes, with what each job holds', async () => {
    const operation = fake.world.addOperation({
      ...{ pool: 'batch', user: 'ada', weight: 3, tagFilter: 'ssd', limits: { cpu: 8 }, isGang: true },
      ...{ job: { cpu: 1.5, memory: 100 }, pending: 8 },
    });
    const { nodes, applications, allocations } = await reported();
    expect(nodes).toEqual([
      {
        id: 'n1:9012',
        capacity: expect.objectContaining({ vcore: 10_000, pods: 10 }),
        labels: { ssd: 'true' },
      },
    ]);
    expect(applications).toEqual([
      {
        id: operation.id,
        queue: 'root.prod.batch',
        user: 'ada',
        submittedAt: new Date(operation.startedAt).toISOString(),
        pending: [{ resources: { vcore: 1500, memory: 100, pods: 1 }, count: 2 }],
        properties: {
          weight: 3,
          isGang: true,
          resourceLimits: expect.objectContaining({ vcore: 8000 }),
          schedulingTagFilter: { ssd: 'true' },
        },
      },
    ]);
    expect(allocations).toHaveLength(6);
    expect(allocations[0]).toMatchObject({
      ...{ application: operation.id, queue: 'root.prod.batch', node: 'n1:9012', state: 'running' },
      resources: { vcore: 1500, memory: 100, pods: 1 },
    });
    expect(before?.tree.preemptionTimeoutMs).toBe(7000);
  });

  it('asks the nodes for jobs that do not all hold the same', async () => {
    const operation = fake.world.addOperation({ pool: 'batch', job: { cpu: 2, memory: 100 }, pending: 1 });
    fake.world.startJob(operation, 'n1:9012', {
      task: 'sort',
      resources: { cpu: 3, memory: 301, user_slots: 1 },
    });
    const { allocations } = await reported();
    expect(allocations.map(({ resources }) => resources.vcore).sort()).toEqual([2000, 3000]);
    expect(allocations.some((one) => one.protected)).toBe(false);
  });

  it('plans nothing on an operation whose lists do not fit the orchid, until they do', async () => {
    const operation = fake.world.addOperation({ pool: 'batch', job: { cpu: 1, memory: 100 }, pending: 12 });
    // One job is left out, as if it had started meanwhile.
    fake.trouble = ({ command }) =>
      command === 'list_jobs'
        ? {
            instead: (response) => {
              const jobs = fake.world
                .running(operation)
                .slice(1)
                .map((job) => ({
                  ...{ id: job.id, state: 'running', address: job.node, task_name: job.task },
                  start_time: new Date(job.startedAt).toISOString(),
                }));
              response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jobs }));
            },
          }
        : undefined;
    const doubted = await reported();
    expect(fake.callsOf('list_jobs')).toHaveLength(3);
    expect(doubted.allocations.every((one) => one.protected)).toBe(true);
    expect(doubted.applications[0]?.pending).toEqual([]);
    fake.trouble = () => undefined;
    const settled = await reported();
    expect(settled.allocations.some((one) => one.protected)).toBe(false);
    expect(settled.applications[0]?.pending).toHaveLength(1);
  });

  it('asks for no room where the filter of nodes cannot be written as labels', async () => {
    fake.world.addOperation({ pool: 'batch', job: { cpu: 1 }, pending: 4, tagFilter: 'ssd | hdd' });
    expect((await reported()).applications[0]?.pending).toEqual([]);
  });

  it('lists jobs only of operations that have changed', async () => {
    const first = fake.world.addOperation({ pool: 'batch', job: { cpu: 1, memory: 10 }, pending: 3 });
    const second = fake.world.addOperation({ pool: 'prod', job: { cpu: 1, memory: 10 }, pending: 3 });
    const one = await look();
    expect(fake.callsOf('list_jobs')).toHaveLength(2);
    expect((await look()).operations).toBe(one.operations);
    expect(fake.callsOf('list_jobs')).toHaveLength(2);
    const [job] = fake.world.running(second);
    if (job) fake.world.endJob(job, 'completed');
    const two = await look();
    expect(
      fake
        .callsOf('list_jobs')
        .slice(2)
        .map(({ operation_id }) => operation_id),
    ).toEqual([second.id]);
    expect(two.operations.get(first.id)).toBe(one.operations.get(first.id));
  });

  it('asks for no more of an operation than it reads', async () => {
    fake.world.addOperation({ pool: 'batch', user: 'ada', job: { cpu: 1, memory: 10 }, pending: 3 });
    const { applications } = await reported();
    expect(applications[0]?.user).toBe('ada');
    const [{ attributes } = {}] = fake.callsOf('list_operations');
    expect(attributes).not.toContain('brief_spec');
    expect(attributes).toContain('brief_progress');
  });

  it('plans on no list in which one job stands twice in the place of another', async () => {
    fake.world.schedules = false;
    const operation = fake.world.addOperation({ pool: 'batch', job: { cpu: 1 }, pending: 0 });
    for (let i = 0; i < 1001; i++) fake.world.startJob(operation, 'n1:9012');
    const last = fake.world.running(operation).sort((a, b) => (a.id < b.id ? 1 : -1))[0]!;
    fake.trouble = ({ command, parameters }) => {
      if (command !== 'list_jobs' || parameters.offset !== 1000) return undefined;
      fake.trouble = () => undefined;
      // The last job of the first page moves to the second one.
      fake.world.startJob(operation, 'n1:9012', { id: '0-0-0-0' });
      fake.world.endJob(last, 'completed');
      return undefined;
    };
    const { allocations } = await reported();
    expect(allocations.map(({ id }) => id).sort()).toEqual([...operation.jobs].sort());
    expect(allocations.some((one) => one.protected)).toBe(false);
  });

  it('reads times as YTsaurus writes them, and others', async () => {
    fake.world.schedules = false;
    const operation = fake.world.addOperation({ pool: 'batch', job: { cpu: 1, memory: 10 }, pending: 0 });
    const times = ['2028-02-29T23:59:59.123456Z', '2026-11-30T12:00:00.5Z', '2026-12-31T12:00:00.000Z'];
    for (const _ of times) fake.world.startJob(operation, 'n1:9012');
    const jobs = fake.world.running(operation);
    fake.trouble = ({ command }) =>
      command === 'list_jobs'
        ? {
            instead: (response) => {
              const listed = jobs.map(({ id }, i) => ({ id, state: 'running', start_time: times[i] }));
              response.writeHead(200, { 'content-type': 'application/json' });
              response.end(JSON.stringify({ jobs: listed }));
            },
          }
        : undefined;
    const { allocations } = await reported();
    expect(allocations.map(({ startedAt }) => startedAt)).toEqual([
      '2028-02-29T23:59:59.123Z',
      '2026-11-30T12:00:00.500Z',
      '2026-12-31T12:00:00.000Z',
    ]);
    times[1] = '2026-13-30T12:00:00.5Z';
    before = undefined;
    await expect(look()).rejects.toThrow(/a time such as .* is expected here, not "2026-13-30/);
  });

  it('counts work of a pool that YTsaurus has made in the nearest one that is configured', async () => {
    const operation = fake.world.addOperation({ pool: 'batch', job: { cpu: 1, memory: 10 }, pending: 1 });
    operation.pool = 'batch$ada';
    fake.trouble = ({ command, parameters }) =>
      command === 'get' && String(parameters.path).endsWith('/pools')
        ? {
            instead: (response) => {
              const pools = { batch$ada: { parent: 'batch' }, batch: { parent: 'prod' } };
              response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pools));
            },
          }
        : undefined;
    expect((await reported()).applications[0]?.queue).toBe('root.prod.batch');
  });

  it('reads lists in pages, and operations of the same moment on each side of a page', async () => {
    fake.world.schedules = false;
    fake.world.now = () => 1_700_000_000_000;
    for (let i = 0; i < 1500; i++) {
      if (i === 700) fake.world.now = () => 1_700_000_000_500;
      fake.world.addOperation({ pool: 'batch', job: { cpu: 1 }, pending: 0 });
    }
    const { operations } = await look();
    expect(operations.size).toBe(1500);
    expect([...operations.values()].filter(({ listed }) => listed === undefined)).toEqual([]);
  });
});
