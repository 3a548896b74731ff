import { describe, expect, it } from '@jest/globals';
import { cluster, codesOf, leafOf, planOf, sparedIn } from '../../test/cluster.js';
import { plan } from '../plan.js';
import { readSnapshot } from '../snapshot/read.js';

const GB = 1e9;
const messageOf = (
  plan: { notices: { code: string; message: string }[] },
  code: string,
): string | undefined => plan.notices.find((notice) => notice.code === code)?.message;

describe('skipped', () => {
  const tasks = [{ id: 'a' }];
  it.each([
    ['the queue is dynamic', leafOf({ memory: 0 }, tasks, { dynamic: true }), {}, 'dynamic'],
    ['it is enforcing', leafOf({ memory: 0 }, tasks, { enforcing: true }), {}, 'already runs'],
    [
      'an ancestor is enforcing',
      cluster(
        [
          { path: 'root', enforcing: true },
          { path: 'root.q', max: { memory: 0 } },
        ],
        tasks,
      ),
      {},
      'root runs',
    ],
    ['the switch is off', leafOf({ memory: 0 }, tasks), { quotaPreemptionEnabled: false }, 'switched off'],
  ])('where %s', (_, snapshot, settings, words) => {
    const plan = planOf(snapshot, settings);
    expect(plan).toMatchObject({ outcome: 'skipped', target: {}, victims: [] });
    expect(codesOf(plan)).toEqual(['enforcement-skipped']);
    expect(plan.notices[0]!.message).toContain(words);
  });
});

describe('why too little was found', () => {
  it('guaranteed-floor counts each candidate for the type that kept it', () => {
    const snapshot = cluster(
      [
        { path: 'root' },
        { path: 'root.q', max: { memory: 0 }, guaranteed: { memory: 0, gpu: 2, vcore: 3000 } },
      ],
      [
        ...[1, 2].map((i) => ({ id: `sweep${i}`, resources: { memory: GB, gpu: 1 } })),
        ...[1, 2, 3].map((i) => ({ id: `task${i}`, resources: { memory: GB, vcore: 1000 } })),
      ],
    );
    const plan = planOf(snapshot, { explain: true });
    expect(messageOf(plan, 'guaranteed-floor')).toBe(
      'Queue root.q would fall below its guaranteed 2 gpu: 2 candidates were passed over, first sweep1 with 1 gpu when the queue could still give 0 gpu. ' +
        'Queue root.q would fall below its guaranteed 3 vcore: 3 candidates were passed over, first task1 with 1 vcore when the queue could still give 0 vcore.',
    );
    expect(plan.spared?.find(({ allocation }) => allocation === 'task3')).toEqual({
      allocation: 'task3',
      reason: 'guaranteed-floor',
      message:
        'It holds 1 vcore, and queue root.q could still give 0 vcore of what it uses above its guaranteed 3 vcore.',
    });
  });
  it('guaranteed-floor names the queue, how many, and the numbers', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 0 } },
        { path: 'root', guaranteed: { memory: 15 * GB } },
      ],
      [1, 2].map((i) => ({ id: `t${i}`, resources: { memory: 10 * GB } })),
    );
    expect(messageOf(planOf(snapshot), 'guaranteed-floor')).toBe(
      'Queue root would fall below its guaranteed 15 GB memory: 2 candidates were passed over, first t1 with 10 GB memory when the queue could still give 5 GB memory.',
    );
  });
  it('also where a floor left a leaf no room, so that none was tried', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 0 } },
        { path: 'root.q.a', guaranteed: { memory: 10 } },
      ],
      [{ id: 'a', queue: 'root.q.a' }],
    );
    const plan = planOf(snapshot, { explain: true });
    expect(codesOf(plan)).toEqual(['guaranteed-floor', 'impossible', 'too-few-victims']);
    expect(sparedIn(plan)).toEqual({ a: 'guaranteed-floor' });
  });
  it('only-daemons', () => {
    const plan = planOf(
      leafOf({ memory: 0 }, [
        { id: 'a', role: 'daemon' },
        { id: 'b', resources: { gpu: 1 } },
      ]),
      {
        explain: true,
      },
    );
    expect(codesOf(plan)).toEqual(['impossible', 'only-daemons']);
    expect(sparedIn(plan)).toEqual({ a: 'daemon', b: 'other-types' });
  });
  it('protected, and nothing more where that is the only reason', () => {
    const snapshot = leafOf({ memory: 0 }, [{ id: 'a' }]);
    for (const protect of [
      { queues: ['root'] },
      { applications: ['app'] },
      { allocations: ['a'] },
      { priorityAtLeast: 0 },
    ]) {
      const plan = planOf(snapshot, { protect, explain: true });
      expect(codesOf(plan)).toEqual(['impossible', 'protected']);
      expect(sparedIn(plan)).toEqual({ a: 'protected' });
    }
  });
  it('protected by user, not by the absence of one', () => {
    const snapshot = leafOf({ memory: 0 }, [{ id: 'a' }]);
    expect(planOf(snapshot, { protect: { users: ['ann'] } }).outcome).toBe('satisfied');
    snapshot.applications[0]!.user = 'ann';
    expect(planOf(snapshot, { protect: { users: ['ann'] } }).outcome).toBe('impossible');
  });
  it('no-candidates', () => {
    const enforcing = cluster(
      [{ path: 'root.q', max: { memory: 0 } }, { path: 'root.q.a', enforcing: true }, { path: 'root.q.b' }],
      [
        { id: 'a', queue: 'root.q.a' },
        { id: 'b', queue: 'root.q.b', role: 'daemon' },
      ],
    );
    const plan = planOf(enforcing, { explain: true });
    expect(codesOf(plan)).toEqual(['impossible', 'no-candidates']);
    expect(sparedIn(plan)).toEqual({ a: 'enforcing', b: 'daemon' });
  });
  it('too-few-victims: a single one, or all together', () => {
    const one = planOf(leafOf({ memory: 0 }, [{ id: 'a' }, { id: 'b', role: 'daemon' }]));
    expect(codesOf(one)).toEqual(['best-effort', 'too-few-victims']);
    const two = planOf(leafOf({ memory: 0 }, [{ id: 'a' }, { id: 'b' }, { id: 'c', role: 'daemon' }]));
    expect(codesOf(two)).toEqual(['best-effort', 'too-few-victims']);
    expect(messageOf(two, 'best-effort')).toBe(
      'Queue root.q stays above its quota: 10 B memory of the 30 B memory could not be freed.',
    );
  });
});

