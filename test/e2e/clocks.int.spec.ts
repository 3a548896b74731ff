import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook as Receiver } from 'standardwebhooks';
import { place } from '#clusters';
import { type TimerView, webhookMessage } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { query } from '../support/query.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

/** Long enough that nothing fires unless a test wants it to. */
const hour = '1h';

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

const dueAts = async (partition: TestPartition) => {
  const { items } = await system.get<{ items: { queue: string; dueAt: string; state: string }[] }>(
    `/v1/timers?partition=${partition.name}`,
  );
  return items;
};
const cause = (events: { name: string; data: object }[]) =>
  events.map(({ name, data }) => ('cause' in data ? `${name} ${data.cause}` : name));

/** A queue with 100 in use and a clock of one hour that began when its quota went down to `max`. */
async function withClock(max: number): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
  await partition.configure({ a: { max: { memory: max }, delay: hour } });
  await partition.event('EnforcementScheduled', 'root.a');
  return partition;
}

describe('a clock', () => {
  it('starts with the first configuration and is due a delay after the save', async () => {
    const partition = await withClock(60);
    const [changed] = await partition.events('QuotaChanged', 'root.a');
    expect(await dueAts(partition)).toEqual([
      expect.objectContaining({
        queue: 'root.a',
        state: 'pending',
        dueAt: new Date((changed?.time.getTime() ?? 0) + 3_600_000).toISOString(),
      }),
    ]);
  });

  it('is called off when the quota is raised, and starts again when it is lowered again', async () => {
    const partition = await withClock(60);
    await partition.configure({ a: { max: { memory: 80 }, delay: hour } });
    await partition.handled();
    expect(await dueAts(partition)).toEqual([]);
    await partition.configure({ a: { max: { memory: 70 }, delay: hour } });
    await partition.handled();
    expect(await dueAts(partition)).toHaveLength(1);
    const clock = (await partition.log()).filter(({ name }) => name.startsWith('Enforcement'));
    expect(cause(clock)).toEqual([
      'EnforcementScheduled quota-lowered',
      'EnforcementCancelled quota-raised',
      'EnforcementScheduled quota-lowered',
    ]);
    const { items } = await system.get<{ items: object[] }>(`/v1/enforcements?partition=${partition.name}`);
    expect(items).toEqual([
      expect.objectContaining({ state: 'scheduled' }),
      expect.objectContaining({ state: 'ended', outcome: 'quota-raised' }),
    ]);
  });

  it('starts again from the second save when the quota is lowered twice', async () => {
    const partition = await withClock(80);
    await partition.configure({ a: { max: { memory: 60 }, delay: hour } });
    const { data } = await partition.event('EnforcementRescheduled', 'root.a');
    const second = (await partition.events('QuotaChanged', 'root.a')).at(-1);
    expect(data.dueAt).toBe(new Date((second?.time.getTime() ?? 0) + 3_600_000).toISOString());
    expect(data.cause).toBe('quota-lowered');
  });

  it('starts again with the new delay when only the delay changes, and fires when that is over', async () => {
    const partition = await withClock(60);
    await partition.configure({ a: { max: { memory: 60 }, delay: '50ms' } });
    expect(await partition.event('EnforcementRescheduled', 'root.a')).toMatchObject({
      data: { cause: 'delay-changed' },
    });
    expect((await partition.ended('root.a')).data.outcome).toBe('satisfied');
  });

  it.each([
    ['the delay is 0', { a: { max: { memory: 60 }, delay: '0s' } }, 'delay-zero'],
    ['the quota is taken away', { a: { delay: hour } }, 'max-removed'],
    ['the queue is removed', {}, 'queue-removed'],
  ])('is called off when %s', async (_what, queues, why) => {
    const partition = await withClock(60);
    await partition.configure(queues);
    expect((await partition.event('EnforcementCancelled', 'root.a')).data.cause).toBe(why);
    await partition.handled();
    expect(await dueAts(partition)).toEqual([]);
    expect(await partition.remaining()).toHaveLength(5);
  });

  it('takes the delay of its parent over, and starts again when that changes', async () => {
    const partition = system.partition();
    const parent = (delay: string) => ({
      a: { delay, queues: { b: { max: { memory: 60 } } } },
    });
    await partition.configure(parent(hour));
    await partition.event('EnforcementScheduled', 'root.a.b');
    await partition.configure(parent('2h'));
    const { data, time } = await partition.event('EnforcementRescheduled', 'root.a.b');
    expect(data.dueAt).toBe(new Date(time.getTime() + 7_200_000).toISOString());
  });

  it('stands still while the switch is off, and has its whole delay when it is turned on', async () => {
    const partition = system.partition();
    const queues = { a: { max: { memory: 60 }, delay: '80ms' } };
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
    await partition.configure(queues, false);
    expect(await partition.event('EnforcementSkipped', 'root.a')).toMatchObject({
      data: { cause: 'suspended', notices: [{ code: 'suspended' }] },
    });
    expect(await dueAts(partition)).toEqual([expect.objectContaining({ state: 'suspended' })]);
    const due = Date.parse((await partition.event('EnforcementScheduled')).data.dueAt);
    await system.until('the due time to pass', async () => Date.now() > due + 100);
    expect(await partition.events('EnforcementStarted')).toEqual([]);

    await partition.configure(queues, true);
    const { data } = await partition.event('EnforcementRescheduled', 'root.a');
    const on = (await partition.events('ConfigApplied')).at(-1);
    expect(data).toMatchObject({
      cause: 'switched-on',
      dueAt: new Date((on?.time.getTime() ?? 0) + 80).toISOString(),
    });
    expect((await partition.ended('root.a')).data.outcome).toBe('satisfied');
  });

  it('stands still when the switch is turned off on its way', async () => {
    const partition = await withClock(60);
    const queues = { a: { max: { memory: 60 }, delay: hour } };
    await partition.configure(queues, false);
    await partition.event('EnforcementSkipped', 'root.a');
    await partition.handled();
    expect(await dueAts(partition)).toEqual([expect.objectContaining({ state: 'suspended' })]);
  });

  it('waits for a max that goes up and down, as the dry run says, until an operator switches that off', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
    const day = 86_400;
    const properties = { 'curtail.flapping': { turns: 1, windowSeconds: 3600, stableSeconds: day } };
    const lowered = (memory: number) => ({ a: { max: { memory }, delay: hour, properties } });
    await partition.configure(lowered(60));
    await partition.configure(lowered(70));
    await partition.handled();

    const wanted = configuration(partition.name, lowered(50));
    const { body: preview } = await partition.submit(wanted, '?dryRun=true');
    const afterSeconds = (from: unknown, to: unknown) => (Date.parse(`${to}`) - Date.parse(`${from}`)) / 1000;
    const [{ dueAt, waitsFor }] = preview.changed as [{ dueAt: string; waitsFor: object[] }];
    expect(afterSeconds(preview.at, dueAt)).toBe(day);
    expect(waitsFor).toMatchObject([{ for: 'flapping', queue: 'root.a' }]);

    const { appliedAt } = await partition.configure(lowered(50));
    await partition.handled();
    const [clock] = await dueAts(partition);
    expect(afterSeconds(appliedAt, clock?.dueAt)).toBe(day);
    expect(clock).toMatchObject({ waiting: { code: 'flapping', about: { name: 'root.a' } } });
    const { items: notices } = await system.get<{ items: { code: string }[] }>(
      `/v1/notices?partition=${partition.name}`,
    );
    expect(notices.filter(({ code }) => code === 'flapping')).toHaveLength(1);

    const off = { queue: 'root.a', settings: { flapping: false } };
    expect((await system.request('PATCH', `/v1/partitions/${partition.name}/settings`, off)).status).toBe(
      200,
    );
    const { appliedAt: at } = await partition.configure(lowered(40));
    await partition.handled();
    expect(afterSeconds(at, (await dueAts(partition))[0]?.dueAt)).toBe(3600);
  });

  it('is not moved by the same configuration sent again', async () => {
    const partition = await withClock(60);
    const before = await dueAts(partition);
    const answer = await partition.configure({ a: { max: { memory: 60 }, delay: hour } });
    expect(answer.changed).toEqual([]);
    await partition.handled();
    expect(await dueAts(partition)).toEqual(before);
    expect(await partition.events('QuotaChanged')).toHaveLength(1);
  });

  it('is called off as not needed when the queue is within its quota at the due time', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 2, resources: { memory: 20 } });
    await partition.configure({ a: { max: { memory: 60 }, delay: '30ms' } });
    expect((await partition.event('EnforcementCancelled', 'root.a')).data.cause).toBe('not-needed');
    expect(await partition.events('EnforcementStarted')).toEqual([]);
  });

  it('fires once at the next start if it became due while the service was down, and states how late', async () => {
    const database = await createMigratedDatabase();
    const before = await EmbeddedSystem.start({}, database);
    const partition = before.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
    await partition.configure({ a: { max: { memory: 60 }, delay: hour } });
    await partition.event('EnforcementScheduled');
    await before.stop();
    // An hour goes by.
    await query(
      database.url,
      `UPDATE timers SET due_at = now() - interval '1 minute';
       UPDATE clocks SET state = jsonb_set(state::jsonb, '{pending,dueAt}', to_jsonb(to_char(
         (now() - interval '1 minute') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json`,
    );
    const again = await EmbeddedSystem.start({}, database);
    const after = again.partition();
    const { data } = await after.event('EnforcementStarted', 'root.a');
    expect(data.lateMs).toBeGreaterThanOrEqual(60_000);
    expect(data.notices).toEqual([expect.objectContaining({ code: 'fired-late' })]);
    await after.ended('root.a');
    expect(await after.events('EnforcementStarted')).toHaveLength(1);
    await again.stop();
    await database.drop();
  });
});

