import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot, Plan, QuotaDecreaseSettings } from '#contracts';
import { cluster, leafOf, planOf } from '../../../test/cluster.js';

const started = (minute: number) => `2026-11-21T11:${minute}:00.000Z`;
const four = [0, 1, 2, 3].map((i) => ({ id: `t${i}`, startedAt: started(59 - i) }));
/** Of `root.q`, where four tasks use 40; the snapshot is taken at twelve. */
const planned = (
  max: number,
  more: Partial<ClusterSnapshot> & { ofQueue?: object; ofTasks?: object },
  settings: QuotaDecreaseSettings = {},
): Plan => {
  const { ofQueue, ofTasks, ...whole } = more;
  const snapshot = leafOf(
    { memory: max },
    four.map((task) => ({ ...task, ...ofTasks })),
    ofQueue,
  );
  return planOf({ ...snapshot, ...whole }, { explain: true, ...settings });
};
const messages = ({ notices }: Plan, code: string) =>
  notices.filter((notice) => notice.code === code).map(({ message }) => message);
const whySpared = ({ spared }: Plan, id: string) =>
  spared!.find(({ allocation }) => allocation === id)?.message;
const reasonOf = ({ victims }: Plan, id: string) =>
  victims.find(({ allocation }) => allocation === id)?.reason;

