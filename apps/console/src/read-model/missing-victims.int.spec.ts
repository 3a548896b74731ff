import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import {
  append,
  beginning,
  type KnownEvent,
  known,
  openDatabase,
  planStream,
  readPage,
  runStream,
  type Tx,
} from '#event-store';
import { advanceCursor, lockCursor } from '#messaging';
import { Metrics } from '#platform';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { byTest, readModel, replaysOn } from '../../../../test/support/replays.js';
import { Enforcements } from '../queries/enforcements.js';
import type { QueryOf } from '../queries/list-query.js';
import type { InstallationSettings } from '../settings/effective-settings.js';
import { Waiting } from '../waiting/waiting.js';
import { FoldEvents, foldEvents } from './fold-events.js';
import { MeasureEvents } from './measure-events.js';
import { addedAtOnce, addMissing, isMissing, runsWithMissing } from './missing-victims.js';
import { liveTables, readModelConsumer } from './statements.js';

const count = 2 * addedAtOnce + 1;
const run = { partition: 'default', queue: 'root.a', enforcement: 'large' };
const installation = { victimsPerSecond: { value: 10, from: 'default' } } as InstallationSettings;
const amounts = { vcore: 2000 };
const victimOf = (rank: number) => ({
  ...{ allocation: `allocation-${rank}`, application: 'application', queue: 'root.a', uid: `uid-${rank}` },
  ...{ resources: amounts, rank, reason: 'a reason' },
});

const planned = {
  name: 'PlanComputed',
  data: {
    ...{ ...run, max: amounts, queueAllocations: count, queueUsage: amounts, planSeconds: 1 },
    ...{ trigger: { policy: 'any' }, settings: {}, takenAt: '2026-11-21T09:00:00.000Z', fencingToken: 1 },
    ...{ snapshotDigest: 'of snapshot', planDigest: 'of plan' },
    plan: {
      ...{ apiVersion: 'curtail/v1', kind: 'Plan' },
      ...{
        policy: 'any',
        outcome: 'satisfied',
        target: amounts,
        claimed: amounts,
        shortfall: {},
        notices: [],
      },
      victims: Array.from({ length: count }, (_, i) => victimOf(i + 1)),
    },
  },
} as unknown as DomainEvent;

function about(name: 'VictimOrdered' | 'VictimEvicted' | 'VictimSpared', rank: number): DomainEvent {
  const { allocation, application } = victimOf(rank);
  const victim = { ...run, victimQueue: 'root.a', application, allocation, rank };
  const more =
    name === 'VictimEvicted'
      ? { evictionId: 'e', resources: amounts, reason: 'a reason', recovered: false, secondsLost: rank }
      : name === 'VictimSpared'
        ? { code: 'gone', message: 'spared' }
        : { evictionId: 'e', resources: amounts, attempt: 1, orderedAt: '2026-11-21T09:00:00.000Z' };
  return { name, data: { ...victim, ...more } } as unknown as DomainEvent;
}

