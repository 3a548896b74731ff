import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent, EventName } from '#contracts';
import { append, operatorStream, runStream, type Tx } from '#event-store';
import {
  dropFreezes,
  dropStops,
  findRejectedChange,
  freezesIn,
  heldBy,
  holdsIn,
  holdsOf,
  isInForce,
  isObserved,
  modesSet,
  mostFreezes,
  type NewFreeze,
  noHolds,
  putConfiguredFreezes,
  saveDecision,
  saveFreeze,
  saveMode,
  saveStop,
  setStops,
  statusOfOpenRun,
  stopsAt,
} from '#holds';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { plausibleData } from '../../../test/support/plausible-data.js';

const partition = 'p';
const hour = 3_600_000;

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});
beforeEach(async () => {
  await db.query(
    'TRUNCATE kill_switches, freezes, partition_modes, configuration_decisions, partitions, configurations, configuration_texts, clocks, runs, events',
  );
});
const inTx = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work);
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a kill switch', () => {
  const set = (queue: string | undefined, by = 'ada', reason?: string) =>
    inTx((tx) => saveStop(tx, { partition, queue, by, reason }));
  const listed = async () =>
    (await setStops(db)).map(({ queue, by, reason }) => [queue, by, reason] as [unknown, unknown, unknown]);

  it('holds what it covers: its queue and everything below, or the whole partition', async () => {
    await set('root.a');
    const holds = await holdsIn(db, partition);
    const stop = (queue: string) => heldBy(queue, holds, Date.now()).stop?.queue;
    expect([stop('root.a'), stop('root.a.b'), stop('root.ab'), stop('root')]).toEqual([
      ...['root.a', 'root.a'],
      ...[undefined, undefined],
    ]);
    await set(undefined, 'bob');
    expect(heldBy('root.b', await holdsIn(db, partition), Date.now()).stop).toMatchObject({
      ...{ queue: null, by: 'bob' },
    });
  });

  it('that is set again takes the new reason and person, but without a reason stays as it was', async () => {
    await set('root.a', 'ada', 'a migration');
    await set('root.a', 'bob');
    expect(await listed()).toEqual([['root.a', 'ada', 'a migration']]);
    await set('root.a', 'bob', 'a demo');
    expect(await listed()).toEqual([['root.a', 'bob', 'a demo']]);
  });

  it('of a queue is cleared alone, and those of a partition together', async () => {
    for (const queue of ['root.b', undefined, 'root.a', 'root.c']) await set(queue);
    await inTx((tx) => saveStop(tx, { partition: 'q', queue: 'root.b', by: 'ada', reason: undefined }));
    expect(await inTx((tx) => dropStops(tx, partition, 'root.b'))).toEqual(['root.b']);
    expect(await inTx((tx) => dropStops(tx, partition, 'root.b'))).toEqual([]);
    expect(await inTx((tx) => dropStops(tx, partition, undefined))).toEqual([null, 'root.a', 'root.c']);
    expect(await setStops(db)).toMatchObject([{ partition: 'q', queue: 'root.b' }]);
  });
});

describe('the mode of a partition', () => {
  it('is what was set last, for this partition', async () => {
    await inTx((tx) => saveMode(tx, { partition: 'q', mode: 'enforce' }));
    await inTx((tx) => saveMode(tx, { partition, mode: 'enforce' }));
    await inTx((tx) => saveMode(tx, { partition, mode: 'observe' }));
    expect(await modesSet(db)).toEqual([
      { partition, mode: 'observe' },
      { partition: 'q', mode: 'enforce' },
    ]);
    const settings = { defaultMode: 'enforce' } as Parameters<typeof isObserved>[1];
    const holds = await holdsOf(db, [partition, 'q', 'r', 'q']);
    expect([...holds.keys()].sort()).toEqual(['p', 'q', 'r']);
    expect([partition, 'q', 'r'].map((one) => isObserved(holds.get(one)!, settings))).toEqual([
      ...[true, false, false],
    ]);
    expect(holds.get('r')).toEqual(noHolds);
  });

  it('is of no partition if none is asked for', async () => {
    expect(await holdsOf(db, [])).toEqual(new Map());
  });
});

