import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Metrics } from '#platform';
import { roundPolicies, starvationTimer } from '#rounds';
import { setTimers, type WakeUp, type WakeUpQueue } from '#timers';
import { machineClock } from '../../../../test/support/machine-clock.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { timerSettings } from '../../testing/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { BeginRounds } from './begin-rounds.js';

const policy = roundPolicies.of('fair-share');
const armed: WakeUp[] = [];
const wakeUpQueue: WakeUpQueue = {
  arm: async (wakeUps) => {
    armed.push(...wakeUps);
  },
  listen: async () => {},
  whenForgotten: () => {},
  close: async () => {},
};

describe('a wake-up for a pool or operation that has starved for too long', () => {
  let db: DataSource;
  let begin: BeginRounds;
  withMigratedDatabase((opened) => {
    db = opened;
    const settings = timerSettings();
    begin = new BeginRounds(db, new WakeUps(wakeUpQueue, machineClock), new Metrics(), settings);
  });
  beforeEach(async () => {
    armed.length = 0;
    await db.query('DELETE FROM rounds');
    await db.query('DELETE FROM timers');
  });

  const ago = (ms: number) => new Date(Date.now() - ms);
  const due = (name: string, dueAt: Date) =>
    db.transaction((tx) =>
      setTimers(tx, [
        { kind: starvationTimer, partition: 'p', name, generation: 1, dueAt, state: 'pending' },
      ]),
    );
  const state = async () => {
    const rows = await db.query<{ round: number; state: string }[]>(
      'SELECT round::int AS round, state FROM rounds',
    );
    return rows[0];
  };
  /** Changes the begin of the round that the wake-up began. */
  async function underWaySince(startedAt: Date): Promise<void> {
    await begin.ifDue(policy, 'p');
    await db.query("UPDATE rounds SET started_at = $1, state = 'planning'", [startedAt]);
    armed.length = 0;
  }

  it('begins a round, and requests no other wake-up', async () => {
    await due('pool/root.a', ago(1000));
    await begin.ifDue(policy, 'p');
    expect(await state()).toEqual({ round: 1, state: 'wanted' });
    expect(armed).toEqual([]);
  });

  it('that finds a round from before its time is requested again, soon', async () => {
    await due('pool/root.a', ago(1000));
    await underWaySince(ago(2000));
    await begin.ifDue(policy, 'p');
    expect(armed).toMatchObject([{ kind: starvationTimer, partition: 'p', name: 'pool/root.a' }]);
    expect(armed[0]?.dueAt.getTime()).toBeGreaterThan(Date.now());
    expect(await state()).toMatchObject({ round: 1 });
  });

  it('that finds a round from between two timers is requested again for the later one', async () => {
    await due('pool/root.a', ago(3000));
    await due('pool/root.b', ago(1000));
    await underWaySince(ago(2000));
    await begin.ifDue(policy, 'p');
    expect(armed).toMatchObject([{ name: 'pool/root.b' }]);
  });

  it('that finds a round begun after all timers is not begun: that round observes, or none can yet', async () => {
    await due('pool/root.a', ago(3000));
    await underWaySince(ago(2000));
    await begin.ifDue(policy, 'p');
    expect(armed).toEqual([]);

    // Its snapshot was from before the timer, which is still due; the sweep requests a round, once each time.
    await db.query("UPDATE rounds SET state = 'over'");
    await begin.ifDue(policy, 'p');
    expect(await state()).toEqual({ round: 2, state: 'wanted' });
    await begin.ifDue(policy, 'p');
    expect(await state()).toEqual({ round: 2, state: 'wanted' });
    expect(armed).toEqual([]);
  });
});