describe('the owners of what a clock would evict', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  it('are notified in advance, again when that changes, across a restart, and when it is called off', async () => {
    /** By id: a message whose sender stops before it has recorded the answer is sent again. */
    const messages = new Map<unknown, string>();
    const receiver = createServer(async (request, response) => {
      const body = await text(request);
      new Receiver(secret).verify(body, request.headers as Record<string, string>);
      const { type, data } = webhookMessage.parse(JSON.parse(body));
      messages.set(request.headers['webhook-id'], `${type} ${data.application} ${data.user}`);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const database = await createMigratedDatabase();
    const start = () =>
      EmbeddedSystem.start(
        {
          ...{ foresight: 'on', foresightSeconds: 1 },
          webhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
          webhookSecret: [secret],
        },
        database,
      );
    let running = await start();
    const foreseen = async (...words: string[]) =>
      curtail(['--server', running.url, '--no-color', 'get', 'foreseen', '--partition', 'p1', ...words], {
        columns: 100,
      });
    try {
      let partition = running.partition();
      await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 }, name: 'etl', user: 'ann' });
      await partition.configure({ a: { max: { memory: 60 }, delay: hour } });
      const { data: clock } = await partition.event('EnforcementScheduled', 'root.a');
      const { data: first } = await partition.event('VictimForeseen', 'root.a');
      expect(first).toMatchObject({
        ...{ enforcement: clock.enforcement, application: 'etl', user: 'ann', dueAt: clock.dueAt },
        ...{ changes: ['new'], victims: 2, allocations: ['etl-5', 'etl-4'], rule: 'younger' },
      });
      const page = await running.get<{ items: object[] }>('/v1/foreseen?partition=p1&user=ann');
      expect(page.items).toEqual([expect.objectContaining({ application: 'etl', victims: 2, fault: null })]);
      const told = { victims: 2, applications: 1, moreApplications: 0, fault: null };
      const timers = await running.get<{ items: TimerView[] }>('/v1/timers?partition=p1');
      expect(timers.items).toMatchObject([{ queue: 'root.a', foresight: told }]);
      const asked = (...words: string[]) =>
        curtail(['--server', running.url, '--no-color', ...words, '--partition', 'p1'], { columns: 200 });
      expect((await asked('get', 'timers')).stdout).toMatch(/VICTIMS +STATE.*\nroot\.a .* 2 +pending/);
      expect((await asked('explain', 'queue', 'root.a')).stdout).toMatch(
        /The owner of 1 application is notified of 2 victims \(last at \S+ \S+\)\. curtail .*get foreseen --queue root\.a lists them\./,
      );
      const { version } = (
        await running.get<{ items: { version: number }[] }>('/v1/partitions/p1/configurations')
      ).items[0]!;
      expect(await running.get(`/v1/partitions/p1/configurations/${version}/effect`)).toMatchObject({
        clocks: [{ queue: 'root.a', dueAt: clock.dueAt, foresight: told }],
      });
      expect((await foreseen('--user', 'ann')).stdout).toMatch(
        /^etl +ann +root\.a +in (1 h|\d+ m).* 2 +\d+/m,
      );
      expect((await foreseen('--user', 'eve')).stdout).toBe('no foreseen evictions of eve in partition p1\n');

      // Younger work of another owner takes its place, while nothing runs.
      await running.stop();
      running = await start();
      partition = running.partition();
      await partition.handled();
      expect(await partition.events('VictimForeseen')).toHaveLength(1);
      const started = new Date().toISOString();
      await place(running.db, 'p1', {
        applications: [{ id: 'web', queue: 'root.a', user: 'ben' }],
        allocations: [
          { id: 'web-1', application: 'web', queue: 'root.a', resources: { memory: 20 }, startedAt: started },
          { id: 'web-2', application: 'web', queue: 'root.a', resources: { memory: 20 }, startedAt: started },
        ],
      });
      await query(database.url, `DELETE FROM simulated_allocations WHERE id IN ('etl-1', 'etl-2')`);
      const { data: other } = await partition.event('VictimForeseen', 'root.a', 2);
      expect(other).toMatchObject({ application: 'web', user: 'ben', changes: ['new'], victims: 2 });
      const { data: spared } = await partition.event('ForesightWithdrawn', 'root.a');
      expect(spared).toMatchObject({ application: 'etl', user: 'ann', code: 'other-victims' });

      // Turned off, its victims are not known; they are not none.
      await asked('settings', 'root.a', '--set', 'foresight=off');
      const { data: silenced } = await partition.event('ForesightWithdrawn', 'root.a', 2);
      expect(silenced).toMatchObject({ application: 'web', code: 'switched-off' });
      expect((await asked('get', 'timers')).stdout).toMatch(/ENFORCEMENT +STATE.*\nroot\.a .*pending/);
      expect((await asked('explain', 'queue', 'root.a')).stdout).not.toContain('would have evicted nothing');
      expect(await running.get(`/v1/partitions/p1/configurations/${version}/effect`)).toMatchObject({
        clocks: [{ queue: 'root.a', foresight: null }],
      });
      expect((await foreseen()).stdout).toContain('no running clock with advance notice is known');
      await asked('settings', 'root.a', '--clear', 'foresight');
      await partition.event('VictimForeseen', 'root.a', 3);

      await partition.configure({ a: { max: { memory: 200 }, delay: hour } });
      const { data: off } = await partition.event('ForesightWithdrawn', 'root.a', 3);
      expect(off).toMatchObject({ application: 'web', user: 'ben', code: 'quota-raised' });
      expect(await running.get('/v1/foreseen?partition=p1')).toEqual({ items: [] });
      await running.until('six messages', async () => messages.size >= 6);
      expect([...messages.values()].sort()).toEqual([
        'foresight.withdrawn etl ann',
        'foresight.withdrawn web ben',
        'foresight.withdrawn web ben',
        'victim.foreseen etl ann',
        'victim.foreseen web ben',
        'victim.foreseen web ben',
      ]);
    } finally {
      await running.stop();
      await database.drop();
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});

describe('a change during a run', () => {
  /** A run that waits for an operator, from 100 down to 60. */
  async function running(): Promise<{ partition: TestPartition; enforcement: string }> {
    const partition = slow.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: { memory: 20 } });
    await partition.configure({ a: { max: { memory: 60 }, delay: '30ms' } });
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    await partition.handled();
    return { partition, enforcement: data.enforcement };
  }
  let slow: EmbeddedSystem;
  beforeAll(async () => {
    slow = await EmbeddedSystem.start({ approveAboveVictims: 0 });
  });
  afterAll(() => slow.stop());

  it('does not change the run, and is judged when that has ended, with a whole delay', async () => {
    const { partition, enforcement } = await running();
    await partition.configure({ a: { max: { memory: 20 }, delay: hour } });
    expect(await partition.event('EnforcementSkipped', 'root.a')).toMatchObject({
      data: { cause: 'running', enforcement, notices: [{ code: 'change-skipped' }] },
    });
    await slow.request('POST', `/v1/enforcements/${enforcement}/approve`, {});
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    const next = await partition.event('EnforcementScheduled', 'root.a', 2);
    expect(next.data).toMatchObject({ cause: 'after-run', notices: [{ code: 'rescheduled' }] });
    const ended = await partition.event('EnforcementEnded', 'root.a');
    expect(next.data.dueAt).toBe(new Date(ended.time.getTime() + 3_600_000).toISOString());
  });

  it('has the run evict nothing where its queue is within the quota in force', async () => {
    const { partition, enforcement } = await running();
    await partition.configure({ a: { max: { memory: 200 }, delay: '30ms' } });
    await partition.event('EnforcementSkipped', 'root.a');
    await slow.request('POST', `/v1/enforcements/${enforcement}/approve`, {});
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'not-needed', evicted: 0, spared: 2, shortfall: {} });
    expect(await partition.remaining()).toHaveLength(5);
    await partition.settled();
    expect(await partition.events('EnforcementScheduled')).toHaveLength(1);
  });

  it('leads to nothing when it was an increase, and the run evicts only what that needs', async () => {
    const { partition, enforcement } = await running();
    await partition.configure({ a: { max: { memory: 80 }, delay: '30ms' } });
    await partition.event('EnforcementSkipped', 'root.a');
    await slow.request('POST', `/v1/enforcements/${enforcement}/approve`, {});
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    await partition.settled();
    expect(await partition.events('EnforcementScheduled')).toHaveLength(1);
  });
});