it('unknown-resource-type checks the chain and below, and knows pending requests and nodes', () => {
  const snapshot = leafOf({ memory: 50, cpu: 1, tape: 1, disk: 1 }, [{ id: 'a' }]);
  snapshot.nodes = [{ id: 'n', capacity: { tape: 0 } }];
  snapshot.applications[0]!.pending = [{ resources: { disk: 1 }, count: 1 }];
  const plan = planOf(snapshot);
  expect(plan.outcome).toBe('not-needed');
  expect(plan.notices).toEqual([
    {
      code: 'unknown-resource-type',
      message:
        'The type cpu that queue root.q sets is used by no allocation, pending request or node; vcore is meant.',
      about: { kind: 'queue', name: 'root.q' },
    },
  ]);
});

it('notices stand by code, then message', () => {
  const codes = codesOf(
    planOf(leafOf({ memory: 0, cpu: 1, api: 1 }, [{ id: 'a' }, { id: 'b', role: 'daemon' }])),
  );
  expect(codes).toEqual([...codes].sort());
  expect(codes).toHaveLength(4);
});

describe('a guarantee that is not used', () => {
  // 4 vcore and 400 MB are guaranteed; 12 vcore and 150 MB are used.
  const snapshot = (vcore = 4000) =>
    cluster(
      [{ path: 'root.q', max: { vcore: 10_000 }, guaranteed: { vcore, memory: 400e6 } }],
      [1, 2, 3].map((i) => ({ id: `t${i}`, resources: { vcore: 4000, memory: 50e6 } })),
    );

  it('keeps what uses its type, and says so as it is', () => {
    const plan = planOf(snapshot());
    expect(plan.outcome).toBe('impossible');
    expect(messageOf(plan, 'guaranteed-floor')).toBe(
      'Queue root.q uses 150 MB memory, already below its guaranteed 400 MB memory, so nothing that holds memory may go: 3 candidates were passed over, first t1 with 50 MB memory. The setting guaranteedTypes: lowered checks only the types that have to be freed.',
    );
  });

  it('keeps nothing with guaranteedTypes: lowered, while the type that is to be freed keeps its own', () => {
    const plan = planOf(snapshot(), { guaranteedTypes: 'lowered' });
    expect(plan).toMatchObject({ outcome: 'satisfied', victims: [{ allocation: 't1' }] });
    const tight = snapshot(9000);
    expect(messageOf(planOf(tight, { guaranteedTypes: 'lowered' }), 'guaranteed-floor')).toContain(
      'Queue root.q would fall below its guaranteed 9 vcore',
    );
  });

  it('names no setting where the type is one that has to be freed', () => {
    const above = cluster(
      [
        { path: 'root.q', max: { memory: 0 } },
        { path: 'root', guaranteed: { memory: 500e6 } },
      ],
      [{ id: 't1', resources: { memory: 50e6 } }],
    );
    expect(messageOf(planOf(above), 'guaranteed-floor')).toBe(
      'Queue root uses 50 MB memory, already below its guaranteed 500 MB memory, so nothing that holds memory may go: 1 candidate was passed over, first t1 with 50 MB memory.',
    );
    expect(planOf(above, { guaranteedTypes: 'lowered' }).outcome).toBe('impossible');
  });
});

it('a plan leaves out what its trigger avoids, takes others, and says so where they are too few', () => {
  const two = leafOf({ memory: 10 }, [{ id: 'a' }, { id: 'b' }]);
  const trigger = { policy: 'quota-decrease', queue: 'root.q', avoid: ['b'] };
  const made = plan(readSnapshot(two), trigger, { explain: true });
  expect(made).toMatchObject({ outcome: 'satisfied', victims: [{ allocation: 'a' }] });
  expect(made.spared).toEqual([{ allocation: 'b', reason: 'eviction-failed' }]);
  const none = plan(readSnapshot(two), { ...trigger, avoid: ['a', 'b'] }, {});
  expect(codesOf(none)).toEqual(['eviction-failed', 'impossible']);
});
