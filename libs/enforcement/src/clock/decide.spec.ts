import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { atSecond, noticeCodes, Scenario, summarize, values } from '../../testing/clock-scenario.js';

const only = (events: DomainEvent[]) => {
  expect(events).toHaveLength(1);
  return events[0] as DomainEvent;
};

/** Lowered from 90 to 30 at the beginning, due after 60 s. */
function lowered(): Scenario {
  const clock = new Scenario(values(90, 60));
  clock.change(0, values(30, 60));
  return clock;
}

function running(): Scenario {
  const clock = lowered();
  clock.check(60, 80);
  return clock;
}

describe('a change of the quota', () => {
  it('starts the clock when a type is lowered', () => {
    const clock = new Scenario(values(90, 60));
    expect(clock.change(0, values(30, 60))).toEqual([
      {
        name: 'EnforcementScheduled',
        data: {
          partition: 'default',
          queue: 'root.a',
          enforcement: 'e1',
          generation: 1,
          dueAt: atSecond(60),
          previous: values(90, 60),
          current: values(30, 60),
          cause: 'quota-lowered',
          notices: [],
        },
      },
    ]);
  });

  it('starts the clock again when it is lowered again, and keeps the id of the run', () => {
    const clock = lowered();
    expect(clock.change(30, values(20, 60))).toEqual([
      {
        name: 'EnforcementRescheduled',
        data: {
          partition: 'default',
          queue: 'root.a',
          enforcement: 'e1',
          generation: 2,
          dueAt: atSecond(90),
          previousDueAt: atSecond(60),
          current: values(20, 60),
          cause: 'quota-lowered',
          notices: [],
        },
      },
    ]);
  });

  it('starts the clocks of the first configuration', () => {
    const clock = new Scenario();
    expect(summarize(clock.change(0, values(30, 60)))).toEqual(['EnforcementScheduled quota-lowered']);
    expect(clock.due).toBe(60);
  });

  it('ignores the usage', () => {
    const clock = new Scenario(values(90, 60));
    clock.change(0, values(85, 60), { usage: { memory: 1 } });
    expect(clock.due).toBe(60);
  });

  it('of the delay alone starts it, pending or not', () => {
    const idle = new Scenario(values(30, 0));
    expect(summarize(idle.change(30, values(30, 60)))).toEqual(['EnforcementScheduled delay-changed']);
    expect(idle.due).toBe(90);
    expect(summarize(idle.change(40, values(30, 5)))).toEqual(['EnforcementRescheduled delay-changed']);
    expect(idle.due).toBe(45);
  });

  it.each([
    ['raised', values(45, 60), 'EnforcementCancelled quota-raised'],
    ['left without max', values(null, 60), 'EnforcementCancelled max-removed'],
    ['left without delay', values(10, 0), 'EnforcementCancelled delay-zero'],
  ])('calls the run off when the queue is %s', (_case, current, event) => {
    const clock = lowered();
    expect(summarize(clock.change(30, current))).toEqual([event]);
    expect(clock.state).toMatchObject({ pending: undefined, values: current, generation: 1 });
  });

  it.each([
    ['raised', values(95, 60)],
    ['left without max', values(null, 60)],
    ['left without delay', values(10, 0)],
  ])('is noted when nothing is pending and the queue is %s', (_case, current) => {
    const clock = new Scenario(values(90, 60));
    expect(clock.change(0, current)).toEqual([
      { name: 'QuotaNoted', data: { partition: 'default', queue: 'root.a', current } },
    ]);
    expect(clock.state.values).toEqual(current);
  });

  it('to the same values lets the clock run on', () => {
    const clock = lowered();
    expect(clock.change(30, values(30, 60))).toEqual([]);
    expect(clock.due).toBe(60);
  });

  it('judges by the values just before, not by older ones', () => {
    const clock = lowered();
    clock.change(30, values(45, 60));
    expect(clock.due).toBeNull();
    clock.change(40, values(44, 60));
    expect(clock.due).toBe(100);
  });

  it('gives each clock a generation of its own, also after one was called off', () => {
    const clock = lowered();
    clock.change(30, values(45, 60));
    clock.change(40, values(44, 60));
    expect(clock.state.pending).toMatchObject({ generation: 2, enforcement: 'e3' });
  });

  it('never sets a due time after the year 9999', () => {
    const clock = new Scenario(values(90, 60));
    clock.change(0, { max: { memory: 30 }, delayMs: Number.MAX_SAFE_INTEGER });
    expect(clock.state.pending?.dueAt).toBe('9999-12-31T23:59:59.999Z');
  });
});

