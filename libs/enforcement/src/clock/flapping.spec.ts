import { describe, expect, it } from '@jest/globals';
import type { DomainEvent, Flapping, TimerPolicy } from '#contracts';
import { atSecond, noticeCodes, Scenario, summarize, values } from '../../testing/clock-scenario.js';
import { turnsAfter } from './flapping.js';
import { evolveClock } from './state.js';

const flapping: Flapping = { turns: 2, windowSeconds: 1000, stableSeconds: 0 };
const keep = { timerPolicy: 'keep-earliest', flapping } as const;

/** Max 100, then 50, 90, 40, 80, 30 …, each of them for as long as `everySeconds`; a type without a limit keeps the clock. */
function upAndDown(
  clock: Scenario,
  changes: number,
  everySeconds: number,
  timerPolicy: TimerPolicy = 'shift',
) {
  const log: DomainEvent[] = [];
  for (let i = 0; i < changes; i++) {
    const memory = i % 2 === 0 ? 50 - i : 70 + i;
    log.push(...clock.change(i * everySeconds, values(memory, 60), { timerPolicy, flapping }));
  }
  return log;
}

describe('turns', () => {
  const change = (from: Parameters<typeof values>[0], to: Parameters<typeof values>[0], at = 0) => ({
    at: atSecond(at),
    previous: values(from, 60),
    current: values(to, 60),
    flapping,
  });
  const turnsOf = (...maxima: Parameters<typeof values>[0][]) =>
    maxima
      .slice(1)
      .reduce<ReturnType<typeof turnsAfter>>(
        (turns, max, i) => turnsAfter(change(maxima[i] ?? null, max, i * 10), turns),
        undefined,
      );

  it('are changes against the direction of the last change of a type, and no others', () => {
    expect(turnsOf(100, 90, 80, 70)?.at).toEqual([]);
    expect(turnsOf(100, 50, 100)?.at).toEqual([atSecond(10)]);
    expect(turnsOf(100, 50, 100, 50)?.at).toEqual([atSecond(10), atSecond(20)]);
    expect(
      turnsOf({ memory: 10, vcore: 10 }, { memory: 5, vcore: 10 }, { memory: 5, vcore: 20 })?.at,
    ).toEqual([]);
    expect(
      turnsOf(
        { memory: 10, vcore: 10 },
        { memory: 5, vcore: 10 },
        { memory: 4, vcore: 20 },
        { memory: 3, vcore: 10 },
      )?.at,
    ).toEqual([atSecond(20)]);
  });

  it('count a limit that is removed as up, and one that is set as down', () => {
    expect(turnsOf(null, 50, null, 50)?.at).toEqual([atSecond(10), atSecond(20)]);
  });

  it('of a share of the cluster are compared as shares, whatever it comes to', () => {
    const share = (maxShare: string, memory: number) => ({ max: { memory }, maxShare, delayMs: 60_000 });
    const first = turnsAfter(
      { at: atSecond(0), previous: share('1/2', 50), current: share('1/4', 25), flapping },
      undefined,
    );
    const same = { at: atSecond(1), previous: share('1/4', 25), current: share('1/4', 60), flapping };
    expect(turnsAfter(same, first)).toBe(first);
    const up = { at: atSecond(2), previous: share('1/4', 60), current: share('1/3', 40), flapping };
    expect(turnsAfter(up, first)?.at).toEqual([atSecond(2)]);
  });

  it('leave the window, and only as many are kept as are needed', () => {
    const many = turnsOf(100, 50, 100, 50, 100, 50, 100);
    expect(many?.at).toEqual([atSecond(30), atSecond(40), atSecond(50)]);
    expect(many?.flappingSince).toBe(atSecond(30));
    const later = turnsAfter(change(100, 50, 1030), many);
    expect(later?.at).toEqual([atSecond(40), atSecond(50), atSecond(1030)]);
    const muchLater = turnsAfter(change(100, 50, 2000), many);
    expect(muchLater).toMatchObject({ at: [atSecond(2000)] });
    expect(muchLater).not.toHaveProperty('flappingSince');
  });
});

