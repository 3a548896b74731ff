import { describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import { decreasesConverge } from './convergence-checks.js';
import type { History, Logged, RemainingAllocation } from './history.js';

const partition = 'default';
const a = { partition, queue: 'root.a' };
const values = (memory: number, delayMs = 1000) => ({ max: { memory }, delayMs });

function event(name: Logged['name'], data: object, time = new Date(0)): Logged {
  return { name, data, time } as unknown as Logged;
}

const change = (from: number, to: number, delayMs = 1000, of = a) =>
  event('QuotaChanged', { ...of, previous: values(from), current: values(to, delayMs) });
const scheduled = (enforcement: string, of = a) => event('EnforcementScheduled', { ...of, enforcement });
const suspended = (enforcement: string) =>
  event('EnforcementSkipped', { ...a, enforcement, cause: 'suspended' });
const called = (enforcement: string, cause: string) =>
  event('EnforcementCancelled', { ...a, enforcement, cause });
const started = (enforcement: string, of = a) => event('EnforcementStarted', { ...of, enforcement });
const planned = (enforcement: string, victims: string[] = [], of = a) =>
  event('PlanComputed', {
    ...of,
    enforcement,
    plan: { victims: victims.map((allocation) => ({ allocation })) },
  });
const opened = (enforcement: string) =>
  event('EnforcementOpened', { ...a, enforcement, deadlineAt: new Date(5000).toISOString() });
const spared = (enforcement: string, allocation: string, code: string) =>
  event('VictimSpared', { enforcement, allocation, code });
const failed = (enforcement: string, allocation: string) =>
  event('VictimFailed', { enforcement, allocation, code: 'forbidden' });
const ended = (enforcement: string, outcome: string, of = a, time?: Date) =>
  event('EnforcementEnded', { ...of, enforcement, outcome }, time);
const released = (enforcement: string, of = a) => event('EnforcementReleased', { ...of, enforcement });
const switched = (on: boolean) => event('ConfigApplied', { partition, quotaPreemptionEnabled: on });
const stop = (queue: string | null) => event('KillSwitchSet', { partition, queue });
const resume = (queue: string | null) => event('KillSwitchCleared', { partition, queue });
const mode = (to: 'observe' | 'enforce') => event('ModeChanged', { partition, mode: to });

const run = (outcome: string, ...between: Logged[]) => [
  scheduled('e-1'),
  started('e-1'),
  ...between,
  ended('e-1', outcome),
  released('e-1'),
];

const remainingIn = (
  queue: string,
  ids: string[],
  more: Partial<RemainingAllocation> = {},
): RemainingAllocation[] => ids.map((id) => ({ id, uid: id, queue, resources: { memory: 1 }, ...more }));

/** Three allocations of one unit stand in root.a, which may use two. */
function history(log: Logged[], more: Partial<History> = {}): History {
  return {
    log: [switched(true), change(3, 2), ...log],
    remaining: remainingIn('root.a', ['a1', 'a2', 'a3']),
    limits: limitsOf({ 'root.a': [2, 0] }),
    ...more,
  } as History;
}

const limitsOf = (limits: Record<string, [max: number | null, guaranteed: number]>) =>
  Object.entries(limits).map(([path, [max, guaranteed]]) => ({
    path,
    max: max === null ? null : { memory: max },
    guaranteed: guaranteed === 0 ? null : ({ memory: guaranteed } as Resources),
    delayMs: 1000,
  }));
const withFloor = { limits: limitsOf({ 'root.a': [2, 3] }) };

/** Above its quota, and rightly left so. */
const right: [string, History][] = [
  ['within its quota', history(run('satisfied'), { remaining: remainingIn('root.a', ['a1', 'a2']) })],
  ['with a quota that was never lowered', history([], { log: [change(2, 2, 0)] })],
  [
    'without a delay',
    history([], { limits: limitsOf({ 'root.a': [2, 0] }).map((l) => ({ ...l, delayMs: 0 })) }),
  ],
  ['at its guaranteed amount, planned for no one', history(run('impossible', planned('e-1')), withFloor)],
  [
    'at its guaranteed amount, found when it was checked',
    history(run('best-effort', planned('e-1', ['a3']), spared('e-1', 'a3', 'guaranteed-floor')), withFloor),
  ],
  [
    'at the guaranteed amount of its parent',
    history(run('best-effort', planned('e-1')), { limits: limitsOf({ root: [null, 3], 'root.a': [2, 0] }) }),
  ],
  [
    'full of daemons',
    history(run('impossible', planned('e-1')), {
      remaining: remainingIn('root.a', ['a1', 'a2', 'a3'], { role: 'daemon' }),
    }),
  ],
  [
    'with a victim that the cluster refused to evict',
    history(run('failed', planned('e-1', ['a3']), failed('e-1', 'a3')), {
      remaining: [...remainingIn('root.a', ['a1', 'a2']), ...remainingIn('root.a', ['a3'], { refusals: 3 })],
    }),
  ],
  [
    'with a guaranteed amount that kept others in place of a victim that was refused',
    history(run('failed', planned('e-1', ['a3']), failed('e-1', 'a3')), {
      limits: limitsOf({ 'root.a': [1, 2] }),
      remaining: [...remainingIn('root.a', ['a1', 'a2']), ...remainingIn('root.a', ['a3'], { refusals: 3 })],
    }),
  ],
  [
    'while another queue is full',
    history(run('impossible', planned('e-1')), {
      ...withFloor,
      remaining: [...remainingIn('root.a', ['a1', 'a2', 'a3']), ...remainingIn('root.b', ['b1'])],
    }),
  ],
  [
    'with a victim below a kill switch',
    history(
      run(
        'impossible',
        stop('root.a'),
        planned('e-1', ['a3']),
        spared('e-1', 'a3', 'stopped'),
        resume('root.a'),
      ),
    ),
  ],
  [
    'by what other runs were to evict and left alone',
    history(
      [
        ...[scheduled('e-0', b()), started('e-0', b()), planned('e-0', ['a3'], b())],
        ...run(
          'best-effort',
          planned('e-1'),
          spared('e-0', 'a3', 'cancelled'),
          ended('e-0', 'cancelled', b()),
        ),
      ],
      { remaining: [...remainingIn('root.a', ['a1', 'a2']), ...remainingIn('root.a.b', ['a3'])] },
    ),
  ],
  [
    'by what stands in a queue below that had a run of its own',
    history(
      [
        ...[scheduled('e-0', b()), started('e-0', b()), planned('e-0', [], b())],
        ...run('best-effort', planned('e-1'), ended('e-0', 'satisfied', b()), released('e-0', b())),
      ],
      { remaining: remainingIn('root.a.b', ['a1', 'a2', 'a3']) },
    ),
  ],
  [
    'cancelled by an operator',
    history(run('cancelled', event('CancelRequested', { ...a, enforcement: 'e-1' }))),
  ],
  ['rejected by an operator', history(run('rejected', event('PlanRejected', { ...a, enforcement: 'e-1' })))],
  [
    'called off by an operator before it began',
    history([
      scheduled('e-1'),
      event('CancelRequested', { ...a, enforcement: 'e-1' }),
      called('e-1', 'operator'),
    ]),
  ],
  [
    'raised before its clock was due',
    history([scheduled('e-1'), change(1, 2), called('e-1', 'quota-raised')]),
  ],
  ['observed', history([mode('observe'), ...run('observed', opened('e-1')), mode('enforce')])],
  ['turned to observe during its run', history(run('stopped', opened('e-1'), mode('observe')))],
  [
    'at the deadline of its run',
    history([
      ...run('deadline', opened('e-1')).slice(0, -2),
      ended('e-1', 'deadline', a, new Date(5000)),
      released('e-1'),
    ]),
  ],
  ['switched off, its clock suspended', history([switched(false), scheduled('e-1'), suspended('e-1')])],
  [
    'stopped, its clock suspended',
    history([stop(null), ...run('stopped'), scheduled('e-2'), suspended('e-2')]),
  ],
];

/** Above its quota, and forgotten or lied about. */
const wrong: [string, RegExp, History][] = [
  ['a decrease without any clock', /no clock was ever set/, history([])],
  ['satisfied', /ended satisfied/, history(run('satisfied'))],
  ['a run that was not needed', /ended not-needed/, history(run('not-needed'))],
  ['a clock that was not needed', /as not-needed/, history([scheduled('e-1'), called('e-1', 'not-needed')])],
  [
    'a clock that found it within its quota',
    /as within-quota/,
    history([scheduled('e-1'), called('e-1', 'within-quota')]),
  ],
  ['a clock that is pending', /e-1 is pending/, history([scheduled('e-1')])],
  ['a run that has not ended', /e-1 has not ended/, history([scheduled('e-1'), started('e-1')])],
  [
    'best effort while a candidate is left',
    /a1 in root.a could have gone/,
    history(run('best-effort', planned('e-1'))),
  ],
  [
    'impossible while a candidate is left',
    /a1 in root.a could have gone/,
    history(run('impossible', planned('e-1'))),
  ],
  [
    'best effort while a candidate is left beside a daemon',
    /a2 in root.a could have gone/,
    history(run('best-effort', planned('e-1')), {
      remaining: [
        ...remainingIn('root.a', ['a1'], { role: 'daemon' }),
        ...remainingIn('root.a', ['a2', 'a3']),
      ],
    }),
  ],
  [
    'a victim spared for a floor that is none',
    /a3 was spared for a guaranteed amount/,
    history(run('best-effort', planned('e-1', ['a3']), spared('e-1', 'a3', 'guaranteed-floor'))),
  ],
  [
    'a victim spared as needed no more',
    /a3 was spared as no-longer-needed/,
    history(run('best-effort', planned('e-1', ['a3']), spared('e-1', 'a3', 'no-longer-needed'))),
  ],
  [
    'a victim spared by a kill switch that was not set',
    /a3 was spared by a kill switch/,
    history(run('best-effort', planned('e-1', ['a3']), spared('e-1', 'a3', 'stopped'), stop('root.a'))),
  ],
  [
    'a victim that failed, and that the cluster never refused',
    /the cluster refused nothing/,
    history(run('failed', planned('e-1', ['a3']), failed('e-1', 'a3'))),
  ],
  [
    'what a run was to evict that had lost its lock',
    /a1 in root.a could have gone/,
    history([
      ...[scheduled('e-0', b()), started('e-0', b()), planned('e-0', ['a3'], b())],
      ...run('best-effort', planned('e-1'), spared('e-0', 'a3', 'fenced'), ended('e-0', 'fenced', b())),
    ]),
  ],
  [
    'what another run had left alone before',
    /a1 in root.a could have gone/,
    history([
      ...[scheduled('e-0', b()), started('e-0', b()), planned('e-0', ['a3'], b())],
      ...[spared('e-0', 'a3', 'cancelled'), ended('e-0', 'cancelled', b())],
      ...run('best-effort', planned('e-1')),
    ]),
  ],
  [
    'what another run was to evict only later',
    /a1 in root.a could have gone/,
    history([
      ...[scheduled('e-0', b()), started('e-0', b())],
      ...run('best-effort', planned('e-1'), planned('e-0', ['a3'], b())),
      ...[spared('e-0', 'a3', 'cancelled'), ended('e-0', 'cancelled', b())],
    ]),
  ],
  [
    'best effort beside an allocation that refused another run',
    /a1 in root.a could have gone/,
    history(run('best-effort', planned('e-1')), {
      remaining: remainingIn('root.a', ['a1', 'a2', 'a3'], { refusals: 1 }),
    }),
  ],
  [
    'a clock that was set again after it was suspended',
    /e-1 is pending/,
    history([
      scheduled('e-1'),
      suspended('e-1'),
      event('EnforcementRescheduled', { ...a, enforcement: 'e-1' }),
    ]),
  ],
  [
    'what stands in a queue below whose run was over before',
    /a1 in root.a.b could have gone/,
    history(
      [
        ...[scheduled('e-0', b()), started('e-0', b()), planned('e-0', [], b())],
        ...[ended('e-0', 'satisfied', b()), released('e-0', b()), ...run('best-effort', planned('e-1'))],
      ],
      { remaining: remainingIn('root.a.b', ['a1', 'a2', 'a3']) },
    ),
  ],
  ['a run without a plan', /ended failed/, history(run('failed'))],
  ['a run that lost its lock', /ended fenced/, history(run('fenced'))],
  ['a cancelled run that no one cancelled', /ended cancelled/, history(run('cancelled'))],
  [
    'a run that an operator cancelled only afterwards',
    /ended cancelled/,
    history([...run('cancelled'), event('CancelRequested', { ...a, enforcement: 'e-1' })]),
  ],
  ['a rejected run that no one rejected', /ended rejected/, history(run('rejected'))],
  [
    'a clock called off by no one',
    /as operator/,
    history([
      scheduled('e-1'),
      event('CancelRequested', { ...a, enforcement: 'e-0' }),
      called('e-1', 'operator'),
    ]),
  ],
  [
    'a raise that did not happen',
    /as quota-raised/,
    history([scheduled('e-1'), called('e-1', 'quota-raised')]),
  ],
  ['an observed run of an enforced partition', /ended observed/, history(run('observed', opened('e-1')))],
  ['a deadline that had not passed', /ended deadline/, history(run('deadline', opened('e-1')))],
  [
    'a run that a stop ended, and no clock behind it',
    /ended stopped/,
    history([stop(null), ...run('stopped')]),
  ],
  [
    'a clock that stands still after the stop was cleared',
    /neither the switch nor a kill switch/,
    history([stop(null), ...run('stopped'), scheduled('e-2'), suspended('e-2'), resume(null)]),
  ],
  [
    'a clock that stands still for a stop of another queue',
    /neither the switch nor a kill switch/,
    history([stop('root.b'), scheduled('e-1'), suspended('e-1')]),
  ],
  [
    'a decrease after its clock was called off',
    /before it was lowered/,
    history([scheduled('e-1'), called('e-1', 'operator'), change(2, 1)]),
  ],
  [
    'a decrease during a run that was cancelled',
    /lowered during its last run/,
    history(run('cancelled', event('CancelRequested', { ...a, enforcement: 'e-1' }), change(3, 2))),
  ],
  [
    'a decrease after a run',
    /ended observed|lowered during/,
    history([...run('observed', mode('observe'), opened('e-1')), change(3, 2)]),
  ],
];

function b() {
  return { partition, queue: 'root.a.b' };
}

describe('the convergence of decreases', () => {
  it.each(right)('finds nothing in a queue %s', (_what, of) => {
    expect(decreasesConverge(of)).toEqual([]);
  });

  it.each(wrong)('finds %s', (_what, finding, of) => {
    expect(decreasesConverge(of)).toEqual([expect.stringMatching(finding)]);
    expect(decreasesConverge(of)[0]).toMatch(/^root\.a is above its quota by \{"memory":1\}: /);
  });
});
