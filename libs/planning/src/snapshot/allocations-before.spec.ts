import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputError } from '#contracts';
import { AllocationsBefore, readSnapshot } from '#planning';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const priority = maybe(fc.constantFrom(-1, -0, 0, 5));
const application = fc.constantFrom('app-a', 'app-b', 'app-c');

/** What a scheduler reports of an allocation; one in many names a queue or an application that is not listed. */
const reported = fc.record(
  {
    application,
    queue: fc.constantFrom('root', 'root.a', 'root.b'),
    node: maybe(fc.constantFrom('n1', 'n2')),
    uid: maybe(fc.constantFrom('u1', 'u2')),
    resources: fc.constantFrom(
      {},
      { m: 1 },
      { m: 1, v: 2 },
      { v: 2, m: 1 },
      { g: 1 },
      { g: 0 },
      { v: 2, x: 0 },
    ),
    priority,
    startedAt: fc.constantFrom('2026-11-21T09:00:00Z', '2026-11-21T09:00:01Z'),
    role: maybe(fc.constantFrom('task', 'originator')),
    state: maybe(fc.constantFrom('running', 'releasing')),
    allowPreemption: maybe(fc.boolean()),
    protected: maybe(fc.boolean()),
    interruptible: maybe(fc.boolean()),
    lastJobStartedAt: maybe(fc.constant('2026-11-21T09:00:00Z')),
    checkpointedAt: maybe(fc.constant('2026-11-21T09:00:00Z')),
    budgets: maybe(fc.constant(['b'])),
  },
  { noNullPrototype: true },
);
type Reported = typeof reported extends fc.Arbitrary<infer T> ? T & { id: string } : never;

/** All of them in any order, seldom fewer. */
const mostly = <T>(all: T[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.shuffledSubarray(all, { minLength: all.length }) },
    { weight: 1, arbitrary: fc.shuffledSubarray(all, { minLength: 1 }) },
  );
const protects = { 'curtail.protect': { priorityAtLeast: 5 } };

/** Everything in a snapshot but the allocations. */
const others = fc.record(
  {
    queues: fc
      .tuple(mostly(['root', 'root.a', 'root.b']), fc.boolean())
      .map(([paths, isProtected]) =>
        paths.map((path) => ({ path, ...(isProtected && path === 'root.b' && { properties: protects }) })),
      ),
    applications: fc
      .tuple(mostly(['app-a', 'app-b', 'app-c']), fc.array(priority, { minLength: 3, maxLength: 3 }))
      .map(([ids, priorities]) => ids.map((id, i) => ({ id, priority: priorities[i] }))),
    nodes: fc.constantFrom([], [{ id: 'n1', capacity: { v: 9 } }]),
  },
  { noNullPrototype: true },
);

/** What becomes of an allocation until the next snapshot. */
const change = fc.oneof(
  { weight: 6, arbitrary: fc.constant('same' as const) },
  { weight: 1, arbitrary: fc.constant('gone' as const) },
  { weight: 2, arbitrary: reported },
);
const ids = [...'abcdefghijklmnop'];
const cluster = fc.tuple(
  fc.array(maybe(reported), { minLength: ids.length, maxLength: ids.length }),
  fc.array(change, { minLength: ids.length, maxLength: ids.length }),
);

const withIds = (all: readonly (Omit<Reported, 'id'> | undefined)[]) =>
  all.map((one, i) => (one === undefined ? undefined : { ...one, id: ids[i]! }));
const there = <T>(all: readonly (T | undefined)[]) => all.filter((one): one is T => one !== undefined);

/** The columns, or the path of the first fault. */
function resultOf(input: unknown, before?: AllocationsBefore): unknown {
  try {
    const { allocations, ...rest } = readSnapshot(input, before);
    const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
    // Entries behind those of the last size are unused.
    const entries = firstEntry[sizeCount];
    const used = { entryType: entryType.slice(0, entries), entryAmount: entryAmount.slice(0, entries) };
    return { ...rest, allocations: { ...allocations, ...used } };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.message;
  }
}

describe('allocations that were read before', () => {
  it('give the same columns as reading all of them again, whatever has changed', () => {
    fc.assert(
      fc.property(cluster, others, others, fc.boolean(), (drawn, first, second, isSame) => {
        const old = withIds(drawn[0]);
        const now = old.map((one, i) => {
          const to = drawn[1][i]!;
          if (to === 'same') return one;
          return to === 'gone' ? undefined : { ...to, id: ids[i]! };
        });
        const before = new AllocationsBefore();
        resultOf({ ...first, allocations: there(old) }, before);
        const next = { ...(isSame ? first : second), allocations: there(now) };
        expect(resultOf(next, before)).toEqual(resultOf(next));
        // It holds these now.
        expect(resultOf(next, before)).toEqual(resultOf(next));
      }),
      { numRuns: 300 },
    );
  });

  it('are not read again', () => {
    let looks = 0;
    const allocations = ids.map((id) => ({
      ...{ application: 'app', queue: 'root.a', resources: { m: 1 }, startedAt: '2026-11-21T09:00:00Z' },
      get id() {
        looks++;
        return id;
      },
    }));
    const others = { queues: [{ path: 'root.a' }], applications: [{ id: 'app' }] };
    const before = new AllocationsBefore();
    readSnapshot({ ...others, allocations }, before);
    looks = 0;
    readSnapshot({ ...others, allocations: allocations.toSpliced(9, 1) }, before);
    // Once, to find the one behind the one that is gone.
    expect(looks).toBe(1);
  });

  it('are refused if they are there twice now', () => {
    const allocation = {
      ...{ id: 'a', application: 'app', queue: 'root.a', resources: { m: 1 } },
      startedAt: '2026-11-21T09:00:00Z',
    };
    const others = { queues: [{ path: 'root.a' }], applications: [{ id: 'app' }] };
    const before = new AllocationsBefore();
    readSnapshot({ ...others, allocations: [allocation] }, before);
    expect(() => readSnapshot({ ...others, allocations: [allocation, allocation] }, before)).toThrow('twice');
  });
});