describe('keep-earliest', () => {
  const policy = { timerPolicy: 'keep-earliest' as const };

  it('keeps an earlier due time, with its generation, and the new values', () => {
    const clock = lowered();
    expect(summarize(clock.change(30, values(20, 60), policy))).toEqual(['QuotaNoted']);
    expect(summarize(clock.change(40, values(20, 90), policy))).toEqual(['QuotaNoted']);
    expect(clock.state).toMatchObject({ values: values(20, 90), generation: 1 });
    expect(clock.due).toBe(60);
  });

  it('takes the new due time when that is earlier', () => {
    const clock = lowered();
    clock.change(30, values(30, 10), policy);
    expect(clock.due).toBe(40);
    clock.change(32, values(20, 5), policy);
    expect(clock.due).toBe(37);
  });

  it('starts and calls off like restart', () => {
    const clock = new Scenario(values(90, 60));
    clock.change(0, values(30, 60), policy);
    expect(clock.due).toBe(60);
    clock.change(30, values(45, 60), policy);
    expect(clock.due).toBeNull();
  });
});

describe('shift', () => {
  const policy = { timerPolicy: 'shift' as const };

  it('moves the due time by the difference of the delays', () => {
    const clock = new Scenario(values(90, 60));
    clock.change(0, values(30, 60), policy);
    expect(clock.due).toBe(60);
    expect(summarize(clock.change(30, values(30, 120), policy))).toEqual([
      'EnforcementRescheduled delay-changed',
    ]);
    expect(clock.due).toBe(120);
    clock.change(40, values(30, 20), policy);
    expect(clock.due).toBe(20);
  });

  it('keeps due time and generation when only the max changes', () => {
    const clock = lowered();
    expect(summarize(clock.change(30, values(20, 60), policy))).toEqual(['QuotaNoted']);
    expect(clock.state).toMatchObject({ generation: 1, values: values(20, 60) });
    expect(clock.due).toBe(60);
  });

  it('calls off when the usage is within', () => {
    const clock = lowered();
    const events = clock.change(30, values(20, 60), { ...policy, usage: { memory: 20 } });
    expect(summarize(events)).toEqual(['EnforcementCancelled within-quota']);
  });

  it('restarts where the due time of a delay was cut at the year 9999', () => {
    const clock = new Scenario(values(90, 60));
    clock.change(0, { max: { memory: 30 }, delayMs: Number.MAX_SAFE_INTEGER }, policy);
    clock.change(30, values(30, 60), policy);
    expect(clock.due).toBe(90);
  });
});

describe('an allocation that is forced in or resized', () => {
  it.each(['allocation-forced', 'allocation-resized'] as const)('starts the clock under shift: %s', (how) => {
    const clock = new Scenario(values(30, 60));
    expect(summarize(clock.exceed(5, 31, { how }))).toEqual([`EnforcementScheduled ${how}`]);
    expect(clock.due).toBe(65);
  });

  it('starts nothing at the quota', () => {
    expect(new Scenario(values(30, 60)).exceed(5, 30)).toEqual([]);
  });

  it('starts nothing without delay or max', () => {
    expect(new Scenario(values(30, 0)).exceed(5, 80)).toEqual([]);
    expect(new Scenario(values(null, 60)).exceed(5, 80)).toEqual([]);
  });

  it('starts nothing while something is pending or running', () => {
    const clock = lowered();
    expect(clock.exceed(30, 99)).toEqual([]);
    expect(clock.due).toBe(60);
    expect(running().exceed(70, 99)).toEqual([]);
  });

  it.each(['restart', 'keep-earliest'] as const)('starts nothing under %s', (timerPolicy) => {
    expect(new Scenario(values(30, 60)).exceed(5, 80, { timerPolicy })).toEqual([]);
  });

  it('starts nothing in a dynamic queue', () => {
    expect(new Scenario(values(30, 60)).exceed(5, 80, { dynamic: true })).toEqual([]);
  });
});

