import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { AnswerWakeUps, EvictionAnswers, EvictionRequests, InventoryCluster } from '#clusters';
import { beginRound, forgetClocks, starvationTimer, takeRound } from '#rounds';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { ReportingPlatform } from '../../../../test/support/reporting-platform.js';
import { PlanRound } from './plan-round.js';

const partition = 'p';
const began = new Date('2026-11-21T10:00:00.000Z');
const at = (seconds: number) => new Date(began.getTime() + seconds * 1000);
const policies = { 'fair-share': { fairShareStarvationTimeout: 30_000 } };

/** `old` fills the only node, and `new` has nothing of it; everything known of it comes from the scheduler's reports. */
describe('starvation while the scheduler of an inventory is silent', () => {
  let db: DataSource;
  let planner: PlanRound;
  let platform: ReportingPlatform;
  let now: Date;
  withMigratedDatabase(async (opened) => {
    db = opened;
    const wakeUps = new AnswerWakeUps();
    const cluster = new InventoryCluster(db, new EvictionRequests(db, wakeUps, { answerSeconds: 1 }), {
      staleSeconds: 60,
      now: () => now,
    });
    platform = new ReportingPlatform(db, partition, new EvictionAnswers(db, wakeUps));
    planner = new PlanRound(db, cluster, {
      policy: {},
      snapshotRetentionDays: 1,
      mode: undefined,
      defaultMode: 'observe',
      leaseMs: 60_000,
      mostAllocations: 1000,
      mostVictims: 1000,
    });
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body, policies)
       VALUES ($1, '', 'yunikorn', 1, false, now(), '', $2)`,
      [partition, policies],
    );
    await db.query(
      `INSERT INTO queues (partition, path, delay_ms, parent)
       VALUES ($1, 'root', 0, true), ($1, 'root.a', 0, false), ($1, 'root.b', 0, false)`,
      [partition],
    );
  });
  beforeEach(async () => {
    for (const table of ['starvation_observations', 'starvation_clocks', 'timers', 'rounds', 'events']) {
      await db.query(`DELETE FROM ${table}`);
    }
    await db.query('DELETE FROM inventory_partitions');
    platform.now = began;
    now = began;
    const submittedAt = '2026-11-21T09:00:00.000Z';
    await platform.list({
      nodes: [{ id: 'n1', capacity: { vcore: 10_000 } }],
      applications: [
        { id: 'old', queue: 'root.a', submittedAt },
        {
          id: 'new',
          queue: 'root.b',
          submittedAt,
          pending: [{ resources: { vcore: 1000 }, count: 5 }],
        },
      ],
      allocations: Array.from({ length: 10 }, (_, i) => ({
        id: `old-${i}`,
        application: 'old',
        queue: 'root.a',
        node: 'n1',
        resources: { vcore: 1000 },
        startedAt: submittedAt,
      })),
    });
  });

  /** One round, this many seconds after the scheduler has listed its state. */
  async function round(seconds: number) {
    now = at(seconds);
    await db.transaction((tx) =>
      beginRound(tx, { policy: 'fair-share', partition, enforcement: `r-${seconds}`, dueAt: now, now }),
    );
    const taken = await takeRound(db, 'fair-share');
    return planner.plan(taken!);
  }
  const confirm = (seconds: number) => {
    platform.now = at(seconds);
    return platform.pass(0);
  };
  const clockOfNew = async () => {
    const rows = await db.query<{ since: Date; starvation: string; due_at: Date }[]>(
      `SELECT since, starvation, due_at FROM starvation_clocks WHERE partition = $1 AND kind = 'operation' AND name = 'new'`,
      [partition],
    );
    return rows[0];
  };
  const due = async () => {
    const rows = await db.query<{ name: string }[]>(
      'SELECT name FROM timers WHERE kind = $1 AND due_at <= $2 ORDER BY name',
      [starvationTimer, now],
    );
    return rows.map(({ name }) => name);
  };

  it('begins for no operation before the scheduler has reported that its shortfall lasted', async () => {
    expect(await round(5)).toBe('unchanged');
    expect(await clockOfNew()).toEqual({
      since: began,
      starvation: 'non_starving',
      due_at: new Date(began.getTime() + 30_001),
    });

    for (const seconds of [31, 40, 59]) {
      expect(await round(seconds)).toBe('unchanged');
      expect(await clockOfNew()).toMatchObject({ since: began, starvation: 'non_starving' });
      expect(await due()).toEqual(['operation/new', 'pool/root.b']);
    }

    await confirm(59);
    expect(await round(60)).not.toBe('failed');
    expect(await clockOfNew()).toMatchObject({ since: began, starvation: 'starving' });
    expect(await due()).toEqual([]);
    const failed = await db.query<unknown[]>("SELECT 1 FROM events WHERE type LIKE '%round.failed%'");
    expect(failed).toEqual([]);
  });

  it('is observed again once the policy is back on, although the report is from before it was switched off', async () => {
    await round(5);
    await db.transaction((tx) => forgetClocks(tx, partition, at(10)));
    expect(await clockOfNew()).toBeUndefined();
    expect(await round(12)).toBe('unchanged');
    expect(await clockOfNew()).toMatchObject({ since: began, starvation: 'non_starving' });
  });

  it('is not judged while the scheduler is silent, which the failed round states by its own code', async () => {
    await round(5);
    expect(await round(100)).toBe('failed');
    const failed = await db.query<{ code: string; message: string }[]>(
      "SELECT data ->> 'code' AS code, data ->> 'message' AS message FROM events WHERE type LIKE '%round.failed%'",
    );
    expect(failed).toEqual([
      { code: 'silent', message: expect.stringMatching(/^inventory: .*nothing is evicted by it/) },
    ]);
  });

  it('is forgotten by a round that finds its policy switched off, and runs that outlived their rounds end', async () => {
    await round(5);
    expect(await clockOfNew()).toBeDefined();
    await db.query(
      `INSERT INTO runs (enforcement, partition, queue, fencing_token, own_lock, policy, settings)
       VALUES ('r-0', $1, 'root', 7, true, 'fair-share', $2)`,
      [partition, policies['fair-share']],
    );
    await db.query("UPDATE partitions SET policies = '{}'");
    try {
      expect(await round(12)).toBe('unchanged');
      expect(await clockOfNew()).toBeUndefined();
      const runs = await db.query<unknown[]>('SELECT own_lock AS own, next_step_at AS next FROM runs');
      expect(runs).toEqual([{ own: false, next: expect.any(Date) }]);
      const rounds = await db.query<unknown[]>('SELECT state, planned_at AS planned FROM rounds');
      expect(rounds).toEqual([{ state: 'over', planned: expect.any(Date) }]);
    } finally {
      await db.query('UPDATE partitions SET policies = $1', [policies]);
      await db.query('DELETE FROM runs');
    }
  });
});
