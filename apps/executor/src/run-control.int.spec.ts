import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { ReadRunControl } from './run-control.js';
import type { ExecutorSettings } from './settings/executor-settings.js';

const partition = 'p';
const run = { enforcement: 'r-1', partition, queue: 'root', fencingToken: 7 };

describe('the status of a run', () => {
  let db: DataSource;
  let controls: ReadRunControl;
  withMigratedDatabase((opened) => {
    db = opened;
    controls = new ReadRunControl(
      db,
      { defaultMode: 'enforce' } as ExecutorSettings,
      new SimulatedCluster(db),
    );
  });
  beforeEach(async () => {
    for (const table of ['partitions', 'rounds', 'runs']) await db.query(`DELETE FROM ${table}`);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const inForce = (policies: object) =>
    db.query(
      `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version, policies)
       VALUES ($1, '', '', '', false, now(), 1, $2)
       ON CONFLICT (partition) DO UPDATE SET policies = excluded.policies`,
      [partition, JSON.stringify(policies)],
    );
  const token = async () => (await controls.of(run, [])).control.fencingToken;

  it('is read with the time of the database, whatever the time of the machine', async () => {
    jest.useFakeTimers({
      now: Date.parse('2031-01-01T00:00:00Z'),
      doNotFake: [
        ...(['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
        ...(['setInterval', 'clearInterval', 'performance', 'hrtime', 'queueMicrotask'] as const),
      ],
    });
    const { now } = await controls.of(run, []);
    const [row] = await db.query<{ ms: number }[]>('SELECT date_part($1, clock_timestamp()) * 1000 AS ms', [
      'epoch',
    ]);
    expect(now().getTime()).toBeGreaterThan(row!.ms - 60_000);
    expect(now().getTime()).toBeLessThanOrEqual(row!.ms + 1000);
  });

  it.each([
    ['the settings that it was planned with', { 'intra-queue': { explain: true, cooldown: 5 } }, 7],
    ['the same, written in another order', { 'intra-queue': { cooldown: 5, explain: true } }, 7],
    ['other settings', { 'intra-queue': { explain: true, cooldown: 6 } }, undefined],
    ['the policy switched off', {}, undefined],
  ])('a round has its lock with %s: %j', async (_, policies, held) => {
    await db.query(
      `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until,
                           settings)
       VALUES ('intra-queue', $1, 1, 'r-1', 7, 'executing', now(), now(), now(),
               '{"explain": true, "cooldown": 5}')`,
      [partition],
    );
    await inForce(policies);
    expect(await token()).toBe(held);
  });

  it.each([
    ['the settings that it was planned with', { 'fair-share': { reasons: [] } }, 7],
    ['other settings', { 'fair-share': {} }, undefined],
    ['the policy switched off', { 'intra-queue': {} }, undefined],
  ])('a run that outlives its round has its lock with %s: %j', async (_, policies, held) => {
    await db.query(
      `INSERT INTO runs (enforcement, partition, queue, fencing_token, own_lock, settings)
       VALUES ('r-1', $1, 'root', 7, true, '{"reasons": []}')`,
      [partition],
    );
    await inForce(policies);
    expect(await token()).toBe(held);
  });
});