describe('the victims of a large plan', () => {
  let server: TestDatabase;
  let db: DataSource;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 3 });
    version = 0;
    wanted = 0;
    await record(planStream(run.enforcement), 0, [planned]);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await db.destroy();
    await server.drop();
  });

  let version = 0;
  const record = (stream: string, expectedVersion: number, events: DomainEvent[]) =>
    db.transaction((tx) =>
      append(tx, [
        {
          ...{ stream, partition: 'default', expectedVersion },
          events: events.map((event) => ({ event, at: new Date(), key: run.queue })),
        },
      ]),
    );
  const recordVictims = async (...events: DomainEvent[]) => {
    await record(runStream(run.enforcement), version, events);
    version += events.length;
  };

  let wanted = 0;
  /** What the bus does with the next events. */
  async function consume(): Promise<void> {
    const consumer = new FoldEvents(new MeasureEvents(new Metrics()), null, { soon: () => wanted++ });
    const done = await db.transaction(async (tx) => {
      const from = await lockCursor(tx, readModelConsumer);
      const { events, next } = await readPage(tx, from, { limit: 1000 });
      await advanceCursor(tx, readModelConsumer, next);
      return (await consumer.handle(events.map(known)))(tx);
    });
    done?.();
  }
  /** Transactions of the worker until it ends, or its process does. */
  const add = (transactions: number) => addMissing(db, run.enforcement, () => transactions-- > 0);
  const shown = async () => (await readModel(db)).victims;

  async function readSoFar(tx: Tx): Promise<number> {
    const [{ rows }] = await tx.query<[{ rows: number }]>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'read_victims'`,
    );
    return rows;
  }
  /** Rows of victims that folding the next events reads. */
  async function readByConsuming(): Promise<number> {
    return db.transaction(async (tx) => {
      const from = await lockCursor(tx, readModelConsumer);
      const { events, next } = await readPage(tx, from, { limit: 1000 });
      await advanceCursor(tx, readModelConsumer, next);
      const before = await readSoFar(tx);
      await foldEvents(tx, liveTables, events.map(known));
      return (await readSoFar(tx)) - before;
    });
  }

  async function foldedAtOnce(): Promise<Record<string, unknown[]>> {
    const { events } = await readPage(db, beginning, { limit: 1000 });
    await db.transaction(async (tx) => {
      await tx.query('TRUNCATE read_runs, read_victims, read_notices');
      await foldEvents(tx, liveTables, events.map(known) as KnownEvent[]);
    });
    return readModel(db);
  }

  it.each([
    ['after the plan', [0, 0, 0]],
    ['between its pieces', [1, 1, 1]],
    ['in the middle of what is folded again', [5, 2, 0]],
  ])(
    'become those of one fold, if events arrive %s, and after each crash',
    async (_, [first, second, third]) => {
      await recordVictims(about('VictimOrdered', 1), about('VictimOrdered', count));
      await consume();
      expect(wanted).toBe(1);
      await add(first!);
      await recordVictims(about('VictimEvicted', 1), about('VictimEvicted', count));
      await consume();
      await add(second!);
      await recordVictims(about('VictimOrdered', 2), about('VictimOrdered', 3));
      await consume();
      await add(third!);
      await recordVictims(about('VictimEvicted', 2), about('VictimSpared', 3));
      await consume();
      const { runs } = await readModel(db);
      expect(runs).toMatchObject([{ enforcement: run.enforcement, victims: count, evicted: 3 }]);
      expect(await runsWithMissing(db)).toEqual([run.enforcement]);
      expect(await isMissing(db, run.enforcement)).toBe(true);

      await Promise.all([add(99), add(99)]);

      expect(await isMissing(db, run.enforcement)).toBe(false);
      const victims = (await shown()) as { rank: number; state: string }[];
      const stateOf = (rank: number) => victims.find((victim) => victim.rank === rank)?.state;
      expect([1, 2, 3, 4, count].map(stateOf)).toEqual([
        'evicted',
        'evicted',
        'spared',
        'planned',
        'evicted',
      ]);
      expect((await foldedAtOnce()).victims).toEqual(victims);
    },
  );

  it('do not lose what a fold of the consumer says last', async () => {
    await recordVictims(about('VictimOrdered', 1));
    await consume();
    await add(count);
    await recordVictims(about('VictimEvicted', 1));
    await consume();
    expect(((await shown()) as object[]).length).toBe(count);
    expect((await shown()) as object[]).toEqual((await foldedAtOnce()).victims);
  });

  it('are changed one by one, also where a connection first changed some when there were none', async () => {
    const last = Array.from({ length: 20 }, (_, i) => about('VictimOrdered', count - i));
    await recordVictims(...last);
    await db.destroy();
    db = await openDatabase(server.url, { poolSize: 1 });
    await consume();
    await add(99);
    await recordVictims(...last);
    expect(await readByConsuming()).toBe(last.length);
  });

  /** Those who ask wait as long as it takes. */
  function holdTime(): void {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  }

  it('are waited for by who asks for the run', async () => {
    holdTime();
    await consume();
    const enforcements = new Enforcements(db, new Waiting(db, null), installation);
    let isAnswered = false;
    const asked = enforcements.one(run.enforcement, { after: 0, limit: 2 }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await add(1);
    expect((await enforcements.run(run.enforcement))?.victims).toBe(count);
    expect(isAnswered).toBe(false);
    await add(99);
    expect((await asked)?.plannedVictims).toMatchObject([{ rank: 1 }, { rank: 2 }]);
  });

  it('are read a page at a time, also those of one group', async () => {
    await consume();
    await add(100);
    await db.query(`UPDATE read_victims SET owner = CASE WHEN rank % 2 = 0 THEN 'ann' END WHERE rank <= 6`);
    await db.query('DELETE FROM read_victims WHERE rank > 6');
    const enforcements = new Enforcements(db, new Waiting(db, null), installation);
    const ranks = async (page: { after?: number; limit: number; owner?: string }) => {
      const found = await enforcements.one(run.enforcement, { after: 0, ...page });
      return { ranks: found?.plannedVictims.map(({ rank }) => rank), next: found?.next };
    };
    expect(await ranks({ limit: 2, owner: 'ann' })).toEqual({ ranks: [2, 4], next: '4' });
    expect(await ranks({ limit: 2, owner: 'ann', after: 4 })).toEqual({ ranks: [6], next: undefined });
    expect(await ranks({ limit: 3, owner: '' })).toEqual({ ranks: [1, 3, 5], next: undefined });
    expect(await ranks({ limit: 3, owner: 'bob' })).toEqual({ ranks: [], next: undefined });
    const found = await enforcements.one(run.enforcement, { after: 0, limit: 1 });
    expect(found?.leastSeconds).toBe(Math.floor((count - 1) / 10));
  });

  it.each([
    ['an allocation', (of: Enforcements, rank: number) => of.naming('default', victimOf(rank).allocation)],
    [
      'an application',
      (of: Enforcements) =>
        of.victimsOf({ partition: 'default', application: 'application', limit: 1 } as QueryOf<'victims'>),
    ],
  ])('are waited for by who asks for those of %s', async (_, ask) => {
    holdTime();
    await recordVictims(about('VictimEvicted', count));
    await consume();
    const asked = ask(new Enforcements(db, new Waiting(db, null), installation), count);
    await add(1);
    await add(99);
    expect(await asked).toMatchObject([{ enforcement: run.enforcement, state: 'evicted' }]);
  });

  it('are all there once the read model was built again meanwhile', async () => {
    await consume();
    await add(1);
    const { finished } = await replaysOn(db).begin('projections', {}, byTest);
    await finished;
    expect(await runsWithMissing(db)).toEqual([]);
    const built = await shown();
    expect(built).toHaveLength(count);
    await add(99);
    expect(await shown()).toEqual(built);
  });
});
