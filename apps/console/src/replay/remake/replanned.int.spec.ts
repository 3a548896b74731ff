import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DigestReplay, ReplayRequest, ReplayView, ShadowReplay } from '#contracts/api';
import { writeGeneratedLog } from '../../../../../test/support/generated-log/write.js';
import { withMigratedDatabase } from '../../../../../test/support/migrated-database.js';
import { byTest, replaysOn } from '../../../../../test/support/replays.js';
import type { ReplayTarget } from '../work/replay-request.js';

const events = 12_000;

let db: DataSource;
let plans: { id: string; time: Date; digest: string; enforcement: string }[];
/** The input of this one is not kept. */
let forgotten: string;
withMigratedDatabase(async (opened) => {
  db = opened;
  let first: string | undefined;
  await writeGeneratedLog(db, events, {
    keepSnapshot: ({ digest }) => {
      first ??= digest;
      return digest !== first;
    },
  });
  forgotten = first!;
  plans = await db.query(
    `SELECT id, time, data->>'snapshotDigest' AS digest, data->>'enforcement' AS enforcement FROM events
     WHERE type = 'io.curtail.plan.computed.v1' ORDER BY events.position`,
  );
});

async function replay<T>(into: ReplayTarget, request: ReplayRequest = {}): Promise<T> {
  const running = await replaysOn(db).begin(into, request, { ...byTest, restart: true });
  return (await running.finished) as T;
}

const notKept = () => plans.filter(({ digest }) => digest === forgotten);

describe('a replay into digest', () => {
  it('makes every plan again, counts those whose input is gone, and finds the rest the same', async () => {
    expect(notKept().length).toBeGreaterThan(0);
    expect(await replay<DigestReplay>('digest')).toEqual({
      plans: plans.length,
      same: plans.length - notKept().length,
      different: [],
      notKept: notKept().length,
    });
  });

  it('is listed, page by page', async () => {
    for (let i = 0; i < 3; i++) await replay('digest', { to: plans[1]!.time.toISOString() });
    const all = await replaysOn(db).list({ limit: 100 });
    expect(all).not.toHaveProperty('next');
    const paged: ReplayView[] = [];
    for (let after: string | undefined; ; ) {
      const { items, next } = await replaysOn(db).list({ limit: 2, ...(after && { after }) });
      paged.push(...items);
      if (next === undefined) break;
      expect(items).toHaveLength(2);
      after = next;
    }
    expect(paged).toEqual(all.items);
    expect(paged.length).toBeGreaterThanOrEqual(3);
  });

  it('takes the plans from a time on and before another', async () => {
    const [from, to] = [plans[100]!.time.toISOString(), plans[200]!.time.toISOString()];
    const within = plans.slice(100, 200);
    expect(await replay<DigestReplay>('digest', { from, to })).toMatchObject({
      plans: within.length,
      notKept: within.filter(({ digest }) => digest === forgotten).length,
    });
  });

  it('names a plan that comes out differently', async () => {
    const changed = plans.find(({ digest }) => digest !== forgotten)!;
    const set = (digest: string) =>
      db.query(
        `UPDATE events SET data = jsonb_set(data::jsonb, '{planDigest}', to_jsonb($2::text))::json WHERE id = $1`,
        [changed.id, digest],
      );
    const [{ recorded }] = await db.query(
      `SELECT data->>'planDigest' AS recorded FROM events WHERE id = $1`,
      [changed.id],
    );
    await set('another');
    const { different, same } = await replay<DigestReplay>('digest');
    await set(recorded);
    expect(different).toEqual([
      {
        enforcement: changed.enforcement,
        queue: expect.any(String),
        recorded: 'another',
        replayed: recorded,
      },
    ]);
    expect(same).toBe(plans.length - notKept().length - 1);
  });

  it('stopped, it continues where it was and comes to the same sums', async () => {
    const whole = await replay<DigestReplay>('digest');
    const replays = replaysOn(db);
    const request = { from: '2026-01-01T00:00:00Z' };
    const running = await replays.begin('digest', request, byTest);
    await replays.wantStop(running.replay);
    await expect(running.finished).rejects.toThrow('it was stopped');
    const again = await replays.begin('digest', request, byTest);
    expect(again).toMatchObject({ replay: running.replay, resumed: true });
    expect(await again.finished).toEqual(whole);
  });
});

describe('a replay into shadow', () => {
  it('with the recorded settings makes no difference', async () => {
    expect(
      await replay<ShadowReplay>('shadow', { settings: { quotaPreemptionEnabled: true } }),
    ).toMatchObject({
      plans: plans.length,
      differ: 0,
      different: [],
      added: 0,
      removed: 0,
      notKept: { count: notKept().length, first: notKept().map(({ enforcement }) => enforcement) },
    });
  });

  it('lists for each run, and in sum, the added and removed victims and what they hold', async () => {
    const found = await replay<ShadowReplay>('shadow', { settings: { fit: 'within' } });
    expect(found.differ).toBeGreaterThan(0);
    expect(found.same + found.differ + found.notKept.count).toBe(plans.length);
    expect(found.different).toHaveLength(Math.min(1000, found.differ));
    const of = (field: 'added' | 'removed') => found.different.reduce((sum, run) => sum + run[field], 0);
    expect([of('added'), of('removed')]).toEqual([found.added, found.removed]);
    expect(found.shadow.victims - found.recorded.victims).toBe(found.added - found.removed);
    const memory = found.different.reduce((sum, run) => sum + (run.freedDifference.memory ?? 0), 0);
    expect(found.shadow.freed.memory! - found.recorded.freed.memory!).toBe(memory);
    // Nothing reads more than requested.
    expect(memory).toBeLessThan(0);
  });

  it('leaves plans as recorded that have none of the settings, and counts them', async () => {
    // All plans of the log are of quota-decrease; their inputs are not read at all.
    const found = await replay<ShadowReplay>('shadow', { settings: { maxAllowableLimit: 0.9 } });
    expect(found).toMatchObject({ notConcerned: plans.length, same: plans.length, differ: 0 });
    expect(found.shadow).toEqual(found.recorded);
    const beside = { settings: { maxAllowableLimit: 0.9, fit: 'within' } };
    const alone = { settings: { fit: 'within' } };
    expect((await replay<ShadowReplay>('shadow', beside)).different).toEqual(
      (await replay<ShadowReplay>('shadow', alone)).different,
    );
  });

  it('of a plan that the settings do not allow shows why', async () => {
    const settings = { protect: { users: [1] } };
    const { different, shadow } = await replay<ShadowReplay>('shadow', { settings });
    expect(different[0]).toMatchObject({
      shadowOutcome: null,
      because: expect.stringContaining('settings.protect.users[0]'),
    });
    expect(shadow.victims).toBe(0);
  });
});
