import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { composeSnapshot, policiesInForce, queuesInForce, SimulatedCluster } from '#clusters';
import { readDecreaseSettings } from '#contracts';
import { readStream } from '#event-store';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { PlanInThread } from './preview/plan-in-thread.js';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import { ReadInThread } from './reading/read-in-thread.js';
import { readConfigurationInForce } from './submit/configuration-store.js';
import { SubmitConfiguration } from './submit/submit-configuration.js';

const GB = 1e9;
const key = 'yarn.scheduler.capacity.';
const xml = (settings: Record<string, string>) =>
  `<configuration>${Object.entries(settings)
    .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
    .join('\n')}</configuration>`;
const queues = (most: string) =>
  xml({
    [`${key}root.queues`]: 'a,b',
    [`${key}root.a.capacity`]: '25',
    [`${key}root.a.maximum-capacity`]: most,
    [`${key}root.a.quota-preemption-delay`]: '10m',
    [`${key}root.a.user-limit-factor`]: '2',
    [`${key}root.b.capacity`]: '75',
  });

describe('a configuration of the Capacity Scheduler', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  let submissions: SubmitConfiguration;
  let previews: PreviewConfiguration;

  withMigratedDatabase((opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
    const settings = {
      policy: readDecreaseSettings({}),
      mode: undefined,
      defaultMode: 'enforce' as const,
      approveAboveVictims: 1000,
      approveAbovePercent: 100,
      victimsPerSecond: 10,
      graceSeconds: 5,
      mostAllocations: 1000,
      previewSeconds: 60,
      previewMegabytes: 2048,
    };
    submissions = new SubmitConfiguration(db, cluster, settings, new ReadInThread({ previewSeconds: 60 }));
    previews = new PreviewConfiguration(db, cluster, settings, submissions, new PlanInThread(settings));
  });

  const nodes = async (...memory: number[]) => {
    await db.query('DELETE FROM simulated_nodes');
    for (const [index, amount] of memory.entries()) {
      await db.query('INSERT INTO simulated_nodes (partition, id, capacity) VALUES ($1, $2, $3)', [
        'yarn',
        `n${index}`,
        { memory: amount },
      ]);
    }
  };
  const planned = async () =>
    composeSnapshot(await cluster.snapshot({ partition: 'yarn' }), {
      queues: await queuesInForce(db, 'yarn'),
      enforcing: new Set(),
      preempting: [],
    });

  it('reports it while the size of the cluster is unknown, and limits nothing until then', async () => {
    const applied = await submissions.submit('yarn', { text: queues('80') });
    expect(applied.warnings.map(({ code }) => code)).toContain('cluster-size-unknown');
    expect(applied.policyChanges).toEqual([{ policy: 'intra-queue', change: 'starts', settings: [] }]);
    expect(applied.changed).toMatchObject([
      { current: { max: null, maxShare: '4/5' }, clock: { effect: 'starts or restarts' } },
    ]);
    expect((await planned()).queues.find(({ path }) => path === 'root.a')).not.toHaveProperty('max');
  });

  it('keeps format, policies and shares, and gives a snapshot amounts by the nodes that there are then', async () => {
    await nodes(60 * GB, 40 * GB);
    expect(await readConfigurationInForce(db, 'yarn')).toMatchObject({ format: 'capacity-scheduler' });
    expect((await policiesInForce(db)).get('yarn')).toEqual({
      'intra-queue': { minimumAllocation: { memory: 2 ** 30, vcore: 1000 } },
    });
    expect((await planned()).queues).toEqual([
      { path: 'root' },
      {
        path: 'root.a',
        guaranteed: { memory: 25 * GB },
        max: { memory: 80 * GB },
        properties: { userLimitFactor: 2, orderingPolicy: 'fifo' },
      },
      { path: 'root.b', guaranteed: { memory: 75 * GB }, properties: { orderingPolicy: 'fifo' } },
    ]);
    await nodes(60 * GB, 40 * GB, 100 * GB);
    expect((await planned()).queues[1]).toMatchObject({ guaranteed: { memory: 50 * GB } });
  });

  it('changes a quota where a share goes down, by the cluster of that moment, and not where nodes come or go', async () => {
    await nodes(50 * GB);
    const same = await submissions.submit('yarn', { text: queues('80.0') });
    expect(same.changed).toEqual([]);
    expect((await previews.preview('yarn', { text: queues('50') })).changed).toMatchObject([
      { queue: 'root.a', clock: { effect: 'starts or restarts' }, plan: { target: {} } },
    ]);
    const lowered = await submissions.submit('yarn', { text: queues('50'), format: 'capacity-scheduler' });
    expect(lowered.quotaPreemptionEnabled).toBe(true);
    expect(lowered.warnings.map(({ code }) => code)).toEqual(['preemption-by-default']);
    expect((await readStream(db, 'config-yarn')).at(-1)?.data).toEqual({
      partition: 'yarn',
      queue: 'root.a',
      previous: { max: { memory: 40 * GB }, delayMs: 600_000, maxShare: '4/5' },
      current: { max: { memory: 25 * GB }, delayMs: 600_000, maxShare: '1/2' },
    });
  });

  it('limits what the simulated cluster starts', async () => {
    await db.query(
      `INSERT INTO simulated_applications (partition, id, queue, pending, properties)
       VALUES ('yarn', 'app', 'root.a', $1, '{"startsWhenRoom": true}')`,
      [JSON.stringify([{ resources: { memory: 10 * GB }, count: 4 }])],
    );
    // 50 % of 50 GB.
    expect(await cluster.startPending()).toBe(2);
  });

  it('is refused as a whole, with the property that is wrong', async () => {
    const broken = queues('half').replace('>25<', '>30<');
    await expect(submissions.submit('yarn', { text: broken })).rejects.toMatchObject({
      problem: { errors: [{ path: `${key}root.a.maximum-capacity` }, { path: `${key}root.b.capacity` }] },
    });
    await expect(
      submissions.submit('yarn', { text: queues('50'), format: 'ytsaurus' }),
    ).rejects.toMatchObject({ problem: { status: 422 } });
  });
});
