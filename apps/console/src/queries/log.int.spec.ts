import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import type { QueueView } from '#contracts/api';
import { catalog, type EventName } from '#contracts/events';
import { append, clockStream, operatorStream, runStream } from '#event-store';
import { longPlan } from '../../../../test/support/long-plan.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { eventsOfQueue } from '../explain/queue-record.js';
import { QueueHistories } from '../history/queue-history.js';
import { timelineOf } from './enforcements.js';
import { listQuery } from './list-query.js';
import { Log } from './log.js';
import { selectionOf } from './log-filter.js';
import { selectionOfRuns } from './run-statements.js';

const many: Record<string, string> = {
  events: `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
    SELECT 'execution-' || n / 100, n, gen_random_uuid(), 'io.curtail.victim.evicted.v1', 'curtail.evictions', 'default', 'root.many',
           '2026-10-01', '{}' FROM generate_series(1, 20000) n`,
  read_victims: `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, updated_at, owner)
    SELECT n / 100, n, 'default', 'root.many', 'app' || n / 10, n, '{}', '', 'evicted', now(), 'user' || n / 10 FROM generate_series(1, 20000) n`,
};

describe('the log', () => {
  let db: DataSource;
  let log: Log;
  const [partition, queue] = ['default', 'root.a'];
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 12, minute));

  /** Only what the log itself reads of the events. */
  const record = (stream: string, minute: number, ...events: { name: EventName; data: object }[]) =>
    db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       SELECT $1, n, gen_random_uuid(), type, topic, $2, $3, $4, data
       FROM json_to_recordset($5) AS given (n int, type text, topic text, data json) ORDER BY n`,
      [
        ...[stream, partition, queue, at(minute)],
        JSON.stringify(
          events.map(({ name, data }, i) => ({
            ...{ n: i + 1, type: catalog[name].type, topic: catalog[name].topic },
            data: { partition, queue, ...data },
          })),
        ),
      ],
    );
  const victim = (name: EventName, allocation: string) => ({
    name,
    data: { enforcement: 'e-1', allocation, application: 'app', victimQueue: queue, rank: 1 },
  });
  const list = async (filter: Record<string, string>) =>
    (await log.list(listQuery('events', filter))).items.map(({ name }) => name);

  /** The plan of a statement for all values of its parameters, as every connection of Curtail asks for it. */
  const genericPlan = async (sql: string) => {
    const rows = await db.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  withMigratedDatabase(async (opened) => {
    db = opened;
    log = new Log(db);
    // The first victim has position 99, and the second one 100.
    await db.query("SELECT setval('events_position_seq', 94)");
    await record(
      clockStream(partition, queue),
      0,
      { name: 'EnforcementScheduled', data: { enforcement: 'e-0', cause: 'quota-lowered' } },
      { name: 'EnforcementScheduled', data: { enforcement: 'e-1', cause: 'quota-lowered' } },
      { name: 'EnforcementStarted', data: { enforcement: 'e-1' } },
    );
    await record(operatorStream('e-1'), 1, {
      name: 'PlanApproved',
      data: { enforcement: 'e-1', by: 'ada' },
    });
    await record(
      runStream('e-1'),
      2,
      victim('VictimOrdered', 'of-ann'),
      victim('VictimOrdered', 'of-bob'),
      victim('VictimEvicted', 'of-ann'),
      victim('VictimEvicted', 'of-bob'),
    );
    await record('control-default', 3, { name: 'KillSwitchSet', data: { by: 'grace' } });
    await db.query(
      `INSERT INTO read_runs (enforcement, partition, queue, state, updated_at, policy)
       VALUES ('e-1', $1, $2, 'ended', now(), 'quota-decrease')`,
      [partition, queue],
    );
    await db.query(
      `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, updated_at, owner)
       SELECT 'e-1', 'of-' || owner, $1, $2, 'app', 1, '{}', '', 'evicted', now(), owner FROM unnest('{ann,bob}'::text[]) owner`,
      [partition, queue],
    );
    // So many others that reading them all would cost more than an index.
    for (const table of ['events', 'read_victims']) await db.query(many[table]!);
    await db.query('ANALYZE events, read_victims');
  });

  it('is filtered by run, with the clock that started it', async () => {
    expect(await list({ enforcement: 'e-1' })).toEqual([
      ...['VictimEvicted', 'VictimEvicted', 'VictimOrdered', 'VictimOrdered', 'PlanApproved'],
      ...['EnforcementStarted', 'EnforcementScheduled'],
    ]);
  });

  it('is filtered by who commanded, by the owner of the work, and by time', async () => {
    expect(await list({ by: 'ada' })).toEqual(['PlanApproved']);
    expect(await list({ by: 'ada', type: 'KillSwitchSet' })).toEqual([]);
    expect(await list({ user: 'ann' })).toEqual(['VictimEvicted', 'VictimOrdered']);
    expect(await list({ application: 'app', enforcement: 'e-1', user: 'ann' })).toEqual(
      await list({ user: 'ann' }),
    );
    expect(await list({ application: 'app', enforcement: 'e-1' })).toHaveLength(4);
    expect(await list({ application: 'other' })).toEqual([]);
    expect(await list({ user: 'ann', enforcement: 'e-1', type: 'VictimEvicted' })).toEqual(['VictimEvicted']);
    expect(await list({ since: at(1).toISOString(), until: at(2).toISOString() })).toEqual(['PlanApproved']);
  });

  it.each([
    ['type', { type: 'KillSwitchSet' }, /_types/],
    ['author', { by: 'ada' }, /_types/],
    ['run', { enforcement: 'e-1' }, /_stream_version/],
    ['owner', { user: 'ann' }, /read_victims_owner/],
    ['application', { application: 'app' }, /read_victims_application/],
    ['owner and application', { user: 'ann', application: 'app' }, /read_victims_(owner|application)/],
  ])('finds events of a %s by an index, and reads no table through', async (_, filter, index) => {
    const text = await genericPlan(selectionOf(listQuery('events', filter), { partition, queue }).sql);
    expect(text).toMatch(index);
    expect(text).not.toMatch(/Seq Scan on (events_first|read_victims)/);
  });

  it('finds the latest runs that were needed by an index, among many that were not', async () => {
    await db.query(`INSERT INTO read_runs (enforcement, partition, queue, state, outcome, updated_at)
      SELECT 'many-' || n, 'many', 'root.many', 'ended', CASE WHEN n > 10 THEN 'not-needed' ELSE 'satisfied' END, now() + n * interval '1 s'
      FROM generate_series(1, 20000) n`);
    await db.query('ANALYZE read_runs');
    const needed = { partition: 'many', state: 'ended', needed: 'true', limit: '8' };
    expect(await genericPlan(selectionOfRuns(listQuery('enforcements', needed)).sql)).toContain(
      'read_runs_needed',
    );
  });

  it('has the steps of a run in order, and counts what happened to victims', async () => {
    const run = { enforcement: 'e-1', partition, queue, planOutcome: 'satisfied', victims: 2 };
    const { steps, earlier } = await timelineOf(db, run);
    expect(steps.map(({ event, victims }) => event ?? victims)).toEqual([
      ...['EnforcementScheduled', 'EnforcementStarted', 'PlanApproved'],
      [
        { event: 'VictimOrdered', count: 2 },
        { event: 'VictimEvicted', count: 2 },
      ],
    ]);
    expect(steps[2]).toMatchObject({ sentence: 'user ada approved run e-1', at: at(1).toISOString() });
    expect(earlier).toBe(0);
  });

  it('leads from an event to its cause and its effects', async () => {
    const { items } = await log.list(listQuery('events', { queue }));
    const position = (name: string, nth = 0) => items.filter((each) => each.name === name)[nth]!.position;
    const ordered = await log.inContext(position('VictimOrdered', 1));
    expect(ordered).toMatchObject({
      cause: { name: 'PlanApproved' },
      effects: [{ name: 'VictimEvicted', position: position('VictimEvicted', 1) }],
    });
    const victims = items.filter(({ name }) => name === 'VictimOrdered').map((each) => each.position);
    expect(victims).toEqual(['100', '99']);
    expect((await log.inContext(position('PlanApproved')))?.effects.map((each) => each.position)).toEqual(
      victims.toReversed(),
    );
    expect(await log.inContext(position('EnforcementStarted'))).toMatchObject({
      cause: { name: 'EnforcementScheduled', position: position('EnforcementScheduled') },
    });
    expect(await log.inContext('999999')).toBeUndefined();
  });

  it('has long plans, which are stored packed, like all others', async () => {
    const appended = longPlan('e-long');
    const { data } = appended.events[0]!.event as DomainEvent<'PlanComputed'>;
    await db.transaction((tx) => append(tx, [appended]));
    const [stored] = await db.query(
      `SELECT id, position::text, data FROM events WHERE stream = 'plan-e-long'`,
    );
    expect(stored.data).toBeNull();
    const { items } = await log.list(listQuery('events', { enforcement: 'e-long' }));
    expect(items.map((item) => item.data)).toEqual([data]);
    expect((await log.one(stored.id))?.data).toEqual(data);
    expect((await log.inContext(stored.position))?.event.data).toEqual(data);

    const { plan, planDigest, snapshotDigest, settings, trigger } = data;
    const origin = { enforcement: 'e-long', planDigest, snapshotDigest, settings, trigger };
    expect(await log.plan('e-long')).toMatchObject({ ...origin, plan });
    expect(await log.planOrigin('e-long')).toMatchObject({ ...origin, limit: { max: data.max } });
    const plans = await log.plans(listQuery('plans', { queue }));
    expect(plans.items).toMatchObject([
      {
        enforcement: 'e-long',
        outcome: 'satisfied',
        target: plan.target,
        victims: plan.victims.length,
        planDigest,
      },
    ]);
    expect(plans.items[0]).not.toHaveProperty('packed');
    expect((await eventsOfQueue(db, partition, queue))[0]).toMatchObject({ event: 'PlanComputed', data });
    const view = { partition, queue, usage: {} } as QueueView;
    const { usage } = await new QueueHistories(db).of(view, '2026-01-01T00:00:00Z');
    expect(usage).toContainEqual({ at: data.takenAt, amounts: data.queueUsage });
  });
});
