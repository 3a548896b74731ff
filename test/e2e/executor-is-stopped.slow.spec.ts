import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventData } from '#contracts';
import type { EnforcementView, OwnerAnswerView, SettingsView } from '#contracts/api';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ victimsPerSecond: 1 });
});
afterAll(() => system.stop());

/** Victims of a run {@link underWay}: as one a second is evicted, a test has a minute for what it does meanwhile. */
const many = 60;
/** Ends a run {@link underWay} sooner. */
const quickly = { 'curtail.victimsPerSecond': 1000 };

/** A run over many victims, of which the first is evicted. Tests that mostly wait for their run are concurrent. */
async function underWay(): Promise<{ partition: TestPartition; enforcement: string }> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: many + 1, resources: twenty });
  await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
  const { data } = await partition.event('VictimEvicted', 'root.a');
  return { partition, enforcement: data.enforcement };
}

/** The end of a run {@link underWay} that was interrupted: it has evicted at least the first victim, and not the last. */
async function interrupted(partition: TestPartition, outcome: string): Promise<number> {
  const { data } = await partition.ended('root.a');
  const { evicted } = data;
  expect(evicted).toBeGreaterThanOrEqual(1);
  expect(evicted).toBeLessThan(many);
  expect(data).toMatchObject({ outcome, spared: many - evicted, freed: { memory: 20 * evicted } });
  expect(await partition.events('VictimEvicted')).toHaveLength(evicted);
  expect(await partition.remaining()).toHaveLength(many + 1 - evicted);
  return evicted;
}

