import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inPlainWords } from '../schema-faults.js';
import { catalog } from './catalog.js';
import { checkData } from './check-data.js';

const victim = {
  allocation: 'a-1',
  uid: 'u-1',
  application: 'app',
  queue: 'root.a',
  node: 'n-1',
  resources: { memory: 1, vcore: 2 },
  rank: 1,
  reason: 'Number 1 of 1',
};

const planComputed = (victims: unknown) => ({
  ...{ partition: 'p', queue: 'root.a', enforcement: 'e', fencingToken: 1 },
  ...{ snapshotDigest: 's', planDigest: 'd', trigger: { policy: 'quota-decrease' }, settings: {}, max: null },
  ...{ takenAt: '2026-01-01T00:00:00.000Z', queueAllocations: 1, queueUsage: {}, planSeconds: 0 },
  plan: {
    ...{ apiVersion: 'curtail/v1', kind: 'Plan', policy: 'quota-decrease', outcome: 'satisfied' },
    ...{ target: {}, claimed: {}, shortfall: {}, notices: [], victims },
  },
});

const oddValues: unknown[] = [
  ...[undefined, null, 0, 1, -1, 1.5, 2 ** 53, Number.NaN, '', 'x', true, [], {}, new Map()],
  ...[{ memory: -1 }, { memory: 'x' }, { memory: 1.5 }, { memory: 2 ** 53 }, { memory: 5 }],
];
const odd = fc.constantFrom(...oddValues);

