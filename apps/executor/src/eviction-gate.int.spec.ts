import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append, type Tx } from '#event-store';
import { stopKinds } from '#holds';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { EvictionGates, type GatedOrder } from './eviction-gate.js';
import { OpenRuns } from './runs/open-runs.js';
import type { ExecutorSettings } from './settings/executor-settings.js';

const partition = 'p';
const enforcement = 'e-1';
const queue = 'root.a';
const of = { partition, queue, enforcement };
const victim = { allocation: 'a', application: 'app', victimQueue: 'root.a.b', rank: 1 };

describe('the gate of an eviction request', () => {
  let db: DataSource;
  let mine: OpenRuns;
  let others: OpenRuns;
  let gates: EvictionGates;
  let order: GatedOrder;
  withMigratedDatabase((opened) => {
    db = opened;
    mine = new OpenRuns(db);
    others = new OpenRuns(db);
    gates = new EvictionGates(mine, { defaultMode: 'enforce' } as ExecutorSettings);
  });
  beforeEach(async () => {
    gates = new EvictionGates(mine, { defaultMode: 'enforce' } as ExecutorSettings);
    await db.query('TRUNCATE runs, clocks, events, kill_switches, freezes, partition_modes');
    await db.query(
      `INSERT INTO clocks (partition, queue, state, version, fencing_token, running_enforcement)
       VALUES ($1, $2, '{}', 1, 7, $3)`,
      [partition, queue, enforcement],
    );
    await mine.add(db.manager, [{ ...of, fencingToken: 7 }]);
    // The moment of the next step is rounded to milliseconds, perhaps up.
    await db.query("UPDATE runs SET next_step_at = now() - interval '1 second'");
    const { runs } = await mine.claim(1, []);
    await record(`execution-${enforcement}`, 0, {
      name: 'VictimOrdered',
      data: {
        ...of,
        ...victim,
        attempt: 1,
        evictionId: 'e-1-1-1',
        orderedAt: '2026-11-22T10:00:00.000Z',
        resources: {},
      },
    });
    order = {
      run: runs[0]!,
      evictionId: 'e-1-1-1',
      victimQueue: 'root.a.b',
      together: ['a'],
      openedAt: new Date().toISOString(),
      fencingToken: 7,
      commands: { operator: 0, answers: 0 },
      version: 1,
    };
  });

  const record = (stream: string, expectedVersion: number, event: DomainEvent, tx: Tx = db.manager) =>
    append(tx, [{ stream, partition, expectedVersion, events: [{ event, at: new Date(), key: queue }] }]);
  const stop = (of: string) =>
    db.query("INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ($1, $2, 'ada', now())", [
      partition,
      of,
    ]);
  /** Since an hour, for another one. */
  const freeze = (of: string) =>
    db.query(
      `INSERT INTO freezes (id, partition, queue, period, set_by, set_at)
       SELECT 'f-1', $1, $2, jsonb_build_object('from', at - interval '1 hour', 'until', at + interval '1 hour'), 'ada',
              at - interval '1 hour'
       FROM now() AS at`,
      [partition, of],
    );
  /** The answer of the gate; `meanwhile` runs in its transaction before that ends. */
  const passed = (meanwhile: (tx: Tx) => Promise<unknown> = async () => {}) =>
    db.transaction(async (tx) => {
      const { evictionId, fencingToken } = order;
      const request = { partition, allocation: 'a', graceSeconds: 0, evictionId, fencingToken, reason: '' };
      const withheld = await gates.through(order, (gate) => gate(tx, [request]));
      await meanwhile(tx);
      return withheld.get(evictionId)?.code ?? 'open';
    });

  it('is open for the open orders of a run that is held and has its lock', async () => {
    expect(await passed()).toBe('open');
    const next = { ...victim, allocation: 'a2', rank: 2 };
    const orderedAt = '2026-11-22T10:00:01.000Z';
    const data = { ...of, ...next, attempt: 1, evictionId: 'e-1-2-1', orderedAt, resources: {} };
    await record(`execution-${enforcement}`, 1, { name: 'VictimOrdered', data });
    order = { ...order, version: 2 };
    expect(await passed()).toBe('open');
    order = { ...order, evictionId: 'e-1-2-1' };
    expect(await passed()).toBe('open');
  });

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'another process holds the run',
      'hold-lost',
      async () => {
        await db.query("UPDATE runs SET lease_until = now() - interval '1 ms'");
        expect((await others.claim(1, [])).runs).toHaveLength(1);
      },
    ],
    [
      'another process may take the run over',
      'hold-lost',
      () => db.query("UPDATE runs SET lease_until = now() - interval '1 ms'"),
    ],
    ['the run is over', 'hold-lost', () => mine.remove(db.manager, [enforcement])],
    [
      'the lock is held by another run',
      'fenced',
      () => db.query("UPDATE clocks SET running_enforcement = 'e-2'"),
    ],
    ['the lock was taken again', 'fenced', () => db.query('UPDATE clocks SET fencing_token = 8')],
    [
      'its victim was spared',
      'order-settled',
      () =>
        record(`execution-${enforcement}`, 1, {
          name: 'VictimSpared',
          data: { ...of, ...victim, code: 'stopped', message: '' },
        }),
    ],
    [
      'another order follows',
      'order-settled',
      () =>
        record(`execution-${enforcement}`, 1, {
          name: 'VictimOrdered',
          data: {
            ...of,
            ...victim,
            attempt: 2,
            evictionId: 'e-1-1-2',
            orderedAt: '2026-11-22T10:00:01.000Z',
            resources: {},
          },
        }),
    ],
    [
      'an operator has cancelled the run',
      'operator',
      () => record(`operator-${enforcement}`, 0, { name: 'CancelRequested', data: { ...of, by: 'ada' } }),
    ],
    [
      'all runs of its configuration were rejected',
      'rejected',
      async () => {
        await db.query('UPDATE runs SET configuration = 12');
        await db.query(
          `INSERT INTO configuration_decisions (partition, configuration, approved, decided_by, decided_at)
           VALUES ($1, 12, false, 'ada', now())`,
          [partition],
        );
      },
    ],
    [
      'the partition is only observed',
      'observe',
      () => db.query("INSERT INTO partition_modes (partition, mode) VALUES ($1, 'observe')", [partition]),
    ],
    ['the partition is stopped', 'stopped', () => stop('')],
    ['the enforced queue is stopped', 'stopped', () => stop('root.a')],
    ['a queue above is stopped', 'stopped', () => stop('root')],
    ['the queue of the victim is stopped', 'stopped', () => stop('root.a.b')],
    ['the run was opened in a freeze of the partition', 'frozen', () => freeze('')],
    ['the run was opened in a freeze of the enforced queue', 'frozen', () => freeze('root.a')],
    ['the run was opened in a freeze of the queue of the victim', 'frozen', () => freeze('root.a.b')],
  ])('is closed when %s: %s', async (_when, code, happens) => {
    await happens();
    expect(await passed()).toBe(code);
  });

  it.each(['enforce', 'observe'] as const)(
    'is closed in a process with CURTAIL_MODE=observe, although the mode %s is set for the partition',
    async (mode) => {
      gates = new EvictionGates(mine, { mode: 'observe', defaultMode: 'enforce' } as ExecutorSettings);
      await db.query('INSERT INTO partition_modes (partition, mode) VALUES ($1, $2)', [partition, mode]);
      expect(await passed()).toBe('observe');
    },
  );

  it.each([
    ['enforce', 'observe', 'open'],
    [undefined, 'observe', 'observe'],
    [undefined, 'enforce', 'open'],
  ])('with the mode %s set and the default %s it is %s', async (stored, defaultMode, expected) => {
    gates = new EvictionGates(mine, { defaultMode } as ExecutorSettings);
    if (stored)
      await db.query('INSERT INTO partition_modes (partition, mode) VALUES ($1, $2)', [partition, stored]);
    expect(await passed()).toBe(expected);
  });

  it.each(['root.a.b.c', 'root.aa', 'root.a.bb'])('is open when only %s is stopped', async (beside) => {
    await stop(beside);
    expect(await passed()).toBe('open');
  });

  it.each([
    ['root.a', 'stopped'],
    ['root.a.b', 'stopped'],
    ['root.b', 'open'],
  ])('with a hold of an added kind on %s it is %s', async (held, expected) => {
    const columns = "NULL AS reason, 'It is being repaired.' AS said";
    const kind = {
      name: 'repair',
      rows: `SELECT 'p' AS partition, '${held}' AS queue, 'ada' AS set_by, ${columns}`,
    };
    stopKinds.add(kind);
    try {
      expect(await passed()).toBe(expected);
    } finally {
      stopKinds.delete(kind);
    }
  });

  it('is open for a run that was opened before the freeze began', async () => {
    await freeze('');
    order = { ...order, openedAt: new Date(Date.now() - 2 * 3_600_000).toISOString() };
    expect(await passed()).toBe('open');
  });

  it('is open once the run has taken in the command of the operator', async () => {
    await record(`operator-${enforcement}`, 0, { name: 'PlanApproved', data: { ...of, by: 'ada' } });
    order = { ...order, commands: { operator: 1, answers: 0 } };
    expect(await passed()).toBe('open');
  });

  it('withholds the request of a victim if its owner, or that of another one of its unit, got more time', async () => {
    const extend = (allocation: string): DomainEvent => ({
      name: 'OwnerAnswered',
      data: {
        ...{
          partition,
          queue: 'root.a.b',
          allocation,
          application: 'app',
          answer: 'extend',
          id: 'a1',
          by: 'ann',
        },
        ...{ answeredAt: '2026-11-22T10:00:00.000Z', enforcement, seconds: 600 },
      },
    });
    await record(`answers-${enforcement}`, 0, extend('other'));
    expect(await passed()).toBe('open');
    await record(`answers-${enforcement}`, 1, extend('a'));
    expect(await passed()).toBe('extended');
    order = { ...order, commands: { operator: 0, answers: 2 } };
    expect(await passed()).toBe('open');
    await record(`answers-${enforcement}`, 2, extend('mate'));
    expect(await passed()).toBe('open');
    order = { ...order, together: ['a', 'mate'] };
    expect(await passed()).toBe('extended');
  });

  it('keeps others from taking the run over until the request is committed', async () => {
    const claimed: number[] = [];
    await db.query("UPDATE runs SET lease_until = clock_timestamp() + interval '100 ms'");
    const code = await passed(async (tx) => {
      const isOver = async () =>
        ((await tx.query('SELECT FROM runs WHERE lease_until < clock_timestamp()')) as unknown[]).length > 0;
      while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 10));
      claimed.push((await others.claim(1, [])).runs.length);
    });
    expect(code).toBe('open');
    claimed.push((await others.claim(1, [])).runs.length);
    expect(claimed).toEqual([0, 1]);
  });

  it.each([`control-${partition}`, `operator-${enforcement}`])(
    'makes a writer of %s wait until the request is committed',
    async (stream) => {
      const inOrder: string[] = [];
      let recorded: Promise<unknown> = Promise.resolve();
      await passed(async (tx) => {
        recorded = db.transaction(async (other) => {
          await other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [stream]);
          inOrder.push('recorded');
        });
        while ((await waiting(tx)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        inOrder.push('requested');
      });
      await recorded;
      expect(inOrder).toEqual(['requested', 'recorded']);
    },
  );

  it('lets a stop through when its process is frozen in the transaction, which is given up', async () => {
    let stopped = () => {};
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const stalled = passed(async (tx) => {
      void db
        .transaction((other) =>
          other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`control-${partition}`]),
        )
        .then(stopped);
      await isStopped;
      await tx.query(
        "INSERT INTO kill_switches (partition, queue, set_by, set_at) VALUES ($1, 'late', 'x', now())",
        [partition],
      );
    });
    await expect(stalled).rejects.toThrow();
    expect(await db.query('SELECT FROM kill_switches')).toEqual([]);
  });

  const waiting = async (tx: Tx) =>
    ((await tx.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) as unknown[])
      .length;

  it('answers for each of several orders whether it may be requested', async () => {
    const second = { partition, queue: 'root.b', enforcement: 'e-2', fencingToken: 3 };
    await mine.add(db.manager, [second]);
    const ids = [order.evictionId, 'e-2-1-1'];
    const requests = ids.map((evictionId) => ({
      partition,
      allocation: 'a',
      graceSeconds: 0,
      evictionId,
      fencingToken: 7,
      reason: '',
    }));
    const withheld = await db.transaction((tx) =>
      gates.through(order, () =>
        gates.through({ ...order, run: second, evictionId: 'e-2-1-1' }, (gate) => gate(tx, requests)),
      ),
    );
    expect([...withheld].map(([id, { code }]) => [id, code])).toEqual([['e-2-1-1', 'hold-lost']]);
  });
});
