import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { endOutdatedRounds, releaseRound } from '#rounds';
import { holdOwnLock } from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';

const partition = 'p';
const enforcement = 'r-1';
// More digits than a JavaScript number has: the database compares settings.
const planned = '{"pools": {"root.a": {"weight": 0.12345678901234567890123}}}';
const others = '{"pools": {"root.a": {"weight": 0.12345678901234567890124}}}';

describe('the run of a released round', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    for (const table of ['partitions', 'rounds', 'runs']) await db.query(`DELETE FROM ${table}`);
    await db.query(
      `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until, settings)
       VALUES ('fair-share', $1, 1, $2, 7, 'executing', now(), now(), now(), $3)`,
      [partition, enforcement, planned],
    );
    await db.query(
      "INSERT INTO runs (enforcement, partition, queue, fencing_token) VALUES ($1, $2, 'root', 7)",
      [enforcement, partition],
    );
    await inForce(planned);
  });

  const inForce = (settings: string, policy = 'fair-share') =>
    db.query(
      `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version, policies)
       VALUES ($1, '', '', '', false, now(), 1, $2)
       ON CONFLICT (partition) DO UPDATE SET policies = excluded.policies`,
      [partition, `{"${policy}": ${settings}}`],
    );
  const giveBack = (awaitsApproval = false) =>
    db.transaction(async (tx) => {
      const round = await releaseRound(tx, enforcement);
      return round !== undefined && holdOwnLock(tx, { enforcement, ...round }, { awaitsApproval });
    });
  const stateOfRound = async () => (await db.query('SELECT state FROM rounds'))[0].state;
  const run = async () =>
    (await db.query('SELECT own_lock AS own, awaits_approval AS awaits, next_step_at AS next FROM runs'))[0];

  it('holds a lock of its own under the settings that it was planned with', async () => {
    expect(await giveBack(true)).toBe(true);
    expect(await stateOfRound()).toBe('over');
    expect(await run()).toEqual({ own: true, awaits: true, next: null });
    expect(await db.query('SELECT settings = $1::jsonb AS same FROM runs', [planned])).toEqual([
      { same: true },
    ]);
  });

  it('stays fenced under other settings, and its round is over nevertheless', async () => {
    await inForce(others);
    expect(await giveBack()).toBe(false);
    expect(await stateOfRound()).toBe('over');
    expect(await run()).toEqual({ own: false, awaits: false, next: null });
  });

  it('stays fenced once its round was ended', async () => {
    await db.transaction((tx) => releaseRound(tx, enforcement));
    expect(await giveBack()).toBe(false);
    expect(await run()).toMatchObject({ own: false });
  });

  it('loses its lock to new settings, is due at once, and does not regain the lock with the old ones', async () => {
    await giveBack();
    const check = () => db.transaction((tx) => endOutdatedRounds(tx, partition));
    await check();
    expect(await run()).toMatchObject({ own: true, next: null });
    await inForce(others);
    await check();
    expect(await run()).toMatchObject({ own: false, next: expect.any(Date) });
    await inForce(planned);
    await check();
    expect(await run()).toMatchObject({ own: false });
  });

  it('loses its lock although another policy has the settings that it was planned with', async () => {
    await giveBack();
    await inForce(planned, 'intra-queue');
    await db.transaction((tx) => endOutdatedRounds(tx, partition));
    expect(await run()).toMatchObject({ own: false, next: expect.any(Date) });
  });
});