describe('a run under way', () => {
  it.concurrent('evicts no more in any second than it may', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    await partition.ended('root.a');
    const orders = (await partition.events('VictimOrdered')).map(({ data }) => Date.parse(data.orderedAt));
    expect(orders).toHaveLength(3);
    for (let i = 1; i < orders.length; i++) {
      expect((orders[i] ?? 0) - (orders[i - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
    }
  });

  it.concurrent('continues when its queue is frozen', async () => {
    const { partition } = await underWay();
    await system.request('POST', '/v1/freezes', { partition: partition.name, duration: 'PT1H' });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms', properties: quickly } });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: many });
  });

  it('is stopped if its queue is frozen before it is opened, and its clock waits for the end of the freeze', async () => {
    const partition = system.partition();
    const release = system.pauseExecutor();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    await partition.event('PlanComputed', 'root.a');
    await system.request('POST', '/v1/freezes', {
      partition: partition.name,
      queue: 'root.a',
      duration: 'PT1H',
    });
    release();
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 0,
      spared: 4,
    });
    const { data } = await partition.event('EnforcementRescheduled', 'root.a');
    expect(data.cause).toBe('frozen');
    expect(await partition.remaining()).toHaveLength(5);
  });

  it.concurrent('is stopped between two kills by the kill switch, which holds the clock until it is cleared', async () => {
    const { partition } = await underWay();
    const at = { partition: partition.name };
    await system.request('POST', '/v1/kill-switch', { ...at, by: 'ada', reason: 'incident' });
    const evicted = await interrupted(partition, 'stopped');
    expect((await partition.ended('root.a')).data.shortfall).toEqual({
      memory: 20 * (many - evicted),
    });
    expect((await system.get<{ items: object[] }>('/v1/kill-switch')).items).toContainEqual(
      expect.objectContaining({ ...at, queue: null, by: 'ada', reason: 'incident' }),
    );
    await partition.settled();

    // The victims that the run left are kept for later, and so are quotas that are saved meanwhile.
    const suspended = async () => (await partition.events('EnforcementSkipped', 'root.a')).at(-1)?.data.cause;
    expect(await suspended()).toBe('suspended');
    await partition.configure({ a: { max: { memory: 19 }, delay: '20ms', properties: quickly } });
    await partition.event('EnforcementRescheduled', 'root.a');
    await partition.settled();
    expect(await suspended()).toBe('suspended');
    expect(await partition.events('EnforcementEnded')).toHaveLength(1);

    expect(
      (await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}`)).body,
    ).toMatchObject({ cleared: 1 });
    expect((await partition.ended('root.a', 2)).data).toMatchObject({
      outcome: 'satisfied',
      evicted: many + 1 - evicted,
    });
    const resumed = (await partition.events('EnforcementRescheduled', 'root.a')).at(-1);
    expect(resumed?.data.cause).toBe('resumed');
    const cleared = await partition.event('KillSwitchCleared');
    expect(resumed?.data.dueAt).toBe(new Date(cleared.time.getTime() + 20).toISOString());
  });

  it.concurrent('does not start from a clock that falls due under a kill switch, which gets its whole delay after that', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await system.request('POST', '/v1/kill-switch', {
      partition: partition.name,
      queue: 'root.a',
      by: 'ada',
    });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    await partition.event('EnforcementSkipped', 'root.a');
    await partition.settled();
    expect(await partition.events('EnforcementStarted')).toEqual([]);
    await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}&queue=root.a`);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });

  it.concurrent('does not put off the clocks of queues that were not stopped when others are resumed', async () => {
    const partition = system.partition();
    const resume = () => system.request('DELETE', `/v1/kill-switch?partition=${partition.name}&by=ada`);
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.run({ queue: 'root.b', count: 5, resources: twenty });
    const lowered = { max: { memory: 60 }, delay: '1h' };
    await partition.configure({ a: lowered, b: lowered });
    await partition.event('EnforcementScheduled', 'root.a');
    await partition.event('EnforcementScheduled', 'root.b');
    expect((await resume()).body).toMatchObject({ cleared: 0 });
    await system.request('POST', '/v1/kill-switch', {
      partition: partition.name,
      queue: 'root.b',
      by: 'ada',
    });
    await partition.event('EnforcementSkipped', 'root.b');
    expect((await resume()).body).toMatchObject({ cleared: 1 });
    await partition.event('EnforcementRescheduled', 'root.b');
    await partition.settled();
    const cleared = (await partition.events('KillSwitchCleared')).map(({ data, key }) => [data.queue, key]);
    expect(cleared).toEqual([['root.b', 'root.b']]);
    expect(await partition.events('EnforcementRescheduled', 'root.a')).toEqual([]);
  });

  it.concurrent('is resumed once none of the stops that cover its queue is left', async () => {
    const partition = system.partition();
    const stop = (queue: string) =>
      system.request('POST', '/v1/kill-switch', { partition: partition.name, queue, allowUnknown: true });
    const resume = (queue?: string) => {
      const at = queue === undefined ? '' : `&queue=${queue}`;
      return system.request('DELETE', `/v1/kill-switch?partition=${partition.name}${at}`);
    };
    const states = async () => {
      await partition.handled();
      const { items } = await system.get<{ items: { queue: string; state: string }[] }>(
        `/v1/timers?partition=${partition.name}`,
      );
      return Object.fromEntries(items.map(({ queue, state }) => [queue.split('.').at(-1), state]));
    };
    const lowered = { max: { memory: 60 }, delay: '1h' };
    await stop('root.p');
    await stop('root.p.a');
    await partition.configure({ p: { queues: { a: lowered, b: lowered } } });
    expect(await states()).toEqual({ a: 'suspended', b: 'suspended' });
    expect((await resume('root.p')).body).toMatchObject({ cleared: 1 });
    expect(await states()).toEqual({ a: 'suspended', b: 'pending' });
    await stop('root.p');
    expect(await states()).toEqual({ a: 'suspended', b: 'suspended' });
    expect((await resume('root.p.a')).body).toMatchObject({ cleared: 1 });
    expect(await states()).toEqual({ a: 'suspended', b: 'suspended' });
    await stop('root.p.a');
    expect((await resume()).body).toMatchObject({ cleared: 2 });
    expect(await states()).toEqual({ a: 'pending', b: 'pending' });
    const resumed = (await partition.events('EnforcementRescheduled')).map(({ key, data }) => [
      key,
      data.cause,
    ]);
    expect(resumed.sort()).toEqual([
      ['root.p.a', 'resumed'],
      ['root.p.b', 'resumed'],
      ['root.p.b', 'resumed'],
    ]);
  });

  it.each(['kill-switch', 'freezes'])('is not taken for stopped by a misspelt name (%s)', async (command) => {
    const partition = system.partition();
    await partition.configure({ research: { max: { memory: 60 } } });
    await partition.run({ queue: 'root.made-by-a-rule', count: 1, resources: twenty });
    const send = (place: { partition?: string; queue?: string }, rest = {}) =>
      system.request('POST', `/v1/${command}`, {
        ...{ partition: partition.name, ...place, ...rest },
        ...(command === 'freezes' && { duration: 'PT1H' }),
      });
    const option = ` --partition ${partition.name} --queue`;
    for (const [queue, meant] of [
      ['root.reserch', 'root.research'],
      ['research', 'root.research'],
    ] as const) {
      const { status, body } = await send({ queue });
      expect({ status, ...body }).toMatchObject({
        ...{ status: 404, type: 'urn:curtail:problem:unknown-queue' },
        detail: expect.stringContaining(`Did you mean ${meant}?`),
        remedy: expect.stringContaining(`${option} ${meant}`),
      });
    }
    expect((await send({ queue: 'root.new' })).body).toMatchObject({
      remedy: expect.stringContaining(`${option} root.new --allow-unknown`),
    });
    expect((await send({ partition: 'elsewhere' })).body).toMatchObject({
      type: 'urn:curtail:problem:unknown-partition',
    });
    // What is in the configuration or has work exists, and what is added later has to be meant.
    for (const queue of ['root', 'root.research', 'root.made-by-a-rule'])
      expect((await send({ queue })).status).toBe(200);
    expect((await send({ queue: 'root.new' }, { allowUnknown: true })).status).toBe(200);
    await system.request('DELETE', `/v1/${command}?partition=${partition.name}`);
  });

  it.concurrent('is stopped by the kill switch of a queue above it, and not by that of another queue', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.p.a', count: many + 1, resources: twenty });
    const other = { partition: partition.name, queue: 'root.p.aa', allowUnknown: true };
    await system.request('POST', '/v1/kill-switch', other);
    await partition.configure({ p: { queues: { a: { max: { memory: 20 }, delay: '20ms' } } } });
    await partition.event('VictimEvicted', 'root.p.a', 2);
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.p' });
    const { outcome, evicted, spared } = (await partition.ended('root.p.a')).data;
    expect({ outcome, victims: evicted + spared }).toEqual({ outcome: 'stopped', victims: many });
    expect(evicted).toBeGreaterThanOrEqual(2);
    expect(spared).toBeGreaterThanOrEqual(1);
  });

  it.concurrent('spares the victims of a stopped queue below it and takes the others', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.a', count: 2, resources: twenty },
      { queue: 'root.p.b', count: 2, resources: twenty },
    );
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.p.a' });
    await partition.configure({ p: { max: { memory: 40 }, delay: '20ms', queues: { a: {}, b: {} } } });
    expect((await partition.ended('root.p')).data).toMatchObject({
      outcome: 'best-effort',
      evicted: 1,
      spared: 1,
    });
    expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'b-1']);
  });

  it.concurrent('is stopped when the partition is only observed from then on', async () => {
    const { partition } = await underWay();
    await system.request('PUT', `/v1/partitions/${partition.name}/mode`, { mode: 'observe' });
    await interrupted(partition, 'stopped');
  });

  it.concurrent('is cancelled by an operator; what is evicted stays evicted', async () => {
    const { partition, enforcement } = await underWay();
    await system.request('POST', `/v1/enforcements/${enforcement}/cancel`, { by: 'ada' });
    const evicted = await interrupted(partition, 'cancelled');
    await partition.settled();
    expect(await system.get(`/v1/enforcements/${enforcement}`)).toMatchObject({
      state: 'ended',
      outcome: 'cancelled',
      evicted,
    });
    expect(
      await system.db.query('SELECT FROM planned_victims WHERE enforcement = $1', [enforcement]),
    ).toEqual([]);
  });

  it('is ended by the switch of the partition where it has evicted nothing, and follows once that is on again', async () => {
    const careful = await EmbeddedSystem.start({ approveAboveVictims: 0 });
    const partition = careful.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    const queues = { a: { max: { memory: 60 }, delay: '20ms' } };
    await partition.configure(queues);
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    expect(await partition.configure(queues, false)).toMatchObject({
      running: [{ queue: 'root.a', enforcement: data.enforcement, evicting: false }],
    });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 0,
      spared: 2,
    });
    await partition.configure(queues, true);
    expect((await partition.event('EnforcementOpened', 'root.a', 2)).data.needsApproval).toBe(true);
    await careful.stop();
  });

  it.concurrent('is not changed by a save or by the switch of the partition once it evicts', async () => {
    const { partition } = await underWay();
    const raised = { max: { memory: 2000 }, delay: '20ms', properties: quickly };
    expect(await partition.configure({ a: raised }, false)).toMatchObject({
      running: [{ queue: 'root.a', evicting: true }],
    });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: many });
  });

  it('continues where it was when the service ends in the middle and starts again', async () => {
    const database = await createMigratedDatabase();
    const first = await EmbeddedSystem.start({ victimsPerSecond: 1 }, database);
    const partition = first.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    await partition.event('VictimEvicted', 'root.a');
    await first.stop();

    const second = await EmbeddedSystem.start({ victimsPerSecond: 1 }, database);
    const again = second.partition();
    expect((await again.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
    expect((await again.events('VictimOrdered')).map(({ data }) => [data.rank, data.attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(await again.remaining()).toEqual(['a-1', 'a-2']);
    await second.stop();
    await database.drop();
  });
});

describe('settings that an operator overrides', () => {
  const settingsOf = (partition: TestPartition) => `/v1/partitions/${partition.name}/settings`;
  const override = (partition: TestPartition, settings: object, more: object = {}) =>
    system.request<SettingsView>('PATCH', settingsOf(partition), {
      queue: 'root.a',
      settings,
      by: 'ada',
      reason: 'incident',
      ...more,
    });
  const inForce = ({ settings }: SettingsView, name: string) =>
    settings.filter(({ setting }) => setting === name);

  it.concurrent('hold for a run under way: the executor evicts at the new rate', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 120, resources: twenty });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    await partition.event('VictimEvicted', 'root.a');
    expect((await override(partition, { victimsPerSecond: 1000 })).status).toBe(200);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 119 });
    const changed = await partition.event('SettingsChanged', 'root.a');
    const orders = (await partition.events('VictimOrdered')).map(({ data }) => Date.parse(data.orderedAt));
    const before = orders.filter((at) => at < changed.time.getTime());
    for (let i = 1; i < before.length; i++) expect(before[i]! - before[i - 1]!).toBeGreaterThanOrEqual(1000);
    const last = orders.at(-1)!;
    expect(orders.filter((at) => last - at < 1000).length).toBeGreaterThan(1);
  });

  it('are recorded with who set them and why, and take the place of the configuration until they are cleared', async () => {
    const partition = system.partition();
    const properties = { 'curtail.miss': 5, 'curtail.protect': { users: ['ann'] } };
    await partition.configure({ a: { properties, queues: { b: {} } }, c: {} });
    const of = async (queue: string) => system.get<SettingsView>(`${settingsOf(partition)}?queue=${queue}`);
    const first = await of('root.a.b');
    expect(first).toMatchObject({ version: 0, overrides: [] });
    expect(inForce(first, 'miss')).toEqual([
      { setting: 'miss', value: 5, from: 'configuration', queue: 'root.a' },
    ]);
    expect(inForce(first, 'fit')).toEqual([{ setting: 'fit', value: 'cover', from: 'default' }]);
    expect(inForce(first, 'victimsPerSecond')).toEqual([
      { setting: 'victimsPerSecond', value: 1, from: 'environment' },
    ]);

    const set = { miss: 0, protect: true };
    expect((await override(partition, set)).body).toMatchObject({ queue: 'root.a', version: 1 });
    const again = await override(partition, set);
    expect(again.body.version).toBe(1);
    await override(partition, { protect: { priorityAtLeast: 7 } }, { queue: 'root', reason: undefined });
    const { data } = await partition.event('SettingsChanged', 'root.a');
    expect(data).toEqual({
      partition: partition.name,
      queue: 'root.a',
      changes: [
        { setting: 'miss', from: null, to: 0 },
        { setting: 'protect', from: null, to: true },
      ],
      by: 'ada',
      reason: 'incident',
    });
    const second = await of('root.a.b');
    const ofAda = { from: 'override', by: 'ada', at: expect.any(String) };
    expect(inForce(second, 'miss')).toEqual([
      { setting: 'miss', value: 0, queue: 'root.a', reason: 'incident', ...ofAda },
    ]);
    expect(inForce(second, 'protect')).toEqual([
      { setting: 'protect', value: true, queue: 'root.a', reason: 'incident', ...ofAda },
      { setting: 'protect', value: { priorityAtLeast: 7 }, queue: 'root', ...ofAda },
    ]);
    expect(second.overrides.map(({ queue, setting }) => [queue, setting])).toEqual([
      ['root', 'protect'],
      ['root.a', 'miss'],
      ['root.a', 'protect'],
    ]);

    await partition.configure({ c: {} });
    expect(await system.get<SettingsView>(settingsOf(partition))).toMatchObject({
      version: 2,
      overrides: [{ configured: true }, { configured: false }, { configured: false }],
    });
    const cleared = await override(partition, { miss: null, protect: null });
    expect(cleared.body).toMatchObject({ queue: 'root', version: 3, overrides: [{ queue: 'root' }] });
  });

  it('are refused where they are wrong, or have changed since they were read', async () => {
    const partition = system.partition();
    await partition.configure({ a: {} });
    const patch = (version: number) =>
      fetch(new URL(settingsOf(partition), system.url), {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': `"${version}"` },
        body: JSON.stringify({ settings: { graceSeconds: version }, by: 'eve' }),
      });
    const done = await patch(0);
    expect([done.status, done.headers.get('etag')]).toEqual([200, '"1"']);
    const late = await patch(0);
    expect([late.status, late.headers.get('etag')]).toEqual([412, '"1"']);
    expect(await late.json()).toMatchObject({
      detail: `The settings of partition ${partition.name} are at version 1, not 0. Latest changes: user eve changed settings of root: graceSeconds from the configured value to 0. Nothing was changed.`,
    });
    expect((await patch(1)).status).toBe(200);

    expect(await override(partition, { miss: 1 }, { queue: 'root.nosuch' })).toMatchObject({
      status: 404,
      body: { type: expect.stringContaining('unknown-queue') },
    });
    expect((await system.request('GET', `${settingsOf(partition)}?queue=root.nosuch`)).status).toBe(404);
    for (const [settings, path] of [
      [{ miss: 101 }, 'settings.miss'],
      [{ victimsPerSecond: 0 }, 'settings.victimsPerSecond'],
      [{ protect: { queues: ['root.a'] } }, 'settings.protect.queues'],
      [{ rate: 1 }, 'settings.rate'],
      [{}, 'settings'],
    ] as const) {
      const { status, body } = await override(partition, settings);
      const { errors } = body as unknown as { errors: { path: string }[] };
      expect([status, errors[0]!.path]).toEqual([400, path]);
    }
    expect(await partition.events('SettingsChanged')).toHaveLength(2);
  });

  it('leave a plan that waits for approval as it is, and are recorded with the next one', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: {} });
    await override(partition, { approveAboveVictims: 0, miss: 25, protect: { allocations: ['a-5'] } });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    expect(data.needsApproval).toBe(true);
    const [planned] = await partition.events('PlanComputed');
    expect(planned!.data.settings.miss).toBe(25);
    const victims = planned!.data.plan.victims.map(({ allocation }) => allocation);
    expect(victims).toEqual(['a-4', 'a-3']);
    await partition.handled();
    // Neither limit nor plan changes for the run: it still waits, and evicts no more than was planned.
    const open = { approveAboveVictims: 1000, approveAbovePercent: 100, miss: 0, protect: null };
    await override(partition, { ...open, victimsPerSecond: 1000 });
    const command = await system.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {
      by: 'ada',
    });
    expect(command.status).toBe(200);
    expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 2 });
    const evicted = (await partition.events('VictimEvicted')).map((event) => event.data.allocation);
    expect(evicted).toEqual(victims);

    await partition.configure({ a: { max: { memory: 59 }, delay: '20ms' } });
    await partition.ended('root.a', 2);
    const plans = await partition.events('PlanComputed');
    expect(plans.map((plan) => plan.data.settings.miss)).toEqual([25, 0]);
    expect(plans[1]!.data.plan.victims.map(({ allocation }) => allocation)).toContain('a-5');
    // A replay makes each plan again from what was recorded with it.
    const { body } = await system.request<{ result: Record<string, unknown> }>('POST', '/v1/replays', {
      into: 'digest',
    });
    const { result } = body;
    expect(result.same).toBe(result.plans);
    expect(result.different).toEqual([]);
  });

  it.concurrent('change the rate and the grace period of an approved run, and none of its victims', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 60, resources: twenty });
    await partition.configure({ a: {} });
    await override(partition, { approveAboveVictims: 0 });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    const { enforcement } = (await partition.event('EnforcementOpened', 'root.a')).data;
    await partition.handled();
    await system.request('POST', `/v1/enforcements/${enforcement}/approve`, { by: 'ada' });
    await partition.event('VictimEvicted', 'root.a');
    const leaving = async () => {
      const [row] = await system.db.query(
        `SELECT count(*)::int AS count FROM simulated_allocations
         WHERE partition = $1 AND state = 'releasing' AND gone_at > now() + interval '1 hour'`,
        [partition.name],
      );
      return row.count as number;
    };
    expect(await leaving()).toBe(0);

    const changed = { victimsPerSecond: 1000, graceSeconds: 86_400, protect: true, approveAboveVictims: 0 };
    expect((await override(partition, changed)).status).toBe(200);
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ enforcement, evicted: 59 });
    expect(await leaving()).toBeGreaterThan(1);
    expect(await partition.events('EnforcementOpened', 'root.a')).toHaveLength(1);
    expect(await partition.remaining()).toEqual(['a-1']);
  });

  it('hold in a partition whose configuration has another format', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await system.db.query('INSERT INTO simulated_nodes (partition, id, capacity) VALUES ($1, $2, $3)', [
      partition.name,
      'n1',
      { memory: 200 },
    ]);
    const submit = async (most: string) => {
      const of = { queues: 'a,b', 'a.capacity': '25', 'a.maximum-capacity': most, 'b.capacity': '75' };
      const properties = Object.entries({ ...of, 'a.quota-preemption-delay': '1s' }).map(
        ([name, value]) =>
          `<property><name>yarn.scheduler.capacity.root.${name}</name><value>${value}</value></property>`,
      );
      const { status, body } = await partition.submit(
        `<configuration>${properties.join('')}</configuration>`,
        '?format=capacity-scheduler',
      );
      expect({ status, body }).toMatchObject({ status: 200 });
    };
    await submit('50');
    await override(partition, { miss: 25, protect: { allocations: ['a-5'] }, victimsPerSecond: 1000 });
    await submit('30');
    expect((await partition.ended('root.a')).data.evicted).toBe(2);
    const [planned] = await partition.events('PlanComputed');
    expect(planned!.data.settings.miss).toBe(25);
    expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'a-5']);
  });
});

