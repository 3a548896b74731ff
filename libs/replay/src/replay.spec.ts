import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ClusterSnapshot, InputError, type Plan } from '#contracts';
import { catalog } from '#contracts/events';
import { DamagedSnapshot, digestOfPlan, NewerEvent, packSnapshot } from '#event-store';
import { plan, readSnapshot } from '#planning';
import {
  addCompared,
  firstOfPlan,
  madeAgain,
  noneCompared,
  type PlanOfLog,
  type PlanOrigin,
  recordedPlanOf,
  remade,
} from '#replay';
import { plausibleData } from '../../../test/support/plausible-data.js';

const takenAt = '2026-11-21T10:30:00.000Z';

/** A queue that has 80 of its 50: three of its eight allocations go, the youngest first. */
function snapshotOf(max: number): ClusterSnapshot {
  const allocations = Array.from({ length: 8 }, (_, i) => ({
    ...{ id: `p${i + 1}`, application: 'app', queue: 'root.a', node: 'n1', resources: { memory: 10 } },
    startedAt: `2026-11-21T10:1${i}:00.000Z`,
  }));
  return {
    ...{ apiVersion: 'curtail/v1', kind: 'ClusterSnapshot', takenAt, partition: 'default' },
    queues: [{ path: 'root' }, { path: 'root.a', max: { memory: max } }],
    applications: [{ id: 'app', queue: 'root.a', user: 'ada', submittedAt: '2026-11-21T08:00:00.000Z' }],
    allocations,
  } as ClusterSnapshot;
}

const snapshot = snapshotOf(50);
const trigger = { policy: 'quota-decrease', queue: 'root.a', previousMax: { memory: 100 } };
const planned = plan(readSnapshot(snapshot), trigger, {});

describe('a recorded plan, made again from its input,', () => {
  let origin: PlanOrigin;
  let recorded: PlanOfLog;
  beforeAll(async () => {
    const { digest } = await packSnapshot(snapshot);
    origin = { snapshotDigest: digest, trigger, settings: {} };
    recorded = {
      ...origin,
      enforcement: 'e-1',
      queue: 'root.a',
      plan: planned,
      planDigest: digestOfPlan(planned),
    };
  });
  const compared = async (more: Partial<PlanOrigin> = {}, input: unknown = snapshot) => {
    const found = noneCompared();
    addCompared(found, recorded, await madeAgain({ ...origin, ...more }, async () => input));
    return found;
  };

  it('is the same plan, with the same digest', async () => {
    expect(planned.victims.map(({ allocation }) => allocation)).toEqual(['p8', 'p7', 'p6']);
    expect(await madeAgain(origin, async () => snapshot)).toEqual({ plan: planned });
    expect(await compared()).toEqual({ plans: 1, same: 1, different: [], notKept: 0 });
  });

  it('asks for the input by its recorded digest', async () => {
    const asked: string[] = [];
    await madeAgain(origin, async (digest) => {
      asked.push(digest);
      return snapshot;
    });
    expect(asked).toEqual([origin.snapshotDigest]);
  });

  it('is the same from the input as it is stored, packed', async () => {
    const { chunks } = await packSnapshot(snapshot);
    expect(await remade({ origin, packed: await chunks })).toEqual({ plan: planned });
  });

  it('differs visibly, with both digests, where a value of its input is another', async () => {
    const other = snapshotOf(40);
    const made = digestOfPlan(plan(readSnapshot(other), trigger, {}));
    expect(await compared({}, other)).toEqual({
      ...{ plans: 1, same: 0, notKept: 0 },
      different: [{ enforcement: 'e-1', queue: 'root.a', recorded: recorded.planDigest, replayed: made }],
    });
    expect(made).not.toBe(recorded.planDigest);
  });

  it.each<[string, (snapshot: ClusterSnapshot) => unknown]>([
    [
      'an allocation is missing',
      ({ allocations, ...rest }) => ({ ...rest, allocations: allocations.slice(1, 8) }),
    ],
    [
      'an allocation is younger',
      ({ allocations: [first, ...others], ...rest }) => ({
        ...rest,
        allocations: [{ ...first!, startedAt: '2026-11-21T10:29:00.000Z' }, ...others],
      }),
    ],
    [
      'its queue is guaranteed what it has',
      ({ queues: [root, queue], ...rest }) => ({
        ...rest,
        queues: [root, { ...queue, guaranteed: { memory: 80 } }],
      }),
    ],
  ])('differs where %s', async (_, change) => {
    const found = await compared({}, change(snapshot));
    const isAnother = JSON.stringify(change(snapshot)) !== JSON.stringify(snapshot);
    expect(isAnother).toBe(true);
    expect(found).toMatchObject({ plans: 1, same: 0, different: [{ recorded: recorded.planDigest }] });
  });

  it('differs where its settings are others', async () => {
    const { different } = await compared({ settings: { victims: { never: [{ user: 'ada' }] } } });
    expect(different).toHaveLength(1);
  });

  it('is not kept, and no difference, if its input is gone', async () => {
    const found = noneCompared();
    addCompared(found, recorded, await madeAgain(origin, async () => undefined));
    expect(found).toEqual({ plans: 1, same: 0, different: [], notKept: 1 });
  });

  it('is compared as different, with the reason, if its stored input is damaged', async () => {
    const { chunks } = await packSnapshot(snapshotOf(40));
    const made = await remade({ origin, packed: await chunks });
    const because = new DamagedSnapshot(origin.snapshotDigest).message;
    expect(made).toEqual({ because });
    const found = noneCompared();
    addCompared(found, recorded, made);
    expect(found.different).toEqual([
      { enforcement: 'e-1', queue: 'root.a', recorded: recorded.planDigest, replayed: null, because },
    ]);
  });

  it('has the reason in a sentence if its input is refused', async () => {
    const made = await madeAgain(origin, async () => ({ ...snapshot, queues: 7 }));
    expect(made).toEqual({ because: expect.stringMatching(/queues/) });
    expect(() => plan(readSnapshot({ ...snapshot, queues: 7 }), trigger, {})).toThrow(InputError);
  });

  it('fails where its input cannot be read for another reason: that says nothing about the plan', async () => {
    const lost = new Error('connection lost');
    await expect(madeAgain(origin, () => Promise.reject(lost))).rejects.toBe(lost);
  });

  it('is read from its event, and not from one of a version that is not known yet', () => {
    const known = { enforcement: 'e-1', queue: 'root.a', planDigest: recorded.planDigest };
    const data = plausibleData('PlanComputed', known);
    const event = { id: '1', type: catalog.PlanComputed.type, data, schemaVersion: 1 } as Parameters<
      typeof recordedPlanOf
    >[0];
    expect(recordedPlanOf(event)).toMatchObject(known);
    expect(() => recordedPlanOf({ ...event, schemaVersion: 99 })).toThrow(NewerEvent);
  });

  it('is named as different a thousand times at most, and counted always', () => {
    const found = noneCompared();
    for (let i = 0; i < 1002; i++) addCompared(found, recorded, { because: 'damaged' });
    expect(found.plans).toBe(1002);
    expect(found.same).toBe(0);
    expect(found.different).toHaveLength(1000);
  });
});

