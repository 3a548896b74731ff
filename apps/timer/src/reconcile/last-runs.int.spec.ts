import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import { LastRuns1763740027030 } from '../../../../migrations/1763740027030-last-runs.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';

describe('clocks of an earlier release', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });

  const values = { max: { memory: 50 }, delayMs: 1000 };
  const clock = (queue: string, more: object = {}, running: string | null = null) =>
    db.query(
      "INSERT INTO schedules (partition, queue, version, state, running_enforcement) VALUES ('p', $1, 1, $2, $3)",
      [queue, JSON.stringify({ partition: 'p', queue, values, generation: 1, ...more }), running],
    );
  const happened = (name: 'EnforcementEnded' | 'EnforcementCancelled', queue: string, data: object) =>
    db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       VALUES (gen_random_uuid()::text, 1, gen_random_uuid(), $1, 'curtail.enforcement', 'p', $2, now(), $3)`,
      [catalog[name].type, queue, JSON.stringify(data)],
    );

  it('learn how the last run of their queue ended, where it is at rest', async () => {
    await clock('root.a');
    await happened('EnforcementEnded', 'root.a', { enforcement: 'e-1', outcome: 'failed', shortfall: {} });
    await happened('EnforcementEnded', 'root.a', {
      ...{ enforcement: 'e-2', outcome: 'best-effort', shortfall: { memory: 5 } },
    });
    await happened('EnforcementEnded', 'root.a', {
      enforcement: 'r-3',
      outcome: 'satisfied',
      policy: 'intra-queue',
    });
    await clock('root.b');
    await happened('EnforcementCancelled', 'root.b', { enforcement: 'e-4', cause: 'operator' });
    await clock('root.c');
    await happened('EnforcementCancelled', 'root.c', { enforcement: 'e-5', cause: 'quota-raised' });
    await clock('root.d', {}, 'e-6');
    await happened('EnforcementEnded', 'root.d', { enforcement: 'e-0', outcome: 'satisfied', shortfall: {} });

    const runner = db.createQueryRunner();
    await new LastRuns1763740027030().up(runner);
    await runner.release();

    const rows = await db.query<{ queue: string; last: object | null }[]>(
      "SELECT queue, state -> 'lastRun' AS last FROM schedules ORDER BY queue",
    );
    expect(rows.map(({ queue, last }) => [queue, last])).toEqual([
      ['root.a', { enforcement: 'e-2', outcome: 'best-effort', shortfall: { memory: 5 }, values }],
      ['root.b', { enforcement: 'e-4', outcome: 'cancelled', shortfall: {}, values }],
      ['root.c', null],
      ['root.d', null],
    ]);
  });
});