describe('a configuration with mistakes', () => {
  it('is refused with all of them, is on record, and leaves clocks alone', async () => {
    const partition = await withClock(60);
    const before = await dueAts(partition);
    const text = [
      'partitions:',
      `  - name: ${partition.name}`,
      '    queues:',
      '      - name: root',
      '        queues:',
      '          - name: a',
      '            resorces: {}',
      '            resources:',
      '              max: {memory: 10GB}',
      '',
    ].join('\n');
    const { status, type, body } = await partition.submit(text);
    expect(status).toBe(422);
    expect(type).toContain('application/problem+json');
    expect(body).toMatchObject({
      type: 'urn:curtail:problem:configuration-refused',
      errors: expect.arrayContaining([
        expect.objectContaining({ path: 'partitions[0].queues[0].queues[0].resorces', line: 7, column: 13 }),
        expect.objectContaining({
          path: 'partitions[0].queues[0].queues[0].resources.max.memory',
          line: 9,
          column: 29,
        }),
      ]),
    });
    const [refused] = await partition.events('ConfigRefused');
    expect(refused?.data.errors).toEqual(body.errors);
    await partition.handled();
    expect(await dueAts(partition)).toEqual(before);
    expect(await partition.events('ConfigApplied')).toHaveLength(1);
    expect(await system.get(`/v1/queues/root.a?partition=${partition.name}`)).toMatchObject({
      max: { memory: 60 },
    });
  });

  it('is refused when it does not hold the partition that it was sent to', async () => {
    const partition = system.partition();
    expect(
      await system.refused(
        'PUT',
        `/v1/partitions/${partition.name}/config`,
        configuration('elsewhere', { a: {} }),
      ),
    ).toMatchObject({ status: 404, detail: expect.stringContaining('elsewhere') });
    expect(await partition.log()).toEqual([]);
  });
});

describe('a dry run', () => {
  it('names the victims and keeps nothing', async () => {
    const partition = await withClock(80);
    const before = (await partition.log()).length;
    const { status, body } = await partition.submit(
      configuration(partition.name, { a: { max: { memory: 40 }, delay: hour } }),
      '?dryRun=true',
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      victims: 3,
      changed: [
        {
          queue: 'root.a',
          clock: { effect: 'starts or restarts' },
          plan: {
            victims: [{ allocation: 'a-5' }, { allocation: 'a-4' }, { allocation: 'a-3' }],
          },
        },
      ],
    });
    expect(await partition.log()).toHaveLength(before);
    expect(await partition.remaining()).toHaveLength(5);
  });
});