describe('the part of a plan that is asked for', () => {
  const settings = { explain: true };
  const origin: PlanOrigin = { snapshotDigest: '', trigger, settings };
  const whole = plan(readSnapshot(snapshot), trigger, settings);
  const part = async (of: Parameters<typeof madeAgain>[2]) =>
    (await madeAgain(origin, async () => snapshot, of)) as {
      plan: Plan;
      sparedBy?: unknown;
      counts?: unknown;
    };

  it('is the plan without its victims', async () => {
    expect(await part('without victims')).toEqual({ plan: { ...whole, victims: [] } });
  });

  it('is the first of each list, with how many there are, and the spared by reason', async () => {
    const { plan: first, counts, sparedBy } = await part({ first: 2 });
    expect(first.victims).toEqual(whole.victims.slice(0, 2));
    expect(first.spared).toBeUndefined();
    expect(counts).toMatchObject({
      victims: 3,
      shares: whole.shares.length,
      notices: whole.notices.length,
    });
    const reasons = new Set(whole.spared!.map(({ reason }) => reason));
    expect(sparedBy).toEqual(
      [...reasons].map((reason) => {
        const those = whole
          .spared!.filter((one) => one.reason === reason)
          .map(({ allocation }) => allocation);
        return { reason, count: those.length, first: those.slice(0, 3) };
      }),
    );
    expect(reasons.size).toBeGreaterThan(0);
  });

  it('is why one allocation was spared, and nothing about others', async () => {
    const { plan: made } = await part({ spared: 'p1' });
    expect(made.spared).toEqual(whole.spared!.filter(({ allocation }) => allocation === 'p1'));
    expect(made.spared).toHaveLength(1);
    expect([made.victims, made.shares, made.notices]).toEqual([[], [], []]);
  });

  it('has the first users of all shares together, not of each', () => {
    const share = (queue: string, users: number) => ({
      queue,
      users: Array.from({ length: users }, (_, i) => ({ user: `${queue}-${i}` })),
    });
    const shares = [share('a', 2), share('b', 2), share('c', 1)] as never as Plan['shares'];
    const { plan: first, counts } = firstOfPlan({ ...whole, shares }, 3);
    expect(first.shares.map((one) => (one as never as { users: unknown[] }).users.length)).toEqual([2, 1, 0]);
    expect(counts).toMatchObject({ shares: 3, users: 5 });
  });
});
