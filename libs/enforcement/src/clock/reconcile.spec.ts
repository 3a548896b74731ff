import { describe, expect, it } from '@jest/globals';
import type { EnforcementOutcome } from '#contracts';
import { atSecond, Scenario, summarize, values } from '../../testing/clock-scenario.js';

/** A queue with 50 of quota whose last run ended so, with this left above it. */
function ended(outcome: EnforcementOutcome, left = 0): Scenario {
  const clock = new Scenario(values(100, 60));
  clock.change(0, values(50, 60));
  clock.check(60, 80);
  clock.endRun(70, 50 + left, { outcome, shortfall: left === 0 ? {} : { memory: left } });
  return clock;
}

describe('a queue above its quota with no clock and no run', () => {
  it('is named once, with the numbers and how its last run ended', () => {
    const clock = ended('satisfied');
    const events = clock.reconcile(200, 80);
    expect(summarize(events)).toEqual(['QuotaNotMet']);
    expect(events[0]?.data).toMatchObject({
      used: { memory: 80 },
      above: { memory: 30 },
      lastOutcome: 'satisfied',
      notices: [{ code: 'quota-not-met', message: expect.stringContaining('ended as satisfied') }],
    });
    expect(clock.reconcile(260, 80)).toEqual([]);
  });

  it('is named again after it was within its quota in between', () => {
    const clock = ended('satisfied');
    clock.reconcile(200, 80);
    expect(summarize(clock.reconcile(260, 50))).toEqual(['QuotaMet']);
    expect(clock.reconcile(320, 50)).toEqual([]);
    expect(summarize(clock.reconcile(380, 80))).toEqual(['QuotaNotMet']);
  });

  it('is named where no run has enforced its quota', () => {
    const clock = new Scenario(values(50, 60));
    expect(clock.reconcile(0, 80)[0]?.data).not.toHaveProperty('lastOutcome');
  });

  it('gets another clock with the setting enforce', () => {
    const clock = ended('satisfied');
    expect(summarize(clock.reconcile(200, 80, { reconcile: 'enforce' }))).toEqual([
      'QuotaNotMet',
      'EnforcementScheduled reconciled',
    ]);
    expect(clock.due).toBe(260);
    expect(clock.reconcile(210, 80, { reconcile: 'enforce' })).toEqual([]);
  });

  it.each<[EnforcementOutcome, number]>([
    ['cancelled', 0],
    ['rejected', 0],
    ['satisfied', 30],
  ])('is explained by a run that ended as %s and left %s', (outcome, left) => {
    expect(ended(outcome, left).reconcile(200, 80)).toEqual([]);
  });

  it.each<EnforcementOutcome>(['best-effort', 'impossible'])(
    'is named where its run ended as %s and left that, and gets no clock: it would come to the same end',
    (outcome) => {
      const blocked = [{ code: 'disruption-budget', message: 'Budget web has too little left.' }];
      const clock = new Scenario(values(100, 60));
      clock.change(0, values(50, 60));
      clock.check(60, 80);
      clock.endRun(70, 80, { outcome, shortfall: { memory: 30 }, blocked, retryUnblocked: true });
      const events = clock.reconcile(200, 80, { reconcile: 'enforce' });
      expect(summarize(events)).toEqual(['QuotaNotMet']);
      expect(events[0]?.data).toMatchObject({
        notices: [{ message: expect.stringContaining('Budget web has too little left.') }],
      });
      expect(clock.reconcile(260, 80)).toEqual([]);
    },
  );

  it.each<[EnforcementOutcome, number]>([
    ['best-effort', 20],
    ['impossible', 20],
    ['satisfied', 5],
    ['not-needed', 0],
    ['failed', 30],
    ['deadline', 30],
    ['fenced', 30],
    ['observed', 30],
  ])('is not explained by a run that ended as %s and left %s', (outcome, left) => {
    expect(summarize(ended(outcome, left).reconcile(200, 80))).toEqual(['QuotaNotMet']);
  });

  it('says of a run that needed no victim what may have happened since', () => {
    const [notMet] = ended('not-needed', 0).reconcile(200, 80);
    expect(notMet?.data).toMatchObject({
      notices: [
        { message: expect.stringContaining('ended as not-needed; since then the usage or the quota') },
      ],
    });
  });

  it('is explained by an operator who cancelled its clock, for the same quota only', () => {
    const clock = new Scenario(values(100, 60));
    clock.change(0, values(50, 60));
    clock.cancel(10);
    expect(clock.reconcile(200, 80)).toEqual([]);
    clock.change(210, values(60, 60));
    expect(summarize(clock.reconcile(220, 80))).toEqual(['QuotaNotMet']);
  });

  it.each([
    ['is only observed', { observed: true }],
    ['is switched off', { enabled: false }],
    ['is stopped', { stop: { queue: null, by: 'ann' } }],
  ])('is not named while its partition %s', (_case, more) => {
    expect(ended('satisfied').reconcile(200, 80, more)).toEqual([]);
  });

  it('is not named while its delay is 0, nor for what is leaving', () => {
    expect(new Scenario(values(50, 0)).reconcile(0, 80)).toEqual([]);
    expect(new Scenario(values(50, 60)).reconcile(0, 80, { inFlight: { memory: 30 } })).toEqual([]);
  });

  it('is left to its clock or its run', () => {
    const clock = new Scenario(values(100, 60));
    clock.change(0, values(50, 60));
    expect(clock.reconcile(10, 80)).toEqual([]);
    clock.check(60, 80);
    expect(clock.reconcile(61, 80)).toEqual([]);
  });
});