describe('a clock whose max is flapping', () => {
  it('waits until max has stayed the same for the delay, and is reported once', () => {
    const clock = new Scenario(values(100, 60));
    const log = upAndDown(clock, 6, 10);
    expect(noticeCodes(log)).toEqual(['flapping']);
    const [reported] = log.flatMap(({ data }) => ('notices' in data ? data.notices : []));
    expect(reported!.message).toBe(
      `root.a: its max has changed direction more than 2 times since ${atSecond(10)}; no run starts until it has stayed the same for 60 s. An enforcement is due at ${atSecond(90)}.`,
    );
    expect(clock.due).toBe(110);
    expect(clock.state.pending?.flapping).toEqual({ dueAt: atSecond(60) });
    expect(clock.check(109, 80)).toEqual([]);
    expect(summarize(clock.check(110, 80))).toEqual(['EnforcementStarted']);
  });

  it('waits as long as stableSeconds says, if that is longer than the delay', () => {
    const clock = new Scenario(values(100, 60));
    const longer = { ...flapping, stableSeconds: 600 };
    for (const [i, memory] of [50, 90, 50, 90, 50].entries())
      clock.change(i * 100, values(memory, 60), { flapping: longer });
    expect(clock.due).toBe(1000);
    expect(clock.state.pending?.flapping).toEqual({ dueAt: atSecond(460) });
  });

  it('is put off by each further change, also by one that its timer policy ignores', () => {
    const clock = new Scenario(values({ memory: 100, vcore: 100 }, 60));
    const change = (at: number, memory: number, vcore: number) =>
      clock.change(at, values({ memory, vcore }, 60), { timerPolicy: 'shift', flapping });
    change(0, 50, 100);
    change(1, 60, 100);
    change(2, 50, 100);
    expect(clock.due).toBe(60);
    change(3, 60, 90);
    expect(clock.due).toBe(63);
    expect(clock.state.pending?.flapping).toEqual({ dueAt: atSecond(60) });
  });

  it('never waits with the setting off, and forgets what was counted', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 6, 10);
    clock.change(70, values(60, 60), { timerPolicy: 'shift' });
    expect(clock.state).not.toHaveProperty('turns');
    expect(clock.due).toBe(110);
    const off = new Scenario(values(100, 60));
    for (let i = 0; i < 6; i++)
      off.change(i * 10, values(i % 2 === 0 ? 50 : 70, 60), { timerPolicy: 'shift', flapping: false });
    expect(off.due).toBe(60);
    expect(off.state).not.toHaveProperty('turns');
  });

  it('is due at its own time once its turns have left the window', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 6, 10);
    clock.check(110, 0);
    clock.change(2000, values(40, 60), keep);
    clock.change(2010, values(30, 60), keep);
    expect(clock.due).toBe(2060);
  });

  it('is reported again when it begins again', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 6, 10);
    clock.check(110, 0);
    const again = [2000, 2010, 2020, 2030].flatMap((at, i) =>
      clock.change(at, values(i % 2 === 0 ? 80 : 30, 60), { timerPolicy: 'shift', flapping }),
    );
    expect(noticeCodes(again)).toEqual(['flapping']);
  });

  it('starts at once what an operator requests', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 6, 10);
    clock.request(55, 80, { atOnce: true });
    expect(clock.due).toBe(55);
    expect(clock.state.pending).not.toHaveProperty('flapping');
  });

  it('counts the changes during a run, and puts off the run that follows a lost lease', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 1, 10);
    clock.check(60, 80);
    for (const [i, memory] of [90, 40, 80, 30].entries())
      clock.change(61 + i, values(memory, 60), { timerPolicy: 'shift', flapping });
    const events = clock.endRun(70, 80, { cause: 'lease-ended' });
    expect(noticeCodes(events)).toEqual(['lease-ended', 'lease-ended', 'flapping']);
    expect(clock.due).toBe(124);
  });

  it.each(['keep', 'restart'] as const)(
    'waits after a restart (%s) that finds another delay',
    (onRestart) => {
      const clock = new Scenario(values(100, 60));
      const longer = { ...flapping, stableSeconds: 600 };
      for (const [i, memory] of [50, 90, 50, 90, 50].entries())
        clock.change(i * 100, values(memory, 60), { flapping: longer });
      clock.restart(500, { timerPolicy: 'restart', onRestart, found: values(50, 10) });
      expect(clock.due).toBe(1000);
    },
  );

  it('survives the removal of its limit, not that of its queue', () => {
    const clock = new Scenario(values(100, 60));
    upAndDown(clock, 6, 10);
    clock.removeQueue(55);
    expect(clock.state).not.toHaveProperty('turns');
  });

  it('is the same after its events are read again', () => {
    const clock = new Scenario(values(100, 60));
    const before = clock.state;
    const log = upAndDown(clock, 6, 10);
    expect(JSON.parse(JSON.stringify(log)).reduce(evolveClock, before)).toEqual(clock.state);
  });
});