describe('checkData', () => {
  it('finds a plan right or wrong as its schema does, whatever its victims are', () => {
    const verdicts = new Set<boolean>();
    const field = fc.constantFrom(...Object.keys(victim), 'cause');
    const mutated = fc.oneof(
      odd,
      fc.tuple(field, odd).map(([name, value]) => ({ ...victim, [name]: value })),
      field.map((name) => Object.fromEntries(Object.entries(victim).filter(([key]) => key !== name))),
    );
    const victims = fc.oneof(odd, fc.array(fc.oneof(fc.constant(victim), mutated), { maxLength: 3 }));
    fc.assert(
      fc.property(victims, (list) => {
        const data = planComputed(list);
        const { success, error } = catalog.PlanComputed.schema.safeParse(data, { error: inPlainWords });
        const checked = checkData('PlanComputed', data);
        expect([checked.success, checked.error?.issues]).toEqual([success, error?.issues]);
        verdicts.add(success);
      }),
      { numRuns: 2000 },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });

  it('finds a plan right or wrong as its schema does, whatever the rules of its victims are', () => {
    const verdicts = new Set<boolean>();
    const rule = { rule: 'younger', count: 2, facts: { number: [1, 2], gives: 'x', whole: true } };
    const facts = fc.oneof(
      odd,
      fc.record({ number: fc.oneof(odd, fc.array(odd, { maxLength: 3 })), gives: odd }),
    );
    const mutated = fc.oneof(
      odd,
      fc
        .tuple(fc.constantFrom('rule', 'count', 'cause'), odd)
        .map(([name, value]) => ({ ...rule, [name]: value })),
      facts.map((odd) => ({ ...rule, facts: odd })),
    );
    const rules = fc.oneof(odd, fc.array(fc.oneof(fc.constant(rule), mutated), { maxLength: 3 }));
    fc.assert(
      fc.property(rules, (list) => {
        const data = { ...planComputed([victim]), rules: list };
        const { success, error } = catalog.PlanComputed.schema.safeParse(data, { error: inPlainWords });
        const checked = checkData('PlanComputed', data);
        expect([checked.success, checked.error?.issues]).toEqual([success, error?.issues]);
        verdicts.add(success);
      }),
      { numRuns: 2000 },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });

  it('finds a changed quota, a clock, a victim and an allocation right or wrong as their schemas do, whatever their fields are', () => {
    const seen = new Set<string>();
    const current = { max: { memory: 1 }, delayMs: 0 };
    const clock = { partition: 'p', queue: 'root.a', enforcement: 'e', generation: 1, notices: [], current };
    const dueAt = '2026-02-28T00:00:00.000Z';
    const ofRun = {
      ...{
        partition: 'p',
        queue: 'root',
        enforcement: 'e',
        allocation: 'a-1',
        uid: 'u-1',
        application: 'app',
      },
      ...{ victimQueue: 'root.a', rank: 1, evictionId: 'e-1-1', resources: { memory: 1 }, secondsLost: 0 },
    };
    const released = { partition: 'p', sequence: 1, id: 'a-1', uid: 'u-1' };
    const started = { ...released, application: 'app', queue: 'root.a', resources: { memory: 1 } };
    const rights = {
      AllocationReleased: released,
      AllocationStarted: { ...started, startedAt: dueAt },
      QuotaChanged: { partition: 'p', queue: 'root.a', previous: { max: null, delayMs: 1 }, current },
      EnforcementScheduled: { ...clock, dueAt, previous: current, cause: 'quota-lowered' },
      EnforcementRescheduled: { ...clock, dueAt, previousDueAt: dueAt, cause: 'quota-lowered' },
      EnforcementCancelled: { ...clock, dueAt, cause: 'quota-raised' },
      QuotaNoted: { partition: 'p', queue: 'root.a', current },
      VictimOrdered: { ...ofRun, attempt: 1, orderedAt: dueAt },
      VictimEvicted: { ...ofRun, reason: 'Number 1 of 1', recovered: false },
    };
    const values = [
      ...oddValues,
      ...[
        'retry',
        'frozen',
        '2026-02-30T00:00:00.000Z',
        '2026-02-28T00:00:00.00Z',
        '+02026-02-28T00:00:00.0Z',
      ],
      ...[current, { max: null, delayMs: -1 }, { max: { memory: 1.5 }, delayMs: 0 }, { max: null }],
      ...[
        'x'.repeat(65),
        'x'.repeat(257),
        `root${'.a'.repeat(499)}`,
        'root',
        'Root.B',
        'a b',
        'daemon',
        2 ** 31,
        -(2 ** 31),
        -0,
      ],
      ...['0000-12-31T00:00:00Z', '2026-02-28T00:00:00.1234567+02:00', '2026-02-28T24:00:00Z'],
      ...[{ '': 1 }, { ['x'.repeat(129)]: 1 }, JSON.parse('{"__proto__":1}')],
      ...[64, 65].map((types) =>
        Object.fromEntries(Array.from({ length: types }, (_, nr) => [`t${nr}`, nr])),
      ),
      ...[{ max: null, delayMs: 1, maxShare: '1/4' }, { max: null, delayMs: 1, maxShare: 'x' }, [{}]],
    ];
    const fields = new Set(Object.values(rights).flatMap((right) => Object.keys(right)));
    const more = ['by', 'constructor', 'node', 'priority', 'role', 'protected'];
    for (const name of Object.keys(rights) as (keyof typeof rights)[]) {
      const compare = (data: object) => {
        const { success, error } = catalog[name].schema.safeParse(data, { error: inPlainWords });
        const checked = checkData(name, data);
        expect([data, checked.success, checked.error?.issues]).toEqual([data, success, error?.issues]);
        seen.add(`${name} ${success}`);
      };
      for (const field of [...fields, ...more]) {
        for (const value of values) compare({ ...rights[name], [field]: value });
        compare(Object.fromEntries(Object.entries(rights[name]).filter(([key]) => key !== field)));
      }
    }
    expect(seen.size).toBe(18);
  });

  it('names the place of a fault among the victims, and of one beside them', () => {
    const paths = (data: unknown) =>
      checkData('PlanComputed', data).error?.issues.map(({ path }) => path.join('.'));
    expect(paths(planComputed([victim, { ...victim, rank: 0 }]))).toEqual(['plan.victims.1.rank']);
    expect(paths({ ...planComputed([victim]), queue: 1 })).toEqual(['queue']);
    expect(paths(planComputed([victim]))).toBeUndefined();
  });
});
