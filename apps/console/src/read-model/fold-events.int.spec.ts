import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent, Resources } from '#contracts';
import { append, known, openDatabase, readPage } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { noticesOfQueue, summaryOfVictims } from '../explain/queue-record.js';
import { Log } from '../queries/log.js';
import { foldEvents } from './fold-events.js';
import { plannedAtOnce } from './fold-victim.js';
import type { FoldedEvent } from './folded-event.js';
import { liveTables } from './statements.js';

const run = (enforcement: string) => ({ partition: 'default', queue: `root.${enforcement}`, enforcement });
const amounts: Resources = { vcore: 2000, memory: 5 };
const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 9, 0, second));

/** Two interleaved runs: one is approved, the other fails. */
const history = (): DomainEvent[] => {
  const scheduled = (enforcement: string): DomainEvent => ({
    name: 'EnforcementScheduled',
    data: {
      ...run(enforcement),
      generation: 1,
      dueAt: at(30).toISOString(),
      cause: 'quota-lowered',
      previous: { max: null, delayMs: 0 },
      current: { max: amounts, delayMs: 30_000 },
      notices: [],
    },
  });
  const started = (enforcement: string, fencingToken: number): DomainEvent => ({
    name: 'EnforcementStarted',
    data: {
      ...run(enforcement),
      generation: 1,
      fencingToken,
      dueAt: at(30).toISOString(),
      startedAt: at(31).toISOString(),
      lateMs: 1000,
      values: { max: amounts, delayMs: 30_000 },
      notices: [
        { code: 'fired-late', message: 'late', about: { kind: 'queue', name: `root.${enforcement}` } },
        { code: 'of-another', message: 'other', about: { kind: 'queue', name: 'root.c' } },
      ],
    },
  });
  const refused = (message: string): DomainEvent => ({
    name: 'VictimRefused',
    data: {
      ...run('a'),
      victimQueue: 'root.a',
      application: 'application',
      allocation: 'one',
      rank: 1,
      code: 'busy',
      message,
      about: { kind: 'allocation', name: 'one', queue: 'root.a' },
      retryAt: at(40).toISOString(),
    },
  });
  return [
    scheduled('a'),
    scheduled('b'),
    started('a', 7),
    { name: 'PlanApproved', data: { ...run('a'), by: 'somebody' } },
    started('b', 8),
    {
      name: 'EnforcementReleased',
      data: { ...run('b'), cause: 'lease-ended', notices: [{ code: 'lease-ended', message: 'given up' }] },
    },
    refused('first'),
    refused('second'),
    { name: 'EnforcementReleased', data: { ...run('a'), cause: 'ended', notices: [] } },
  ];
};