describe('a freeze', () => {
  const freeze = (more: Partial<NewFreeze> = {}): NewFreeze => ({
    ...{ freeze: 'f-1', partition, queue: 'root.a', by: 'ada', reason: 'month end' },
    window: { from: fromNow(-hour), until: fromNow(hour) },
    ...more,
  });
  const save = (more?: Partial<NewFreeze>) => inTx((tx) => saveFreeze(tx, freeze(more)));
  const names = async (of?: string) =>
    (await freezesIn(db, of)).map(({ partition, freezes }) => [
      partition,
      freezes.map(({ freeze }) => freeze),
    ]);

  it('holds clocks and evictions of what it covers while its window is open', async () => {
    expect(await save()).toBe(true);
    const holds = await holdsIn(db, partition);
    const at = Date.now() + 1000;
    expect(heldBy('root.a.b', holds, at).frozen).toMatchObject({ freeze: { queue: 'root.a', by: 'ada' } });
    expect(heldBy('root.b', holds, at).frozen).toBeUndefined();
    expect(heldBy('root.a', holds, at + 2 * hour).frozen).toBeUndefined();
    expect(stopsAt(holds, at)).toMatchObject([{ queue: 'root.a' }]);
    expect(stopsAt(holds, at + 2 * hour)).toEqual([]);
    // A clock that is due after the window is not held, though it is open now.
    expect(heldBy('root.a', holds, at, at).frozen).toBeDefined();
    expect(heldBy('root.a', holds, at, at + 2 * hour).frozen).toBeUndefined();
  });

  it('that is over makes room for another one, since a partition can have so many of operators only', async () => {
    const over = { from: fromNow(-2 * hour), until: fromNow(-hour) };
    await save({ freeze: 'over', window: over });
    for (let i = 0; i < mostFreezes - 1; i++) await save({ freeze: `f-${i}` });
    expect(await save({ freeze: 'last' })).toBe(true);
    expect(await save({ freeze: 'one-too-many' })).toBe(false);
    expect(await save({ freeze: 'elsewhere', partition: 'q' })).toBe(true);
    const [[, all]] = (await names(partition)) as [[string, string[]]];
    expect(all).toHaveLength(mostFreezes);
    expect(all).not.toContain('over');
    expect(all).not.toContain('one-too-many');
  });

  it('is dropped by its id, by its queue, or with all of its partition, but not if the configuration has set it', async () => {
    await save({ freeze: 'a-1' });
    await save({ freeze: 'a-2' });
    await save({ freeze: 'b-1', queue: 'root.b' });
    await save({ freeze: 'all', queue: null });
    await inTx((tx) => putConfiguredFreezes(tx, partition, [configured('set')], 'ada'));
    const drop = (which: { queue?: string; freeze?: string }) =>
      inTx((tx) => dropFreezes(tx, { partition, ...which }));
    expect(await drop({ freeze: 'a-2' })).toEqual([{ freeze: 'a-2', queue: 'root.a' }]);
    expect(await drop({ queue: 'root.b' })).toEqual([{ freeze: 'b-1', queue: 'root.b' }]);
    expect(await drop({})).toEqual([
      { freeze: 'a-1', queue: 'root.a' },
      { freeze: 'all', queue: null },
    ]);
    expect(await names()).toEqual([[partition, ['set']]]);
  });

  const configured = (freeze: string, until = fromNow(hour)) => ({
    ...{ freeze, queue: 'root.a', reason: undefined, window: { from: fromNow(-hour), until } },
  });

  it('of a configuration replaces those of the one before, and returns the differences alone', async () => {
    const put = (...freezes: ReturnType<typeof configured>[]) =>
      inTx((tx) => putConfiguredFreezes(tx, partition, freezes, 'ada'));
    await save({ freeze: 'by-hand' });
    const [one, two] = [configured('one'), configured('two')];
    expect(await put(one, two)).toEqual({ set: [one, two], cleared: [] });
    expect(await put(one, two)).toEqual({ set: [], cleared: [] });
    const three = configured('three');
    expect(await put(three, configured('over', fromNow(-1000)))).toEqual({
      set: [three],
      cleared: [
        { freeze: 'one', queue: 'root.a' },
        { freeze: 'two', queue: 'root.a' },
      ],
    });
    expect(await names()).toEqual([[partition, ['by-hand', 'three']]]);
    expect(await holdsIn(db, partition)).toMatchObject({
      freezes: [
        { freeze: 'by-hand', reason: 'month end' },
        { freeze: 'three', configured: true },
      ],
    });
  });
});

