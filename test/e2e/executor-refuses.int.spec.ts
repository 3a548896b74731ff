import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TaskGroup, TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };
const five: TaskGroup = { queue: 'root.a', count: 5, resources: twenty };

/** A queue with 100 in use whose quota goes down to `max` almost at once. */
async function lower(system: EmbeddedSystem, max: number, group: TaskGroup = five): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run(group);
  await partition.configure({ a: { max: { memory: max }, delay: '20ms' } });
  return partition;
}

describe('a partition that is only observed', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());

  it('is planned for, and no one is evicted', async () => {
    const partition = system.partition();
    await partition.setMode('observe');
    await partition.run(five);
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'observed', evicted: 0, spared: 2, freed: {} });
    expect(await partition.events('VictimOrdered')).toEqual([]);
    expect(await partition.remaining()).toHaveLength(5);
    expect(await system.db.query('SELECT * FROM planned_victims')).toEqual([]);
  });

  it('evicts no one by a plan of that time when it is enforced before the plan is carried out', async () => {
    const partition = system.partition();
    await partition.setMode('observe');
    await partition.run(five);
    // The executor that opens the run sees the mode that was set the moment the plan was there.
    await system.db.query(
      `CREATE FUNCTION enforce_now() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         UPDATE partition_modes SET mode = 'enforce' WHERE partition = NEW.partition AND mode <> 'enforce'; RETURN NEW;
       END $$`,
    );
    await system.db.query(
      `CREATE TRIGGER enforce_now BEFORE INSERT ON events FOR EACH ROW
       WHEN (NEW.type = 'io.curtail.plan.computed.v1') EXECUTE FUNCTION enforce_now()`,
    );
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'observed', evicted: 0, spared: 2 });
    expect(await partition.remaining()).toHaveLength(5);
    await partition.configure({ a: { max: { memory: 59 }, delay: '20ms' } });
    expect((await partition.ended('root.a', 2)).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
  });
});