describe('a check', () => {
  it('starts the run at the due time, with the values in force', () => {
    const clock = lowered();
    expect(clock.check(60, 80)).toEqual([
      {
        name: 'EnforcementStarted',
        data: {
          partition: 'default',
          queue: 'root.a',
          enforcement: 'e1',
          generation: 1,
          fencingToken: 7,
          dueAt: atSecond(60),
          startedAt: atSecond(60),
          lateMs: 0,
          values: values(30, 60),
          notices: [],
        },
      },
    ]);
    expect(clock.state.pending).toBeUndefined();
    expect(clock.state.running).toMatchObject({
      enforcement: 'e1',
      fencingToken: 7,
      firedWith: values(30, 60),
    });
  });

  it('never starts early, not by a millisecond', () => {
    const clock = lowered();
    expect(clock.check(59.999, 80)).toEqual([]);
    expect(summarize(clock.check(60, 80))).toEqual(['EnforcementStarted']);
  });

  it('is ignored when its wake-up is for an older due time', () => {
    const clock = lowered();
    clock.change(30, values(20, 60));
    expect(clock.check(95, 80, { generation: 1 })).toEqual([]);
    expect(summarize(clock.check(95, 80, { generation: 2 }))).toEqual(['EnforcementStarted']);
  });

  it('records nothing when no run is pending, or the queue has a run', () => {
    expect(new Scenario(values(30, 60)).check(60, 80)).toEqual([]);
    expect(running().check(61, 80)).toEqual([]);
  });

  it('calls off what is not needed', () => {
    const clock = lowered();
    expect(summarize(clock.check(60, 30))).toEqual(['EnforcementCancelled not-needed']);
    expect(clock.state).toMatchObject({ pending: undefined, values: values(30, 60) });
    expect(clock.check(61, 80)).toEqual([]);
  });

  it('takes off what is in flight', () => {
    expect(summarize(lowered().check(60, 80, { inFlight: { memory: 50 } }))).toEqual([
      'EnforcementCancelled not-needed',
    ]);
    expect(summarize(lowered().check(60, 80, { inFlight: { memory: 49 } }))).toEqual(['EnforcementStarted']);
  });

  it('sees only types of the max, and a max of 0', () => {
    const clock = new Scenario();
    clock.change(0, values({ memory: 30, vcore: 0 }, 60));
    expect(summarize(clock.check(60, 30, { usage: { memory: 30, gpu: 8 } }))).toEqual([
      'EnforcementCancelled not-needed',
    ]);
    clock.change(70, values({ memory: 20, vcore: 0 }, 60));
    expect(summarize(clock.check(130, 0, { usage: { vcore: 1 } }))).toEqual(['EnforcementStarted']);
  });

  it('waits while an ancestor runs, and starts when that ended', () => {
    const clock = lowered();
    expect(clock.check(60, 80, { ancestorRuns: true })).toEqual([]);
    expect(clock.due).toBe(60);
    expect(summarize(clock.check(60.5, 80))).toEqual(['EnforcementStarted']);
  });

  it('does not find out that nothing is needed while an ancestor runs', () => {
    const clock = lowered();
    expect(clock.check(60, 10, { ancestorRuns: true })).toEqual([]);
    expect(clock.due).toBe(60);
  });

  it('reports the delay of a start that is more than one second late', () => {
    const onTime = lowered().check(61, 80);
    expect(noticeCodes(onTime)).toEqual([]);
    expect(only(onTime).data).toMatchObject({ lateMs: 1000 });
    const late = only(lowered().check(61.001, 80));
    expect(late.data).toMatchObject({
      lateMs: 1001,
      notices: [{ code: 'fired-late', message: expect.stringContaining('1.001 s late') }],
    });
  });
});

