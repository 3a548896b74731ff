import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { type DomainEvent, type EventData, readDecreaseSettings } from '#contracts';
import { readStream } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { configuration } from '../../../../test/support/queue-spec.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { ReadInThread } from '../reading/read-in-thread.js';
import { readConfigurationInForce } from './configuration-store.js';
import { SubmitConfiguration } from './submit-configuration.js';
import { SubmitQueue } from './submit-queue.js';
import { TakeSubmissions } from './take-submissions.js';

describe('configurations that come as events', () => {
  let db: DataSource;
  let consumer: TakeSubmissions;
  const consumerWith = (policy: object) => {
    const cluster = new SimulatedCluster(db);
    const reader = new ReadInThread({ previewSeconds: 60 });
    const submissions = new SubmitConfiguration(
      db,
      cluster,
      { policy: readDecreaseSettings(policy) },
      reader,
    );
    return new TakeSubmissions(submissions, new SubmitQueue(db, cluster, submissions, reader), db);
  };

  withMigratedDatabase((opened) => {
    db = opened;
    consumer = consumerWith({});
  });

  const submit = (data: EventData<'ConfigSubmitted'>, to = consumer) =>
    deliver(db, to, [inbound({ name: 'ConfigSubmitted', data }, new Date())]);
  const answersTo = async (partition: string) =>
    (await readStream(db, `config-${partition}`)).map(({ type, data }) => ({
      type,
      ...(data as { submission?: string; errors?: { path: string; line?: number }[] }),
    }));
  const queues = configuration('default', { research: { max: { memory: '10G' }, delay: '1h' } });

  it('come into force, with the id of the sender and an event for each queue', async () => {
    await submit({
      partition: 'Default',
      submission: 's-1',
      configuration: queues as Record<string, unknown>,
    });
    expect(await answersTo('default')).toMatchObject([
      { type: 'io.curtail.config.applied.v1', submission: 's-1', changed: 1 },
      { type: 'io.curtail.quota.changed.v1', queue: 'root.research' },
    ]);
    expect(await readConfigurationInForce(db, 'default')).toMatchObject({ version: 2 });
  });

  it('are refused with what is wrong and where, and what is in force stays', async () => {
    const before = await readConfigurationInForce(db, 'default');
    const text = 'partitions:\n  - name: default\n    queues:\n      - name: root\n        colour: green\n';
    await submit({ partition: 'default', submission: 's-2', configuration: text });
    expect((await answersTo('default')).at(-1)).toMatchObject({
      type: 'io.curtail.config.refused.v1',
      submission: 's-2',
      errors: [{ path: 'partitions[0].queues[0].colour', line: 5 }],
    });
    expect(await readConfigurationInForce(db, 'default')).toEqual(before);
  });

  it('may have guaranteed equal to max under a delay where the setting of the policy allows it', async () => {
    const equal = configuration('fixed', {
      a: { max: { memory: '5G' }, guaranteed: { memory: '5G' }, delay: '1h' },
    });
    const data = { partition: 'fixed', configuration: equal as Record<string, unknown> };
    await submit({ ...data, submission: 'strict' });
    await submit({ ...data, submission: 'lax' }, consumerWith({ guaranteedEqualsMax: 'allow' }));
    expect((await answersTo('fixed')).filter(({ submission }) => submission)).toMatchObject([
      { type: 'io.curtail.config.refused.v1', submission: 'strict' },
      { type: 'io.curtail.config.applied.v1', submission: 'lax' },
    ]);
  });

  it('are refused if another version is in force than the one that they replace', async () => {
    const change = (submission: string, ifVersion: number, max: string) =>
      submit({
        partition: 'versions',
        submission,
        ifVersion,
        configuration: configuration('versions', { research: { max: { memory: max } } }) as Record<
          string,
          unknown
        >,
      });
    await change('first', 0, '10G');
    await change('late', 0, '5G');
    expect((await answersTo('versions')).at(-1)).toMatchObject({
      type: 'io.curtail.config.refused.v1',
      submission: 'late',
      errors: [{ path: 'ifVersion', message: expect.stringContaining('version 2 is in force') }],
    });
    await change('second', 2, '5G');
    expect((await readConfigurationInForce(db, 'versions'))?.body).toContain('5G');
  });

  it('replace one queue, or are refused with the places in its entry', async () => {
    const partition = 'teams';
    const one = (submission: string, entry: object, more: object = {}) =>
      submit({ partition, submission, queue: 'root.a', configuration: { name: 'a', ...entry }, ...more });
    await one('none', {});
    await submit({
      partition,
      submission: 'all',
      configuration: configuration(partition, {
        a: { max: { memory: '10G' } },
        b: { max: { memory: '9G' } },
      }) as Record<string, unknown>,
    });
    await one('wrong', { color: 'green' });
    await one('late', { resources: { max: { memory: '5G' } } }, { ifVersion: 1 });
    await one('lowered', { resources: { max: { memory: '5G' } } });
    const named = (await answersTo(partition)).filter(({ submission }) => submission !== undefined);
    expect(named).toMatchObject([
      { type: 'io.curtail.config.refused.v1', submission: 'none', errors: [{ path: 'queue' }] },
      { type: 'io.curtail.config.applied.v1', submission: 'all' },
      {
        type: 'io.curtail.config.refused.v1',
        submission: 'wrong',
        errors: [{ path: 'color', message: 'unknown key' }],
      },
      { type: 'io.curtail.config.refused.v1', submission: 'late', errors: [{ path: 'ifVersion' }] },
      { type: 'io.curtail.config.applied.v1', submission: 'lowered', onlyQueue: 'root.a', changed: 1 },
    ]);
    expect((await readConfigurationInForce(db, partition))?.body).toMatch(/"5G".*"9G"/s);
  });

  it('are refused from another cluster than the one that reports the partition', async () => {
    const config = (submission: string, source: string) =>
      deliver(db, consumer, [
        {
          ...inbound(
            {
              name: 'ConfigSubmitted',
              data: { partition: 'one', submission, configuration: configuration('one', {}) as object },
            } as DomainEvent,
            new Date(),
          ),
          source,
        },
      ]);
    const configured = async () =>
      (await db.query("SELECT cluster FROM partitions WHERE partition = 'one'"))[0].cluster;
    await config('before', '/clusters/second/agents/a');
    expect(await configured()).toBe('second');
    expect(
      await db.query("SELECT via, source, submission, cluster FROM configurations WHERE partition = 'one'"),
    ).toEqual([
      { via: 'kafka', source: '/clusters/second/agents/a', submission: 'before', cluster: 'second' },
    ]);
    await db.query(
      "INSERT INTO inventory_partitions (partition, last_report_at, cluster) VALUES ('one', now(), 'first')",
    );
    await config('first', '/clusters/first/agents/a');
    await config('second', '/clusters/second/agents/a');
    expect(await configured()).toBe('first');
    await config('unnamed', '/platform');
    expect(await configured()).toBeNull();
    const outcomes = (await answersTo('one')).map(({ type, submission }) => [submission, type.split('.')[3]]);
    expect(outcomes).toEqual([
      ['before', 'applied'],
      ['first', 'applied'],
      ['second', 'refused'],
      ['unnamed', 'applied'],
    ]);
    expect((await answersTo('one')).at(2)?.errors).toEqual([
      {
        path: 'partitions',
        message: expect.stringMatching(
          /is cluster first, .* from cluster second: .* reset --partition one, then restart its agents$/,
        ),
      },
    ]);
  });

  it('are counted by source, and those without effect by reason', async () => {
    const feeds = (partition: string) =>
      db.query(
        `SELECT kind, source, messages::int, submission, ignored, ignored_at IS NOT NULL AS was_ignored FROM feeds
         WHERE partition = $1 ORDER BY source`,
        [partition],
      );
    const own = { kind: 'configuration', source: '' };
    expect(await feeds('default')).toEqual([
      { ...own, messages: 2, submission: 's-2', ignored: { invalid: 1 }, was_ignored: true },
    ]);
    expect(await feeds('versions')).toEqual([
      { ...own, messages: 3, submission: 'second', ignored: { 'other-version': 1 }, was_ignored: true },
    ]);
    const one = { kind: 'configuration', was_ignored: false, ignored: {} };
    expect(await feeds('one')).toEqual([
      { ...one, source: '/clusters/first/agents/a', messages: 1, submission: 'first' },
      {
        ...one,
        source: '/clusters/second/agents/a',
        ...{ messages: 2, submission: 'second', ignored: { 'other-cluster': 1 }, was_ignored: true },
      },
      { ...one, source: '/platform', messages: 1, submission: 'unnamed' },
    ]);
  });

  it('are read in the format they name, or in the detected one', async () => {
    const name = 'yarn.scheduler.capacity.root';
    const properties = { [`${name}.queues`]: 'a', [`${name}.a.capacity`]: '100' };
    await submit({
      partition: 'yarn',
      submission: 's-4',
      format: 'capacity-scheduler',
      configuration: properties,
    });
    expect((await answersTo('yarn'))[0]).toMatchObject({
      submission: 's-4',
      format: 'capacity-scheduler',
      queues: 2,
    });
    const classification = [{ Classification: 'capacity-scheduler', Properties: properties }];
    await submit({ partition: 'emr', submission: 's-emr', configuration: classification });
    expect((await answersTo('emr'))[0]).toMatchObject({ format: 'capacity-scheduler', queues: 2 });
    const pools = `pool_trees:
  Physical:
    config: {main_resource: cpu}
    curtail_protect: {pools: [A], priority_at_least: 100}
    pools: {a: {weight: 2}}
`;
    const fairShare = { mainResource: 'vcore', protect: { queues: ['root.a'], priorityAtLeast: 100 } };
    await submit({ partition: 'physical', submission: 's-5', configuration: pools });
    expect((await answersTo('physical'))[0]).toMatchObject({
      format: 'ytsaurus',
      policies: { 'fair-share': fairShare },
    });
    expect(await readConfigurationInForce(db, 'physical')).toMatchObject({
      body: pools,
      policies: { 'fair-share': fairShare },
    });
    await submit({ partition: 'physical', submission: 's-6', format: 'yunikorn', configuration: pools });
    expect((await answersTo('physical')).at(-1)).toMatchObject({
      submission: 's-6',
      errors: [{ path: 'partitions', message: expect.stringContaining('this with "pool_trees"') }],
    });
  });

  it('have the switch and the notices of who sent them', async () => {
    const research = { max: { memory: '10G' }, delay: '1h' };
    const off = configuration('default', { research }, false) as Record<string, unknown>;
    const notices = [{ code: 'scheduler-preempts-too', message: 'switch it off there' }];
    await submit({
      partition: 'default',
      submission: 's-7',
      configuration: off,
      quotaPreemptionEnabled: true,
      senderNotices: notices,
    });
    expect((await answersTo('default')).at(-1)).toMatchObject({
      submission: 's-7',
      quotaPreemptionEnabled: true,
      notices,
    });
    expect(await readConfigurationInForce(db, 'default')).toMatchObject({ quotaPreemptionEnabled: true });
    await submit({ partition: 'default', submission: 's-8', configuration: off });
    expect((await answersTo('default')).at(-1)).toMatchObject({
      submission: 's-8',
      quotaPreemptionEnabled: false,
    });
  });

  it('of an agent keep its switch when others configure its partition', async () => {
    const quotas = (memory: string) =>
      configuration('agents', { a: { max: { memory }, delay: '1h' } }, false) as Record<string, unknown>;
    const data = { partition: 'agents', submission: 'own', configuration: quotas('10G') };
    const event = inbound(
      { name: 'ConfigSubmitted', data: { ...data, quotaPreemptionEnabled: true } },
      new Date(),
    );
    await deliver(db, consumer, [{ ...event, source: '/clusters/one/agents/a' }]);
    const reader = new ReadInThread({ previewSeconds: 60 });
    const cluster = new SimulatedCluster(db);
    const submissions = new SubmitConfiguration(db, cluster, { policy: readDecreaseSettings({}) }, reader);
    // Each is an apply without the switch: a file of the scheduler, whose own one is off.
    for (const memory of ['5G', '4G']) {
      expect(await submissions.submit('agents', { json: quotas(memory) })).toMatchObject({
        quotaPreemptionEnabled: true,
        previousQuotaPreemptionEnabled: true,
      });
      expect(await readConfigurationInForce(db, 'agents')).toMatchObject({
        quotaPreemptionEnabled: true,
        cluster: 'one',
      });
    }
    // Where no agent has set it, the switch is that of the file.
    await submit({
      partition: 'plain',
      submission: 'on',
      configuration: configuration('plain', {}) as Record<string, unknown>,
    });
    expect(await submissions.submit('plain', { json: configuration('plain', {}, false) })).toMatchObject({
      quotaPreemptionEnabled: false,
    });
  });

  it('are refused when they do not have the partition that they are for', async () => {
    await submit({ partition: 'gpu', submission: 's-3', configuration: queues as Record<string, unknown> });
    expect(await answersTo('gpu')).toMatchObject([
      { type: 'io.curtail.config.refused.v1', submission: 's-3', errors: [{ path: 'partitions' }] },
    ]);
  });
});