describe('a plan that needs an approval', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start({ approveAboveVictims: 3, approveAbovePercent: 50 });
  });
  afterAll(() => system.stop());

  const command = (enforcement: string, what: string) =>
    system.request('POST', `/v1/enforcements/${enforcement}/${what}`, { by: 'ada', reason: 'as agreed' });

  async function waiting(partition: TestPartition): Promise<string> {
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    expect(data.needsApproval).toBe(true);
    await partition.handled();
    return data.enforcement;
  }

  it.each([
    ['the number of its victims', { ...five, count: 10 }, 120, /4 victims/],
    ['the part of the queue that it takes', { ...five, count: 3 }, 20, /%|percent/],
  ])('because of %s waits, and continues when it is approved', async (_what, group, max, reason) => {
    const partition = await lower(system, max, group);
    const enforcement = await waiting(partition);
    const view = await system.get(`/v1/enforcements/${enforcement}`);
    expect(view).toMatchObject({
      state: 'waiting for approval',
      message: expect.stringMatching(reason),
    });
    expect(await partition.events('VictimOrdered')).toEqual([]);
    expect((await command(enforcement, 'approve')).status).toBe(200);
    expect((await partition.ended('root.a')).data.outcome).toBe('satisfied');
    expect(await partition.usage('root.a')).toEqual({ memory: max });
  });

  it('goes without one where its queue has higher limits', async () => {
    const partition = system.partition();
    await partition.run({ ...five, count: 10 });
    const properties = { 'curtail.approveAboveVictims': 9, 'curtail.approveAbovePercent': 100 };
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms', properties } });
    expect((await partition.ended('root.a')).data.evicted).toBe(9);
  });

  it('goes without one up to the limits', async () => {
    const partition = await lower(system, 140, { ...five, count: 10 });
    expect((await partition.ended('root.a')).data.evicted).toBe(3);
  });

  it('ends without a victim when it is rejected', async () => {
    const partition = await lower(system, 20);
    const enforcement = await waiting(partition);
    await command(enforcement, 'reject');
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'rejected', evicted: 0, spared: 4 });
    expect(data.message).toContain('ada');
    expect(data.message).toContain('as agreed');
    expect(await partition.remaining()).toHaveLength(5);
  });

  it('cannot be approved again, or after its end', async () => {
    const partition = await lower(system, 20);
    const enforcement = await waiting(partition);
    await command(enforcement, 'approve');
    await partition.ended('root.a');
    await partition.settled();
    for (const what of ['approve', 'reject']) {
      expect(await system.refused('POST', `/v1/enforcements/${enforcement}/${what}`)).toMatchObject({
        status: 409,
        type: 'urn:curtail:problem:not-waiting',
      });
    }
    expect(await system.refused('POST', `/v1/enforcements/${enforcement}/cancel`)).toMatchObject({
      status: 409,
    });
  });

  it('ends without a victim when it is cancelled while it waits', async () => {
    const partition = await lower(system, 20);
    await command(await waiting(partition), 'cancel');
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'cancelled', evicted: 0 });
    expect(await partition.remaining()).toHaveLength(5);
  });

  it('ends without a victim when the partition is stopped while it waits', async () => {
    const partition = await lower(system, 20);
    await waiting(partition);
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, reason: 'incident' });
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'stopped', evicted: 0 });
    expect(data.message).toContain('incident');
  });

  it('is called off for good when it is cancelled before it starts', async () => {
    const partition = system.partition();
    await partition.run(five);
    await partition.configure({ a: { max: { memory: 60 }, delay: '1h' } });
    const { data } = await partition.event('EnforcementScheduled');
    await partition.handled();
    await command(data.enforcement, 'cancel');
    expect((await partition.event('EnforcementCancelled')).data).toMatchObject({
      enforcement: data.enforcement,
      cause: 'operator',
      by: 'ada',
    });
    await partition.handled();
    expect(await system.get(`/v1/timers?partition=${partition.name}`)).toEqual({ items: [] });
  });

  describe('checks each victim again after the wait:', () => {
    it('another incarnation under the same id is left alone', async () => {
      const partition = await lower(system, 20);
      const enforcement = await waiting(partition);
      const before = await partition.allocation('a-5');
      await partition.run({ ...five, count: 5 });
      const again = await partition.allocation('a-5');
      expect(again?.uid).not.toBe(before?.uid);
      await command(enforcement, 'approve');
      expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 0, gone: 4 });
      expect((await partition.events('VictimGone')).map(({ data }) => data.code)).toEqual(
        Array(4).fill('other-incarnation'),
      );
      expect(await partition.events('VictimOrdered')).toEqual([]);
      expect(await partition.remaining()).toHaveLength(5);
    });

    it('one that has gone by itself counts as freed', async () => {
      const partition = await lower(system, 20);
      const enforcement = await waiting(partition);
      await system.db.query(`DELETE FROM simulated_allocations WHERE partition = $1 AND id = 'a-4'`, [
        partition.name,
      ]);
      await command(enforcement, 'approve');
      expect((await partition.ended('root.a')).data).toMatchObject({
        outcome: 'satisfied',
        evicted: 3,
        gone: 1,
        freed: { memory: 80 },
      });
      expect((await partition.events('VictimGone')).map(({ data }) => [data.allocation, data.code])).toEqual([
        ['a-4', 'gone'],
      ]);
    });

    it('none is evicted any more once the queue is down to its quota', async () => {
      const partition = await lower(system, 20);
      const enforcement = await waiting(partition);
      await system.db.query(`DELETE FROM simulated_allocations WHERE partition = $1 AND id = 'a-1'`, [
        partition.name,
      ]);
      await command(enforcement, 'approve');
      const { data } = await partition.ended('root.a');
      expect(data).toMatchObject({ outcome: 'satisfied', evicted: 3, spared: 1 });
      expect(
        (await partition.events('VictimSpared')).map(({ data }) => [data.allocation, data.code]),
      ).toEqual([['a-2', 'no-longer-needed']]);
      expect(await partition.remaining()).toEqual(['a-2']);
    });

    it('none is evicted below the guaranteed amount of a queue above it', async () => {
      const partition = system.partition();
      await partition.run(
        { queue: 'root.p.a', name: 'a', count: 5, resources: twenty },
        { queue: 'root.p.b', name: 'b', count: 5, resources: twenty },
      );
      await partition.configure({
        p: {
          guaranteed: { memory: 110 },
          queues: { a: { max: { memory: 20 }, delay: '20ms' }, b: {} },
        },
      });
      const { data } = await partition.event('EnforcementOpened', 'root.p.a');
      expect(data.needsApproval).toBe(true);
      await partition.handled();
      await system.db.query(
        `DELETE FROM simulated_allocations WHERE partition = $1 AND id IN ('b-1', 'b-2', 'b-3')`,
        [partition.name],
      );
      await command(data.enforcement, 'approve');
      expect((await partition.ended('root.p.a')).data).toMatchObject({
        outcome: 'best-effort',
        evicted: 1,
        spared: 3,
      });
      expect((await partition.events('VictimSpared')).map(({ data }) => data.code)).toEqual(
        Array(3).fill('guaranteed-floor'),
      );
      expect(await partition.usage('root.p')).toEqual({ memory: 120 });
    });
  });
});

describe('a run whose time is over', () => {
  it('ends at its deadline and spares the rest', async () => {
    const system = await EmbeddedSystem.start({ approveAboveVictims: 0, deadlineSeconds: 1 });
    const partition = await lower(system, 60);
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'deadline', evicted: 0, spared: 2 });
    expect(await partition.remaining()).toHaveLength(5);
    await system.stop();
  });
});