describe('a run', () => {
  it('keeps a change from the clock, with one notice for each change', () => {
    const clock = running();
    const event = only(clock.change(61, values(20, 60)));
    expect(event).toMatchObject({
      name: 'EnforcementSkipped',
      data: {
        cause: 'running',
        enforcement: 'e1',
        current: values(20, 60),
        notices: [{ code: 'change-skipped' }],
      },
    });
    expect(clock.state).toMatchObject({ values: values(20, 60), pending: undefined });
    expect(clock.state.running).toMatchObject({ changeSkipped: true, firedWith: values(30, 60) });
    expect(noticeCodes(clock.change(62, values(10, 60)))).toEqual(['change-skipped']);
    expect(clock.change(63, values(10, 60))).toEqual([]);
  });

  it.each([
    ['raised', (clock: Scenario) => clock.change(61, values(90, 60))],
    ['left without delay', (clock: Scenario) => clock.change(61, values(30, 0))],
    ['removed', (clock: Scenario) => clock.removeQueue(61)],
    ['switched off', (clock: Scenario) => clock.turnSwitch(61, false)],
    ['switched on', (clock: Scenario) => clock.turnSwitch(61, true)],
    ['found by a restart', (clock: Scenario) => clock.restart(61, { onRestart: 'restart' })],
  ])('continues when the queue is %s', (_case, happens) => {
    const clock = running();
    happens(clock);
    expect(clock.state.running?.enforcement).toBe('e1');
    expect(clock.state.pending).toBeUndefined();
  });

  it('gives the lock back when it ends, and nothing follows', () => {
    const clock = running();
    expect(clock.endRun(65, 80)).toEqual([
      {
        name: 'EnforcementReleased',
        data: { partition: 'default', queue: 'root.a', enforcement: 'e1', cause: 'ended', notices: [] },
      },
    ]);
    expect(clock.state).toMatchObject({ running: undefined, pending: undefined });
  });

  it('is over only once, and only by its own end', () => {
    const clock = running();
    expect(clock.endRun(65, 80, { enforcement: 'e0' })).toEqual([]);
    expect(clock.state.running).toBeDefined();
    clock.endRun(65, 80);
    expect(clock.endRun(66, 80, { enforcement: 'e1' })).toEqual([]);
  });

  it('is over when its lease ended, and another one is due at once while the queue is above its quota', () => {
    const clock = running();
    const events = clock.endRun(200, 80, { cause: 'lease-ended' });
    expect(summarize(events)).toEqual([
      'EnforcementReleased lease-ended',
      'EnforcementScheduled lease-ended',
    ]);
    expect(noticeCodes(events)).toEqual(['lease-ended', 'lease-ended']);
    expect(clock.due).toBe(200);
    expect(clock.endRun(210, 80, { enforcement: 'e1' })).toEqual([]);
    expect(summarize(clock.check(210, 80))).toEqual(['EnforcementStarted']);
  });

  it.each([
    ['the queue is within its quota', 20, {}],
    ['what is leaving brings it there', 80, { inFlight: { memory: 60 } }],
  ])('is over for good when its lease ended and %s', (_case, memory, more) => {
    const clock = running();
    expect(summarize(clock.endRun(200, memory, { cause: 'lease-ended', ...more }))).toEqual([
      'EnforcementReleased lease-ended',
    ]);
    expect(clock.due).toBeNull();
  });
});