describe('a run that follows one that fell short', () => {
  const failed = [
    { code: 'eviction-failed', message: '1 victim could not be evicted, first a: No.', victims: 1 },
  ];
  const budget = [{ code: 'disruption-budget', message: 'Budget web has too little left.' }];
  const started = () => {
    const clock = new Scenario(values(100, 60));
    clock.change(0, values(50, 60));
    clock.check(60, 80);
    return clock;
  };
  const short = (blocked: typeof budget, outcome: EnforcementOutcome = 'impossible') => {
    const clock = started();
    clock.endRun(70, 80, { outcome, shortfall: { memory: 30 }, blocked, retryUnblocked: true });
    return clock;
  };
  const unblock = (clock: Scenario, at: number, more: object = {}) =>
    clock.decide({
      ...{ kind: 'unblock', at: atSecond(at), after: 'e1', message: 'A run would now evict 1 allocation.' },
      ...{ observed: false, enabled: true, newEnforcement: `u${at}`, usage: { memory: 80 }, inFlight: {} },
      ...more,
    });

  it('waits for pauses that double up to an hour where evictions fail', () => {
    const clock = started();
    const pauses: number[] = [];
    for (let at = 70, n = 0; n < 8; n++) {
      clock.endRun(at, 80, {
        outcome: 'failed',
        shortfall: { memory: 30 },
        blocked: failed,
        retryUnblocked: true,
      });
      pauses.push(clock.due! - at);
      at = clock.due!;
      clock.check(at, 80);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
  });

  it.each<EnforcementOutcome>(['cancelled', 'rejected'])('never is after %s', (outcome) => {
    const clock = short(budget, outcome);
    expect(unblock(clock, 80)).toEqual([]);
  });

  it('does not follow by itself where a stop kept a victim', () => {
    const clock = started();
    const stopped = { code: 'stopped', message: '1 victim was spared, first b: Stopped by ann.', victims: 1 };
    const end = { outcome: 'best-effort' as const, shortfall: { memory: 30 }, retryUnblocked: true };
    clock.endRun(70, 80, { ...end, blocked: [...failed, stopped] });
    expect(clock.due).toBeNull();
  });

  it('starts no clock where the setting is off', () => {
    const clock = started();
    clock.endRun(70, 80, { outcome: 'best-effort', shortfall: { memory: 30 }, blocked: failed });
    expect(clock.due).toBeNull();
  });

  it('never enforces a max that was lowered during the run, which has a delay of its own to serve', () => {
    const clock = started();
    clock.change(65, values(20, 60));
    const end = { outcome: 'best-effort' as const, shortfall: { memory: 30 }, afterRun: 'ignore' as const };
    clock.endRun(70, 45, { ...end, blocked: [...failed, ...budget], retryUnblocked: true });
    expect(clock.due).toBeNull();
    expect(unblock(clock, 80, { usage: { memory: 45 } })).toEqual([]);
  });

  it('is due at once where a plan finds victims now, once', () => {
    const clock = short(budget);
    expect(summarize(unblock(clock, 80))).toEqual(['EnforcementScheduled unblocked']);
    expect(clock.due).toBe(80);
    expect(unblock(clock, 81)).toEqual([]);
  });

  it('waits for a pause after one that evicted nothing', () => {
    const clock = short(budget);
    unblock(clock, 80);
    clock.check(80, 80);
    clock.endRun(90, 80, {
      outcome: 'impossible',
      shortfall: { memory: 30 },
      blocked: budget,
      retryUnblocked: true,
    });
    unblock(clock, 100, { after: 'u80' });
    expect(clock.due).toBe(160);
  });

  it.each([
    ['an older run is meant', { after: 'e0' }],
    ['the partition is observed', { observed: true }],
    ['it is switched off', { enabled: false }],
    ['it is stopped', { stop: { queue: null, by: 'ann' } }],
    ['more is used than the run left', { usage: { memory: 90 } }],
    ['the queue is within its quota', { usage: { memory: 50 } }],
  ])('is not, where %s', (_, more) => {
    expect(unblock(short(budget), 80, more)).toEqual([]);
  });

  describe('after runs that had no plan until no retry followed', () => {
    const givenUp = (): Scenario => {
      const clock = started();
      const end = { outcome: 'failed' as const, retry: { forMs: 5000 }, retryUnblocked: true };
      for (let at = 70; ; at = clock.due!) {
        if (at > 70) clock.check(at, 80);
        clock.endRun(at, 80, end);
        if (clock.due === null) return clock;
      }
    };
    const lastOf = (clock: Scenario) => clock.state.lastRun!.enforcement;

    it('is on record as what keeps the queue above its quota', () => {
      expect(givenUp().state.lastRun).toMatchObject({
        outcome: 'failed',
        blocked: [
          {
            code: 'retries-exhausted',
            message: expect.stringMatching(/^\d runs have failed since .* without an eviction/),
          },
        ],
      });
    });

    it('is due at once where a plan finds victims again, whatever is used', () => {
      const clock = givenUp();
      expect(summarize(unblock(clock, 900, { after: lastOf(clock), usage: { memory: 300 } }))).toEqual([
        'EnforcementScheduled unblocked',
      ]);
      expect(clock.due).toBe(900);
    });

    it('waits for a pause where runs have come to nothing again', () => {
      const clock = givenUp();
      unblock(clock, 900, { after: lastOf(clock) });
      const end = { outcome: 'failed' as const, retry: { forMs: 0 }, retryUnblocked: true };
      clock.check(900, 80);
      clock.endRun(910, 80, end);
      expect(clock.due).toBeNull();
      unblock(clock, 950, { after: lastOf(clock) });
      expect(clock.due).toBe(1010);
    });

    it('is not, where the max is another one since', () => {
      const clock = givenUp();
      const was = lastOf(clock);
      clock.change(800, values(60, 60));
      expect(unblock(clock, 900, { after: was })).toEqual([]);
    });
  });
});
