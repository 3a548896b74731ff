import { describe, expect, it } from '@jest/globals';
import type { DomainEvent, QuotaValues } from '#contracts';
import { atSecond, Scenario, summarize, values } from '../../testing/clock-scenario.js';

/** A share of the cluster as it was saved with a cluster of `memory`; undefined: no nodes were known. */
const share = (maxShare: string, max?: number, delaySeconds = 60): QuotaValues => ({
  ...values(max ?? null, delaySeconds),
  maxShare,
});
const cluster = (memory: number) => ({ clusterSize: { memory } });

/** Lowered from 80 % to 50 % with a cluster of 100, due after 60 s. */
function lowered(): Scenario {
  const clock = new Scenario(share('4/5', 80));
  clock.change(0, share('1/2', 50));
  return clock;
}
const started = ([event]: DomainEvent[]) => {
  if (event?.name !== 'EnforcementStarted') throw new Error(`it is ${event?.name}`);
  return event.data;
};

describe('a quota that is a share of the cluster', () => {
  it.each([
    ['goes down', '4/5', 80, '1/2', 50, ['EnforcementScheduled quota-lowered']],
    ['goes down while the cluster grows', '4/5', 80, '1/2', 500, ['EnforcementScheduled quota-lowered']],
    ['goes up while the cluster shrinks', '1/2', 50, '4/5', 8, ['QuotaNoted']],
    [
      'goes down before any node is known',
      '4/5',
      undefined,
      '1/2',
      undefined,
      ['EnforcementScheduled quota-lowered'],
    ],
    ['goes up before any node is known', '1/2', undefined, '4/5', undefined, ['QuotaNoted']],
    ['stays as it is', '1/2', 50, '1/2', 20, []],
  ])('%s', (_, from, before, to, after, events) => {
    const clock = new Scenario(share(from, before));
    expect(summarize(clock.change(0, share(to, after)))).toEqual(events);
  });

  it('starts a clock although no node was known when it was saved, as any quota that appears does', () => {
    const clock = new Scenario();
    expect(summarize(clock.change(0, share('1/2')))).toEqual(['EnforcementScheduled quota-lowered']);
    expect(clock.due).toBe(60);
  });

  it.each([
    ['a share of a smaller amount', values(90, 60), share('1/2', 50), 'EnforcementScheduled quota-lowered'],
    ['a share of a larger amount', values(40, 60), share('1/2', 50), 'QuotaNoted'],
    ['a share of an unknown amount', values(40, 60), share('1/2'), 'EnforcementScheduled quota-lowered'],
  ])('is compared by amounts with the amounts before it: %s', (_, before, after, event) => {
    expect(summarize(new Scenario(before).change(0, after))).toEqual([event]);
  });

  it('ends the clock when it becomes no limit', () => {
    expect(summarize(lowered().change(10, values(null, 60)))).toEqual(['EnforcementCancelled max-removed']);
  });

  it.each([
    ['shift', 70, 60],
    ['keep-earliest', 70, 60],
  ] as const)('is judged as a share by the policy %s', (timerPolicy, memory, due) => {
    const clock = new Scenario(share('4/5'));
    clock.change(0, share('1/2'), { timerPolicy, usage: { memory } });
    expect(clock.due).toBe(due);
  });
});

describe('a check of a queue whose quota is a share of the cluster', () => {
  it('goes by the size that the cluster has then: one that grew leaves nothing to do', () => {
    expect(summarize(lowered().check(60, 80, cluster(200)))).toEqual(['EnforcementCancelled not-needed']);
  });

  it('starts with its amounts in a cluster that shrank, since the share itself was lowered', () => {
    const { values: fired } = started(lowered().check(60, 45, cluster(80)));
    expect(fired).toEqual({ max: { memory: 40 }, delayMs: 60_000, maxShare: '1/2' });
  });

  it('waits while no nodes are known, and starts late once they are', () => {
    const clock = new Scenario();
    clock.change(0, share('1/2'));
    expect(clock.check(60, 80)).toEqual([]);
    expect(clock.check(61, 80, { clusterSize: {} })).toEqual([]);
    expect(clock.due).toBe(60);
    expect(started(clock.check(90, 80, cluster(100)))).toMatchObject({ lateMs: 30_000 });
  });

  it('rounds a share of a share down once', () => {
    const clock = new Scenario();
    // A third of 50 %.
    clock.change(0, share('1/6'));
    expect(started(clock.check(60, 80, cluster(100))).values.max).toEqual({ memory: 16 });
  });
});

describe('the end of a run', () => {
  function running(): Scenario {
    const clock = lowered();
    clock.check(60, 80, cluster(100));
    return clock;
  }

  it('checks the queue by the current size of the cluster', () => {
    const stopped = { outcome: 'stopped' } as const;
    expect(summarize(running().endRun(100, 80, { ...stopped, ...cluster(200) }))).toEqual([
      'EnforcementReleased ended',
    ]);
    expect(summarize(running().endRun(100, 80, { ...stopped, ...cluster(100) }))).toEqual([
      'EnforcementReleased ended',
      'EnforcementScheduled stopped',
    ]);
  });

  it('keeps a decrease while no nodes are known: the next check decides', () => {
    const clock = running();
    const events = clock.endRun(100, 80, { cause: 'lease-ended' });
    expect(summarize(events)).toEqual([
      'EnforcementReleased lease-ended',
      'EnforcementScheduled lease-ended',
    ]);
    expect(events[1]).toMatchObject({
      data: {
        dueAt: atSecond(100),
        notices: [{ message: expect.stringContaining('it is not known whether') }],
      },
    });
  });

  it('judges a change during the run by the shares, not by what they came to', () => {
    const clock = running();
    clock.change(70, share('3/5', 30));
    expect(summarize(clock.endRun(100, 80, cluster(50)))).toEqual(['EnforcementReleased ended']);
  });
});

describe('the reconciler', () => {
  it('compares the usage with the current share, and records nothing while that is not known', () => {
    const clock = new Scenario(share('1/2', 50));
    expect(clock.reconcile(0, 80)).toEqual([]);
    expect(clock.reconcile(0, 80, cluster(200))).toEqual([]);
    expect(clock.reconcile(0, 80, cluster(100))).toMatchObject([
      { name: 'QuotaNotMet', data: { above: { memory: 30 }, current: share('1/2', 50) } },
    ]);
    expect(summarize(clock.reconcile(1, 80, cluster(200)))).toEqual(['QuotaMet']);
  });

  it('records the share of a clock that has only its amounts, once, and leaves its due time', () => {
    const clock = new Scenario(values(80, 60));
    clock.change(0, values(50, 60));
    const note = () => clock.decide({ kind: 'note-share', at: atSecond(5), maxShare: '1/2' });
    expect(summarize(note())).toEqual(['QuotaNoted']);
    expect(clock.state).toMatchObject({ values: share('1/2', 50), pending: { dueAt: atSecond(60) } });
    expect(note()).toEqual([]);
  });
});