describe('the end of a run with skipped changes', () => {
  const skipped = (...changes: ReturnType<typeof values>[]) => {
    const clock = running();
    changes.forEach((current, i) => {
      clock.change(61 + i, current);
    });
    return clock;
  };

  it('sets a full delay from the end when the quota was lowered again and is exceeded', () => {
    const clock = skipped(values(20, 60));
    const events = clock.endRun(100, 30);
    expect(summarize(events)).toEqual(['EnforcementReleased ended', 'EnforcementScheduled after-run']);
    expect(noticeCodes(events)).toEqual(['rescheduled']);
    expect(events[1]?.data).toMatchObject({
      previous: values(30, 60),
      current: values(20, 60),
      generation: 2,
    });
    expect(clock.due).toBe(160);
    expect(clock.state.pending?.enforcement).not.toBe('e1');
  });

  it('does so for a changed delay as well, with the new one', () => {
    const clock = skipped(values(30, 10));
    clock.endRun(100, 31);
    expect(clock.due).toBe(110);
  });

  it.each([
    ['usage is within the quota', values(20, 60), 20, {}],
    ['usage without what is in flight is within the quota', values(20, 60), 30, { inFlight: { memory: 10 } }],
    ['the setting is ignore', values(20, 60), 80, { afterRun: 'ignore' as const }],
    ['the quota was raised', values(40, 60), 80, {}],
    ['the delay is 0', values(20, 0), 80, {}],
    ['the max is gone', values(null, 60), 80, {}],
  ])('leads to nothing when %s', (_case, change, memory, more) => {
    const clock = skipped(change);
    expect(summarize(clock.endRun(100, memory, more))).toEqual(['EnforcementReleased ended']);
    expect(clock.due).toBeNull();
  });

  it('judges all of them as one, from what the run fired with', () => {
    const back = skipped(values(20, 60), values(30, 60));
    expect(summarize(back.endRun(100, 80))).toEqual(['EnforcementReleased ended']);
    const up = skipped(values(20, 60), values(40, 60));
    expect(summarize(up.endRun(100, 80))).toEqual(['EnforcementReleased ended']);
    const down = skipped(values(90, 60), values(29, 60));
    down.endRun(100, 80);
    expect(down.due).toBe(160);
  });

  it('goes by the table under every timer policy', () => {
    for (const timerPolicy of ['restart', 'keep-earliest', 'shift'] as const) {
      const clock = running();
      clock.change(61, values({ memory: 40, vcore: 1 }, 60), { timerPolicy });
      clock.endRun(100, 80);
      expect(clock.due).toBe(160);
    }
  });

  it('counts when a lease ended, by the values in force by then', () => {
    const clock = skipped(values(20, 60));
    clock.endRun(100, 80, { cause: 'lease-ended' });
    expect(clock.due).toBe(100);
    const raised = skipped(values(90, 60));
    raised.endRun(100, 80, { cause: 'lease-ended' });
    expect(raised.due).toBeNull();
    const off = skipped(values(20, 0));
    off.endRun(100, 80, { cause: 'lease-ended' });
    expect(off.due).toBeNull();
  });

  it('forgets them afterwards', () => {
    const clock = skipped(values(20, 60));
    clock.endRun(100, 80);
    clock.check(160, 80);
    expect(summarize(clock.endRun(200, 80))).toEqual(['EnforcementReleased ended']);
  });
});

describe('the switch', () => {
  it('turned on before a clock was set, but received after that, does not change it', () => {
    const clock = lowered();
    expect(clock.turnSwitch(-30, true)).toEqual([]);
    expect(clock.due).toBe(60);
    // A clock that started earlier restarts.
    expect(summarize(clock.turnSwitch(30, true))).toEqual(['EnforcementRescheduled switched-on']);
    expect(clock.due).toBe(90);
  });

  it('turned off suspends a pending clock, recorded once', () => {
    const clock = lowered();
    const events = clock.turnSwitch(10, false);
    expect(summarize(events)).toEqual(['EnforcementSkipped suspended']);
    expect(noticeCodes(events)).toEqual(['suspended']);
    expect(clock.turnSwitch(11, false)).toEqual([]);
    expect(clock.check(61, 80, { enabled: false })).toEqual([]);
    expect(clock.due).toBe(60);
    expect(clock.state.pending?.suspended).toBe(true);
  });

  it('found off by a check is recorded', () => {
    const clock = lowered();
    expect(summarize(clock.check(60, 80, { enabled: false }))).toEqual(['EnforcementSkipped suspended']);
    expect(clock.check(61, 80, { enabled: false })).toEqual([]);
  });

  it('goes before an ancestor that runs and before a target that is empty', () => {
    const clock = lowered();
    clock.check(60, 10, { enabled: false, ancestorRuns: true });
    expect(clock.state.pending?.suspended).toBe(true);
  });

  it('turned on sets a full delay from then, so that nothing fires at once', () => {
    const clock = lowered();
    clock.turnSwitch(10, false);
    expect(summarize(clock.turnSwitch(100, true))).toEqual(['EnforcementRescheduled switched-on']);
    expect(clock.due).toBe(160);
    expect(clock.state.pending).toMatchObject({ suspended: false, generation: 2, enforcement: 'e1' });
    expect(clock.check(100, 80, { generation: 2 })).toEqual([]);
  });

  it('turned on does nothing where nothing is pending', () => {
    expect(new Scenario(values(30, 60)).turnSwitch(0, true)).toEqual([]);
  });

  it('off does not change how saves are judged', () => {
    const clock = new Scenario(values(90, 60));
    expect(summarize(clock.change(0, values(30, 60), { enabled: false }))).toEqual([
      'EnforcementScheduled quota-lowered',
      'EnforcementSkipped suspended',
    ]);
    expect(clock.due).toBe(60);
    expect(summarize(clock.change(30, values(20, 60), { enabled: false }))).toEqual([
      'EnforcementRescheduled quota-lowered',
      'EnforcementSkipped suspended',
    ]);
    expect(summarize(clock.change(40, values(45, 60), { enabled: false }))).toEqual([
      'EnforcementCancelled quota-raised',
    ]);
  });
});