describe('the read model', () => {
  let server: TestDatabase;
  let db: DataSource;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 2 });
    await plannedVictim();
  });
  afterEach(async () => {
    await db.destroy();
    await server.drop();
  });

  const tables = async () => ({
    victims: await db.query('SELECT * FROM read_victims'),
    runs: await db.query('SELECT * FROM read_runs ORDER BY enforcement'),
    notices: await db.query(
      'SELECT partition, queue, enforcement, code, message, kind, name, about_queue, at FROM read_notices ORDER BY id',
    ),
  });
  const plannedVictim = () =>
    db.query(
      `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state,
                                 updated_at)
       VALUES ('a', 'one', 'default', 'root.a', 'application', 1, '{}', 'a reason', 'planned', '2026-11-21T09:00:00Z')`,
    );
  const recorded = async () => {
    await db.transaction((tx) =>
      append(
        tx,
        history().map((event, i) => ({
          stream: `stream-${i}`,
          partition: 'default',
          expectedVersion: 0,
          events: [{ event, at: at(i), key: (event.data as { queue: string }).queue }],
        })),
      ),
    );
    const { events } = await readPage(db, { transactionId: '0', position: '0' }, { limit: 100 });
    return events.map(known);
  };

  it('is the same whether events come one by one or all at once', async () => {
    const events = await recorded();
    expect(events).toHaveLength(9);
    for (const event of events) await db.transaction((tx) => foldEvents(tx, liveTables, [event]));
    const oneByOne = await tables();
    await db.query('TRUNCATE read_runs, read_notices, read_victims');
    await plannedVictim();
    await db.transaction((tx) => foldEvents(tx, liveTables, events));
    expect(await tables()).toEqual(oneByOne);
  });

  it('counts evictions during a run, until its end states how many there were', async () => {
    await db.query(
      `INSERT INTO read_runs (enforcement, partition, queue, state, victims, evicted, updated_at)
       VALUES ('a', 'default', 'root.a', 'executing', 3, 0, now()), ('b', 'default', 'root.b', 'executing', 3, 0, now())`,
    );
    const evicted = { name: 'VictimEvicted', data: { ...run('a'), allocation: 'one' }, time: at(9) };
    const ended = { name: 'EnforcementEnded', data: { ...run('a'), evicted: 4, notices: [] }, time: at(10) };
    const fold = (...events: object[]) =>
      db.transaction((tx) => foldEvents(tx, liveTables, events as unknown as FoldedEvent[]));
    const counts = async () =>
      (await tables()).runs.map((row: { evicted: number; updated_at: Date }) => row.evicted);
    await fold(evicted, evicted);
    await fold(evicted);
    expect(await counts()).toEqual([3, 0]);
    expect((await tables()).runs[0]).toMatchObject({ state: 'executing', updated_at: at(9) });
    await fold(evicted, ended);
    expect(await counts()).toEqual([4, 0]);
  });

  it('has each victim of a plan that is inserted in pieces', async () => {
    const victims = Array.from({ length: 2 * plannedAtOnce + 1 }, (_, i) => ({
      ...{ allocation: `allocation-${i}`, application: 'application', queue: 'root.c', uid: `uid-${i}` },
      ...{ resources: amounts, rank: i + 1, reason: 'a "reason"' },
    }));
    const planned = {
      name: 'PlanComputed',
      data: { ...run('long'), plan: { ...{ outcome: 'satisfied', target: amounts }, victims, notices: [] } },
      time: at(2),
    } as unknown as FoldedEvent;
    await db.transaction((tx) => foldEvents(tx, liveTables, [planned]));
    const rows = await db.query(
      `SELECT allocation, application, queue, uid, resources, rank, reason FROM read_victims
       WHERE enforcement = 'long' AND state = 'planned' AND about IS NULL ORDER BY rank`,
    );
    expect(rows).toEqual(victims);
  });

  it('has the rule that decided for each victim, and its owner, where they were recorded', async () => {
    const victims = ['p', 'q', 'r'].map((allocation, i) => ({
      ...{ allocation, application: i < 2 ? 'application' : 'other', queue: 'root.c' },
      ...{ resources: amounts, rank: i + 1, reason: 'a reason' },
    }));
    const plan = { policy: 'any', outcome: 'satisfied', target: amounts, claimed: amounts, shortfall: {} };
    const owners = [{ user: 'ann', applications: ['application', 'idle'] }];
    const planned = (enforcement: string, of: object[], rules?: object[]) => ({
      name: 'PlanComputed',
      data: {
        ...{ ...run(enforcement), mode: 'enforce', max: amounts, takenAt: at(1).toISOString() },
        ...{ plan: { ...plan, victims: of, notices: [] }, ...(rules ? { rules, owners } : {}) },
      },
      time: at(2),
    });
    const events = [
      planned('ruled', victims, [
        { rule: 'younger', count: 2, facts: { number: [4, 5], of: 38 } },
        { rule: 'last', count: 1 },
      ]),
      planned('caused', [{ ...victims[0], cause: 'starvation' }]),
      planned('older', victims),
    ] as unknown as FoldedEvent[];
    await db.transaction((tx) => foldEvents(tx, liveTables, events));
    const rules = await db.query(
      `SELECT enforcement, json_agg(rule ORDER BY rank) AS rules,
              json_agg(facts ORDER BY rank) AS facts FROM read_victims WHERE enforcement <> 'a' GROUP BY 1 ORDER BY 1`,
    );
    expect(rules).toEqual([
      { enforcement: 'caused', rules: ['starvation'], facts: [null] },
      { enforcement: 'older', rules: [null, null, null], facts: [null, null, null] },
      {
        enforcement: 'ruled',
        rules: ['younger', 'younger', 'last'],
        facts: [{ number: 4, of: 38 }, { number: 5, of: 38 }, null],
      },
    ]);
    const named = async (enforcement: string) => (await summaryOfVictims(db, enforcement, 10)).rules.first;
    expect(await named('ruled')).toMatchObject([
      { name: 'younger goes first (rule 4)', code: 'younger', victims: 2 },
      { name: 'it is the last candidate', code: 'last', victims: 1 },
    ]);
    expect(await named('caused')).toMatchObject([{ name: 'an operation is starving', victims: 1 }]);
    expect(await named('older')).toEqual([]);
    const ownersOf = async (enforcement: string) => (await summaryOfVictims(db, enforcement, 10)).owners;
    expect(await ownersOf('ruled')).toEqual({
      count: 1,
      first: [{ name: 'ann', victims: 2, resources: { memory: 10, vcore: 4000 } }],
    });
    expect(await ownersOf('older')).toEqual({ count: 0, first: [] });
  });

  it('keeps what an event does not speak of', async () => {
    await db.transaction(async (tx) => foldEvents(tx, liveTables, await recorded()));
    const { runs, notices, victims } = await tables();
    expect(victims).toMatchObject([
      {
        state: 'refused',
        message: 'second',
        reason: 'a reason',
        about: { kind: 'allocation', name: 'one', queue: 'root.a' },
      },
    ]);
    expect(runs).toMatchObject([
      {
        enforcement: 'a',
        state: 'approved',
        message: 'approved by user somebody',
        fencing_token: '7',
        updated_at: at(8),
      },
      { enforcement: 'b', state: 'ended', outcome: 'lease-ended', ended_at: at(5), late_ms: 1000 },
    ]);
    expect(notices).toMatchObject([
      { code: 'fired-late', kind: 'queue', name: 'root.a' },
      { code: 'of-another', kind: 'queue', name: 'root.c' },
      { code: 'fired-late', kind: 'queue', name: 'root.b' },
      { code: 'of-another', kind: 'queue', name: 'root.c' },
      // As an older version wrote it.
      { code: 'lease-ended', kind: null, name: null },
    ]);
  });

  it('explains a queue by the notices about it, whichever run gave them', async () => {
    await db.transaction(async (tx) => foldEvents(tx, liveTables, await recorded()));
    const about = { kind: 'queue', name: 'root.c' };
    const other = { code: 'of-another', message: 'other', about };
    expect(await noticesOfQueue(db, 'default', 'root.c')).toMatchObject([other, other]);
    expect(await noticesOfQueue(db, 'default', 'root.b')).toMatchObject([
      { code: 'lease-ended' },
      other,
      { code: 'fired-late', about: { kind: 'queue', name: 'root.b' } },
    ]);
    expect(await noticesOfQueue(db, 'other', 'root.c')).toEqual([]);
  });

  it('explains a queue by notices of rounds about an operation or allocation in it', async () => {
    const about = (kind: string, name: string, queue?: string) => ({
      ...{ code: 'noted', message: name, about: { kind, name, ...(queue && { queue }) } },
    });
    const notices = [
      about('operation', 'train', 'root.c'),
      about('node', 'n1'),
      about('allocation', 'one', 'root.c'),
      about('operation', 'other', 'root.c.below'),
    ];
    const plan = { policy: 'any', outcome: 'satisfied', target: amounts, claimed: amounts, shortfall: {} };
    const round = {
      ...{ name: 'PlanComputed', partition: 'default', key: 'root', time: at(2) },
      data: {
        ...{ partition: 'default', queue: 'root', enforcement: 'round', mode: 'enforce', max: amounts },
        ...{ takenAt: at(1).toISOString(), plan: { ...plan, victims: [], notices } },
      },
    } as unknown as FoldedEvent;
    await db.transaction((tx) => foldEvents(tx, liveTables, [round]));
    const of = async (queue: string) =>
      (await noticesOfQueue(db, 'default', queue)).map(({ message, about }) => ({ message, about }));
    const [train, , one, below] = notices.map(({ message, about }) => ({ message, about }));
    expect(await of('root.c')).toEqual([one, train]);
    expect(await of('root.c.below')).toEqual([below]);
    const listed = async (queue: string) => {
      const page = await new Log(db).notices({ partition: 'default', queue, limit: 10 });
      return page.items.map(({ message }) => message);
    };
    expect(await listed('root.c')).toEqual(['other', 'one', 'train']);
    expect(await listed('root.c.below')).toEqual(['other']);
  });
});
