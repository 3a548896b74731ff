import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { ModeSettings } from '#enforcement';
import { forgetLimits, noteLimits } from '#runs';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { Modes } from './modes.js';

const [limited, free] = [true, false];
const unlimited: ModeSettings = { defaultMode: 'enforce' };

describe('the modes that count over all processes', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(() => forgetLimits(db));

  const modes = (settings: ModeSettings = unlimited) => new Modes(db, settings);
  /** Each is a process of its own. */
  const run = (...services: [name: string, observesOnly: boolean][]) =>
    Promise.all(
      services.map(([name, observesOnly], i) => noteLimits(db, `${name}-${i}`, [{ name, observesOnly }])),
    );

  it.each([
    ['nothing runs', [], []],
    [
      'none is limited',
      [
        ['executor', free],
        ['planner', free],
      ],
      [],
    ],
    [
      'the executor only observes',
      [
        ['executor', limited],
        ['planner', free],
      ],
      ['executor'],
    ],
    [
      'the planner only observes',
      [
        ['executor', free],
        ['planner', limited],
      ],
      ['planner'],
    ],
    [
      'one of two executors only observes: the other one evicts',
      [
        ['executor', limited],
        ['executor', free],
      ],
      [],
    ],
    [
      'both executors only observe',
      [
        ['executor', limited],
        ['executor', limited],
      ],
      ['executor'],
    ],
  ] satisfies [string, [string, boolean][], string[]][])('%s', async (_, services, observing) => {
    await run(...services);
    const found = await modes().observing();
    expect(found).toEqual(observing);
    const expected =
      observing.length > 0 ? { mode: 'observe', because: 'limit' } : { mode: 'enforce', because: 'set' };
    expect(modes().inForce('enforce', found)).toEqual(expected);
    const set = modes().assertCounts('blue', 'enforce');
    await (observing.length > 0
      ? expect(set).rejects.toMatchObject({
          problem: { status: 409, type: expect.stringContaining('observes-only') },
        })
      : expect(set).resolves.toBeUndefined());
    await expect(modes().assertCounts('blue', 'observe')).resolves.toBeUndefined();
  });

  it('forgets processes that have ended, and those that have died', async () => {
    await run(['executor', limited]);
    await forgetLimits(db, 'executor-0');
    expect(await modes().observing()).toEqual([]);
    await run(['executor', limited]);
    await db.query("UPDATE service_limits SET valid_until = now() - interval '1 second'");
    expect(await modes().observing()).toEqual([]);
  });

  it('refuses to enforce where only this console is limited, and shows what the executors do', async () => {
    await run(['executor', free], ['planner', free]);
    const own = modes({ mode: 'observe', defaultMode: 'enforce' });
    await expect(own.assertCounts('blue', 'enforce')).rejects.toMatchObject({
      problem: { detail: expect.stringContaining('the console runs with CURTAIL_MODE=observe') },
    });
    expect(own.inForce(null, await own.observing())).toEqual({ mode: 'enforce', because: 'default' });
  });
});