describe('a restart', () => {
  it('keeps the due time, and records nothing', () => {
    const clock = lowered();
    expect(clock.restart(40)).toEqual([]);
    expect(clock.restart(40, { found: values(30, 60) })).toEqual([]);
    expect(clock.due).toBe(60);
  });

  it('fires an overdue clock at the next check, once, and reports how late', () => {
    const clock = lowered();
    clock.restart(100);
    expect(noticeCodes(clock.check(100, 80))).toEqual(['fired-late']);
    expect(clock.check(100, 80)).toEqual([]);
  });

  it('judges a configuration that changed meanwhile as a save at the start', () => {
    const clock = lowered();
    expect(summarize(clock.restart(40, { found: values(20, 60) }))).toEqual([
      'EnforcementRescheduled quota-lowered',
    ]);
    expect(clock.due).toBe(100);
    expect(summarize(clock.restart(50, { found: values(25, 60) }))).toEqual([
      'EnforcementCancelled quota-raised',
    ]);
  });

  it('sets a full delay from the start where the setting is restart', () => {
    const clock = lowered();
    expect(summarize(clock.restart(40, { onRestart: 'restart' }))).toEqual([
      'EnforcementRescheduled restarted',
    ]);
    expect(clock.due).toBe(100);
    expect(clock.state.generation).toBe(2);
  });

  it('does so with the delay that it finds, once', () => {
    const clock = lowered();
    const events = clock.restart(40, { onRestart: 'restart', found: values(30, 10) });
    expect(summarize(events)).toEqual(['EnforcementRescheduled delay-changed']);
    expect(clock.due).toBe(50);
  });

  it('does so also where another timer policy would keep an earlier time', () => {
    const clock = lowered();
    clock.restart(40, { onRestart: 'restart', timerPolicy: 'keep-earliest', found: values(20, 60) });
    expect(clock.due).toBe(100);
    const shifted = lowered();
    shifted.restart(40, { onRestart: 'restart', timerPolicy: 'shift', found: values(30, 70) });
    expect(shifted.due).toBe(110);
  });

  it('starts no clock where none was pending', () => {
    expect(new Scenario(values(30, 60)).restart(40, { onRestart: 'restart' })).toEqual([]);
  });

  it('records a suspended clock as such again', () => {
    const clock = lowered();
    expect(summarize(clock.restart(40, { onRestart: 'restart', enabled: false }))).toEqual([
      'EnforcementRescheduled restarted',
      'EnforcementSkipped suspended',
    ]);
  });

  it('keeps a run and the changes that it skipped', () => {
    const clock = running();
    clock.change(61, values(20, 60));
    clock.restart(70, { onRestart: 'restart', found: values(10, 60) });
    expect(clock.state.running).toMatchObject({ enforcement: 'e1', changeSkipped: true });
    clock.endRun(100, 80);
    expect(clock.due).toBe(160);
  });
});