describe('answers of owners', () => {
  const set = (partition: TestPartition, settings: object) =>
    system.request('PATCH', `/v1/partitions/${partition.name}/settings`, { queue: 'root', settings });
  const allow = (partition: TestPartition, extensionSeconds: number) =>
    set(partition, { extensions: 1, extensionSeconds });
  /** Ends a run {@link underWay} sooner. */
  const hurry = (partition: TestPartition) => set(partition, { victimsPerSecond: 1000 });
  const answer = (partition: TestPartition, allocation: string, kind: string, more: object = {}) =>
    system.request<OwnerAnswerView>('POST', '/v1/answers', {
      ...{ partition: partition.name, allocation, answer: kind, by: 'ann' },
      ...more,
    });
  /** A run over four victims, one a second, which is planned and not open. */
  async function planned(extensionSeconds: number) {
    const partition = system.partition();
    const release = system.pauseExecutor();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    await allow(partition, extensionSeconds);
    const { data } = await partition.event('PlanComputed', 'root.a');
    await partition.handled();
    return { partition, release, enforcement: data.enforcement };
  }
  const waiting = async (enforcement: string) =>
    (await system.get<EnforcementView>(`/v1/enforcements/${enforcement}`)).waiting;

  it('hold a victim until its extension ends, while the others are evicted', async () => {
    const { partition, release } = await planned(6);
    const extended = await answer(partition, 'a-5', 'extend', { id: 'once' });
    expect(extended).toMatchObject({ status: 200, body: { seconds: 6, until: null, repeated: false } });
    expect(await answer(partition, 'a-5', 'extend', { id: 'once' })).toMatchObject({
      status: 200,
      body: { seconds: 6, repeated: true },
    });
    const refused = await system.refused('POST', '/v1/answers', {
      ...{ partition: partition.name, allocation: 'a-5', answer: 'extend' },
    });
    expect(refused).toMatchObject({
      ...{ status: 409, type: 'urn:curtail:problem:extensions-used' },
    });
    release();
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 4 });
    const orders = (await partition.events('VictimOrdered')).map(({ data }) => data);
    expect(orders.map(({ allocation }) => allocation)).toEqual(['a-4', 'a-3', 'a-2', 'a-5']);
    const { data: opened } = await partition.event('EnforcementOpened', 'root.a');
    expect(Date.parse(orders[3]!.orderedAt)).toBeGreaterThanOrEqual(Date.parse(opened.openedAt) + 6000);
  });

  it.concurrent('are the reason why their run waits, until the owner is ready', async () => {
    const { partition, enforcement } = await underWay();
    await allow(partition, 600);
    const { body } = await answer(partition, 'a-2', 'extend');
    expect(Date.parse(body.until ?? '') - Date.parse(body.answeredAt)).toBe(600_000);
    await hurry(partition);
    await partition.event('VictimEvicted', 'root.a', many - 1);
    const why = await system.until('the run to wait', async () => {
      const reason = await waiting(enforcement);
      return reason?.code === 'extension' ? reason : undefined;
    });
    expect(why.message).toBe(
      `Run ${enforcement} waits until ${body.until} for a-2, whose owner extended its time.`,
    );
    expect(await partition.remaining()).toEqual(['a-1', 'a-2']);
    expect(await answer(partition, 'a-2', 'ready')).toMatchObject({ status: 200, body: { enforcement } });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: many });
    expect(await answer(partition, 'a-2', 'ready')).toMatchObject({ status: 404 });
  });

  it.concurrent('give way to a stop at once', async () => {
    const { partition } = await underWay();
    await allow(partition, 600);
    await answer(partition, 'a-2', 'extend');
    await hurry(partition);
    await partition.event('VictimEvicted', 'root.a', many - 1);
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ada' });
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'stopped', evicted: many - 1 });
  });

  it.concurrent('count from the opening of a run whose clock still runs, and are refused where no run is due', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.a', count: 5, resources: twenty },
      { queue: 'root.b', count: 1, resources: twenty },
    );
    await partition.configure({ a: { max: { memory: 80 }, delay: '1h' }, b: {} });
    await allow(partition, 3);
    const extend = { partition: partition.name, allocation: 'b-1', answer: 'extend' };
    expect(await system.refused('POST', '/v1/answers', extend)).toMatchObject({
      type: 'urn:curtail:problem:no-run',
    });
    const { data } = await partition.event('EnforcementScheduled', 'root.a');
    expect(await answer(partition, 'a-5', 'extend')).toMatchObject({
      body: { enforcement: data.enforcement, until: null },
    });
    await system.request('POST', '/v1/queues/root.a/enforce', { partition: partition.name, atOnce: true });
    expect((await partition.ended('root.a')).data).toMatchObject({
      ...{ enforcement: data.enforcement, outcome: 'satisfied', evicted: 1 },
    });
    const { data: opened } = await partition.event('EnforcementOpened', 'root.a');
    // The last order is the one that was carried out: one that the answer overtook is put off.
    const order = (await partition.events('VictimOrdered')).at(-1);
    expect(Date.parse(order!.data.orderedAt)).toBeGreaterThanOrEqual(Date.parse(opened.openedAt) + 3000);
    const refused = (await partition.events('VictimRefused')).map(({ data: { code } }) => code);
    expect(refused.filter((code) => code !== 'extended')).toEqual([]);
  });

  it('that the work is saved count for the work lost', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 100 }, delay: '20ms' } });
    const at = new Date(Date.now() - 60_000).toISOString();
    expect(await answer(partition, 'a-5', 'checkpointed', { at })).toMatchObject({
      status: 200,
      body: { checkpointedAt: at, enforcement: null },
    });
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms' } });
    const { data } = await partition.event('VictimEvicted', 'root.a');
    expect(data.secondsLost).toBeGreaterThanOrEqual(60);
    // It has run for about a day.
    expect(data.secondsLost).toBeLessThan(1000);
  });

  it('may be sent as events, whose result is an event', async () => {
    const { partition, release, enforcement } = await planned(600);
    const send = (data: Partial<EventData<'OwnerAnswerSent'>>, source?: string) =>
      system.takeAnswer(
        {
          ...{ partition: partition.name, allocation: 'a-5', answer: 'extend', id: 'k-1', by: 'ann' },
          ...data,
        },
        source,
      );
    await send({});
    await send({});
    const answers = await partition.events('OwnerAnswered');
    expect(answers.map(({ data }) => data)).toMatchObject([{ id: 'k-1', enforcement, seconds: 600 }]);
    await send({ id: 'k-2' });
    await send({ id: 'k-3', allocation: 'a-9', answer: 'ready' });
    expect((await partition.events('OwnerAnswerRefused')).map(({ data }) => data)).toMatchObject([
      { id: 'k-2', code: 'extensions-used', about: { kind: 'allocation', name: 'a-5' } },
      { id: 'k-3', code: 'allocation-gone' },
    ]);
    await system.db.query(
      "INSERT INTO inventory_partitions (partition, cluster, last_report_at) VALUES ($1, 'ours', now())",
      [partition.name],
    );
    await send({ id: 'k-5', answer: 'ready' }, '/clusters/theirs/agents/a');
    expect((await partition.events('OwnerAnswerRefused')).at(-1)?.data).toMatchObject({
      ...{ id: 'k-5', code: 'other-cluster' },
    });
    await send({ id: 'k-4', answer: 'ready' }, '/clusters/ours/agents/a');
    release();
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 4 });
  });
});