describe('a decision about all runs of a configuration', () => {
  const decide = (approved: boolean, lastDue: Date | null = null) =>
    inTx((tx) =>
      saveDecision(tx, { partition, version: 3, approved, by: 'ada', reason: 'reviewed' }, lastDue),
    );

  it('that approves ends a day after the last of its clocks is due, and a rejection never', async () => {
    const soon = (await decide(true)).until!.getTime() - Date.now();
    expect(soon).toBeGreaterThan(23 * hour);
    expect(soon).toBeLessThanOrEqual(24 * hour + 1000);
    const lastDue = new Date(Date.now() + 48 * hour);
    expect((await decide(true, lastDue)).until).toEqual(new Date(lastDue.getTime() + 24 * hour));
    expect((await decide(false)).until).toBeNull();
  });

  it('is in force until another one replaces it', async () => {
    const { decidedAt } = await decide(true);
    const of = { partition, version: 3 };
    expect(await inTx((tx) => isInForce(tx, of, decidedAt))).toBe(true);
    const { decidedAt: later } = await decide(false);
    expect(await inTx((tx) => isInForce(tx, of, decidedAt))).toBe(false);
    expect(await inTx((tx) => isInForce(tx, of, later))).toBe(true);
    expect(await inTx((tx) => isInForce(tx, { ...of, version: 4 }, later))).toBe(false);
  });

  it('that rejects is what the next run of a queue follows, if that configuration is its cause', async () => {
    await db.query(
      `INSERT INTO configuration_texts (partition, digest, body, used_at) VALUES ($1, '', '', now()) ON CONFLICT DO NOTHING`,
      [partition],
    );
    const configure = (version: number, previous: number | null) =>
      db.query(
        `INSERT INTO configurations (partition, version, previous, applied_at, format, digest, quota_preemption_enabled)
         VALUES ($1, $2, $3, now(), '', '', true)`,
        [partition, version, previous],
      );
    const clock = (queue: string, applied: number) =>
      db.query(
        `INSERT INTO clocks (partition, queue, version, state, config_version) VALUES ($1, $2, 1, '{}', $3)`,
        [partition, queue, applied],
      );
    await configure(1, null);
    await configure(3, 1);
    await configure(5, 3);
    await clock('root.before', 1);
    await clock('root.cause', 2);
    await clock('root.cause-too', 3);
    await clock('root.after', 4);
    const rejected = (queue: string) => findRejectedChange(db, partition, queue);
    expect(await rejected('root.cause')).toBeUndefined();
    await decide(false);
    expect(await rejected('root.cause')).toEqual({ configuration: 3, by: 'ada' });
    expect(await rejected('root.cause-too')).toEqual({ configuration: 3, by: 'ada' });
    expect(await rejected('root.before')).toBeUndefined();
    expect(await rejected('root.after')).toBeUndefined();
    expect(await rejected('root.none')).toBeUndefined();
    await decide(true);
    expect(await rejected('root.cause')).toBeUndefined();
  });
});

describe('the status of an open run', () => {
  const run = 'e-1';
  const status = () => inTx((tx) => statusOfOpenRun(tx, run));
  const next = new Map<string, number>();
  beforeEach(async () => {
    next.clear();
    await db.query(
      `INSERT INTO runs (enforcement, partition, queue, fencing_token, configuration) VALUES ($1, $2, 'root.a', 1, 3)`,
      [run, partition],
    );
  });
  const record = async (stream: string, name: EventName, more: object = {}) => {
    const known = { partition, queue: 'root.a', enforcement: run };
    const event = { name, data: { ...(plausibleData(name, known) as object), ...more } } as DomainEvent;
    const expectedVersion = next.get(stream) ?? 0;
    next.set(stream, expectedVersion + 1);
    const events = [{ event, at: new Date(), key: 'root.a' }];
    await inTx((tx) => append(tx, [{ stream, partition, expectedVersion, events }]));
  };
  const opened = (needsApproval: boolean) => record(runStream(run), 'EnforcementOpened', { needsApproval });
  const held = () => record(runStream(run), 'EnforcementHeld');
  const approve = (more: { ceilings?: true } = {}) =>
    record(operatorStream(run), 'PlanApproved', { ceilings: undefined, ...more });
  const decideOnChange = (approved: boolean) =>
    inTx((tx) => saveDecision(tx, { partition, version: 3, approved, by: 'ada', reason: undefined }, null));

  it('is none once it has ended', async () => {
    await db.query('DELETE FROM runs');
    expect(await status()).toBeUndefined();
  });

  it('is executing while nothing is asked of an operator', async () => {
    await opened(false);
    expect(await status()).toBe('executing');
  });

  it('is waiting for approval from its opening until it is approved', async () => {
    await opened(true);
    expect(await status()).toBe('waiting for approval');
    await approve();
    expect(await status()).toBe('approved');
  });

  it('is waiting for approval again once a ceiling holds it, until someone approves that it exceeds the ceiling', async () => {
    await opened(true);
    await approve();
    await held();
    expect(await status()).toBe('waiting for approval');
    await approve({ ceilings: true });
    expect(await status()).toBe('approved');
  });

  it.each([
    [true, 'approved'],
    [false, 'rejected'],
  ])('follows the decision about its whole configuration (approved: %s)', async (approved, expected) => {
    await opened(true);
    await decideOnChange(approved);
    expect(await status()).toBe(expected);
  });

  it('is waiting for approval again once the approval of its configuration has ended', async () => {
    await opened(true);
    await decideOnChange(true);
    await db.query("UPDATE configuration_decisions SET until = now() - interval '1 second'");
    expect(await status()).toBe('waiting for approval');
  });

  it.each([
    ['PlanRejected', 'rejected'],
    ['CancelRequested', 'cancelled'],
  ] as const)('is decided by %s, whatever was approved before', async (name, expected) => {
    await opened(true);
    await approve();
    await record(operatorStream(run), name);
    expect(await status()).toBe(expected);
  });
});