describe('a queue', () => {
  it('that leaves the configuration counts as without max', () => {
    const clock = lowered();
    expect(summarize(clock.removeQueue(30))).toEqual(['EnforcementCancelled queue-removed']);
    expect(clock.state.values).toEqual({ max: null, delayMs: 0 });
    expect(summarize(clock.removeQueue(31))).toEqual([]);
    clock.change(40, values(95, 60));
    expect(clock.due).toBe(100);
  });

  it('that leaves during a run has nothing pending after it', () => {
    const clock = running();
    expect(noticeCodes(clock.removeQueue(61))).toEqual(['change-skipped']);
    expect(summarize(clock.endRun(70, 80))).toEqual(['EnforcementReleased ended']);
  });

  it('that is dynamic has no clock', () => {
    const clock = new Scenario(values(90, 60));
    expect(summarize(clock.change(0, values(30, 60), { dynamic: true }))).toEqual([
      'EnforcementSkipped dynamic',
    ]);
    expect(clock.due).toBeNull();
    expect(clock.state.values).toEqual(values(30, 60));
    expect(clock.change(1, values(30, 60), { dynamic: true })).toEqual([]);
  });

  it('that has become dynamic loses its clock', () => {
    expect(summarize(lowered().check(60, 80, { dynamic: true }))).toEqual(['EnforcementCancelled dynamic']);
    expect(summarize(lowered().change(30, values(20, 60), { dynamic: true }))).toEqual([
      'EnforcementCancelled dynamic',
    ]);
  });

  it('that was dynamic and enters the configuration is judged from the values it had', () => {
    const raised = new Scenario();
    expect(summarize(raised.change(0, values(95, 60), { previous: values(90, 60) }))).toEqual(['QuotaNoted']);
    const loweredThere = new Scenario();
    loweredThere.change(0, values(30, 60), { previous: values(90, 60) });
    expect(loweredThere.due).toBe(60);
  });
});

describe('an operator', () => {
  it('calls a pending run off by its id', () => {
    const clock = lowered();
    expect(clock.cancel(10, { enforcement: 'e9' })).toEqual([]);
    const event = only(clock.cancel(10));
    expect(event).toMatchObject({ name: 'EnforcementCancelled', data: { cause: 'operator', by: 'ann' } });
    expect(clock.state).toMatchObject({ pending: undefined, values: values(30, 60) });
  });

  it('does not stop a run here', () => {
    expect(running().cancel(61, { enforcement: 'e1' })).toEqual([]);
  });
});

describe('a request of a run', () => {
  const atRest = () => new Scenario(values(30, 60));

  it('starts the clock with the delay of the queue, or without it', () => {
    const scheduled = (atOnce: boolean) => only(atRest().request(10, 80, { atOnce }));
    expect(scheduled(false)).toMatchObject({
      name: 'EnforcementScheduled',
      data: { dueAt: atSecond(70), cause: 'requested', current: values(30, 60) },
    });
    expect(scheduled(true)).toMatchObject({ data: { dueAt: atSecond(10) } });
  });

  it('starts it after an operator cancelled or rejected the last run, and after one that freed too little', () => {
    for (const outcome of ['cancelled', 'rejected', 'best-effort', 'impossible', 'deadline'] as const) {
      const clock = running();
      clock.endRun(70, 80, { outcome, shortfall: { memory: 50 } });
      expect(only(clock.request(80, 80))).toMatchObject({ name: 'EnforcementScheduled' });
    }
  });

  it('brings a pending clock forward, and never puts it off', () => {
    const clock = lowered();
    expect(clock.request(10, 80)).toEqual([]);
    expect(only(clock.request(10, 80, { atOnce: true }))).toMatchObject({
      name: 'EnforcementRescheduled',
      data: { dueAt: atSecond(10), previousDueAt: atSecond(60), cause: 'requested' },
    });
    expect(only(clock.check(10, 80))).toMatchObject({ name: 'EnforcementStarted' });
  });

  it('has no effect within the quota, during a run, and without a delay', () => {
    expect(atRest().request(10, 30)).toEqual([]);
    expect(running().request(70, 80, { atOnce: true })).toEqual([]);
    expect(new Scenario(values(30, 0)).request(10, 80)).toEqual([]);
  });

  it('is suspended while a stop holds the queue', () => {
    const stop = { queue: null, by: 'ann' };
    expect(
      atRest()
        .request(10, 80, { stop })
        .map(({ name }) => name),
    ).toEqual(['EnforcementScheduled', 'EnforcementSkipped']);
  });
});