describe('victim care states with the numbers', () => {
  it('how old an allocation is, and how old it has to be', () => {
    const plan = planned(0, {}, { minRunSeconds: 150 });
    expect(messages(plan, 'too-young')).toEqual([
      'Queue root.q keeps 2 allocations below the minimum run time, first t0: it is 60 s old, where the minimum run time of root.q is 150 s.',
    ]);
    expect(whySpared(plan, 't1')).toBe('It is 120 s old, where the minimum run time of root.q is 150 s.');
    expect(whySpared(plan, 't2')).toBeUndefined();
  });

  it('which checkpoint a victim was placed by', () => {
    const plan = planned(30, { ofTasks: { checkpointedAt: started(57) } }, { ageFrom: 'checkpoint' });
    expect(reasonOf(plan, 't0')).toBe(
      'Number 1 of 4 in root.q, task of priority 0, started 2026-11-21T11:59:00.000Z: less work is lost than with the next one (rule 4); it gives 10 B memory of the 10 B memory to be freed.',
    );
    const later = planned(10, { ofTasks: { checkpointedAt: started(57) } }, { ageFrom: 'checkpoint' });
    expect(reasonOf(later, 't2')).toContain('started 2026-11-21T11:57:00.000Z:');
    const saved = planned(
      30,
      { ofTasks: { checkpointedAt: '2026-11-21T11:59:59Z' } },
      { ageFrom: 'checkpoint' },
    );
    expect(reasonOf(saved, 't0')).toContain(
      'started 2026-11-21T11:59:00.000Z, checkpoint of 2026-11-21T11:59:59Z: equal',
    );
  });

  it('what is left of a disruption budget, and by how many it is passed', () => {
    const web = { budgets: [{ id: 'web', allowed: 1 }], ofTasks: { budgets: ['web'] } };
    const respected = planned(10, web);
    expect(messages(respected, 'disruption-budget')).toEqual([
      'Budget web has too little left: 3 candidates were passed over, first t1 when 0 of the allowed 1 were left.',
    ]);
    expect(whySpared(respected, 't3')).toBe('Budget web: 0 of the allowed 1 were left.');
    expect(messages(planned(10, web, { disruptionBudgets: 'last' }), 'disruption-budget-passed')).toEqual([
      'Budget web allows 1 to go, and the plan takes 3: 2 more.',
    ]);
  });

  it('how many victims an owner has, and may have', () => {
    const victim = { application: 'app', queue: 'root.q', at: '2026-11-21T11:30:00Z' };
    const plan = planned(
      10,
      { recentVictims: [victim] },
      {
        ownerBudgets: [
          { per: 'user', victims: 2, seconds: 3600 },
          { per: 'queue', victims: 3, seconds: 3600 },
        ],
      },
    );
    expect(messages(plan, 'owner-budget')).toEqual([
      'User without a name (ownerBudgets[0]) has 2 of at most 2 victims in 3600 s: 3 candidates were passed over, first t1.',
    ]);
    expect(whySpared(plan, 't1')).toBe(
      'User without a name (ownerBudgets[0]) has 2 of at most 2 victims in 3600 s.',
    );
  });

  it('how many candidates an owner was passed over for, also those that another budget had refused in a pass before', () => {
    const applications = [
      ['a1', 'ann'],
      ['a2', 'ann'],
      ['b1', 'bob'],
      ['b2', 'bob'],
      ['c1', 'cid'],
    ].map(([id = '', user = '']) => ({ id, user, queue: 'root.q' }));
    // The order of root.q.a: x0 to x4.
    const ofA = ['a1', 'a1', 'a2', 'b1', 'b2'].map((application, i) => ({
      ...{ id: `x${i}`, application, queue: 'root.q.a', startedAt: started(59 - i) },
    }));
    const ofB = ['y0', 'y1'].map((id) => ({
      ...{ id, application: 'c1', queue: 'root.q.b', resources: { memory: 20 } },
    }));
    const queues = [{ path: 'root.q', max: { memory: 36 } }, { path: 'root.q.a' }, { path: 'root.q.b' }];
    const budget = { seconds: 0, victims: 2 };
    const plan = planOf(cluster(queues, [...ofA, ...ofB], applications), {
      ownerBudgets: [
        { ...budget, per: 'user' },
        { ...budget, per: 'application', victims: 1 },
      ],
    });
    // In the first pass only its application refuses x1. Then x2 is taken too, and root.q.b gives too little: root.q.a is passed once more.
    expect(messages(plan, 'owner-budget')).toContain(
      'User ann (ownerBudgets[0]) has 2 of at most 2 victims in 0 s: 1 candidate was passed over, first x1.',
    );
  });

  it('what a queue may give, and has given', () => {
    const plan = planned(10, { ofQueue: { properties: { 'quota.preemption.limit': { memory: 15 } } } });
    expect(messages(plan, 'queue-limit')).toEqual([
      'Queue root.q has the limit 15 B memory: 3 candidates were passed over, first t1 with 10 B memory when 10 B memory were taken.',
    ]);
    expect(whySpared(plan, 't1')).toBe(
      'Queue root.q has the limit 15 B memory: it uses 10 B memory when 10 B memory were taken.',
    );
  });

  it('who stays of a gang, how many it needs, and what keeps them', () => {
    const gang = (more: Parameters<typeof planned>[1], settings: QuotaDecreaseSettings = {}) =>
      planned(
        0,
        { applications: [{ id: 'app', queue: 'root.q', gang: { minMembers: 3 } }], ...more },
        settings,
      );
    const keeps = 'Application app keeps the 3 members of its gang that stay, and needs 3: ';
    const spare = gang({}, { gangs: 'spare' });
    expect(messages(spare, 'gang')).toEqual([`${keeps}by the setting gangs it is not taken below that.`]);
    expect(whySpared(spare, 't1')).toBe(
      `Its application${keeps.slice(15)}by the setting gangs it is not taken below that.`,
    );
    const by = (...input: Parameters<typeof gang>) => messages(gang(...input), 'gang');
    expect(by({}, { protect: { allocations: ['t3'] } })).toEqual([
      `${keeps}t3 is protected, and all of them go or none.`,
    ]);
    expect(by({ ofQueue: { guaranteed: { memory: 5 } } })).toEqual([
      `${keeps}with all of them queue root.q would fall below its guaranteed 5 B memory.`,
    ]);
    expect(by({ ofQueue: { properties: { 'quota.preemption.limit': { memory: 39 } } } })).toEqual([
      `${keeps}queue root.q has the limit 39 B memory: they use 30 B memory when 10 B memory were taken.`,
    ]);
    expect(by({ budgets: [{ id: 'web', allowed: 3 }], ofTasks: { budgets: ['web'] } })).toEqual([
      `${keeps}budget web has too little left: 3 of them are in it, and 2 of the allowed 3 were left.`,
    ]);
    expect(by({}, { ownerBudgets: [{ per: 'application', victims: 3, seconds: 60 }] })).toEqual([
      `${keeps}application app (ownerBudgets[0]) has 1 of at most 3 victims in 60 s.`,
    ]);
  });

  it('who goes with whom', () => {
    const plan = planned(30, { applications: [{ id: 'app', queue: 'root.q', gang: { minMembers: 4 } }] });
    const together = '4 members of the gang of app go as one, since it needs 4';
    expect(reasonOf(plan, 't0')).toMatch(new RegExp(`of the 10 B memory to be freed\\. ${together}\\.$`));
    expect(reasonOf(plan, 't1')).toBe(
      `Goes with t0: ${together}; it gives 10 B memory of the 10 B memory to be freed.`,
    );
  });

  it('which queue gives more than its share', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 10 } },
        { path: 'root.q.a', properties: { 'quota.preemption.share': 20 } },
        { path: 'root.q.b' },
      ],
      four.map((task, i) => ({ ...task, queue: i < 3 ? 'root.q.a' : 'root.q.b' })),
    );
    expect(messages(planOf(snapshot), 'share-passed')).toEqual([
      'Queue root.q.a gets 20 B memory to give, more than its share of 20 %: the queues without a share have no room for the rest.',
    ]);
  });
});
