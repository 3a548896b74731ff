import { expect, it } from '@jest/globals';
import { atSecond, noticeCodes, Scenario, summarize, values } from '../../testing/clock-scenario.js';

const frozen = (until: number) => ({
  until: atSecond(until),
  freeze: { queue: 'root', by: 'ann', reason: 'release', frozenUntil: atSecond(until) },
});

/** Lowered at 0 with a delay of 60 s. */
function lowered(): Scenario {
  const clock = new Scenario(values(100, 60));
  clock.change(0, values(50, 60));
  return clock;
}

it('puts a clock that falls due in a freeze off to its end, says why, and starts the same run then', () => {
  const clock = lowered();
  const { enforcement } = clock.state.pending!;
  expect(clock.check(59, 80, { frozen: frozen(500) })).toEqual([]);
  const events = clock.check(60, 80, { frozen: frozen(500) });
  expect(summarize(events)).toEqual(['EnforcementRescheduled frozen']);
  expect(noticeCodes(events)).toEqual(['frozen']);
  expect(JSON.stringify(events)).toContain(
    `the enforcement due at ${atSecond(60)} waits until ${atSecond(500)}: User ann froze root until ${atSecond(500)} (release).`,
  );
  expect(clock.due).toBe(500);
  expect(clock.check(499, 80)).toEqual([]);
  const [started] = clock.check(500, 80);
  expect(started).toMatchObject({
    name: 'EnforcementStarted',
    data: { enforcement, dueAt: atSecond(500), lateMs: 0, notices: [] },
  });
});

it('puts it off again where the freeze was extended', () => {
  const clock = lowered();
  clock.check(60, 80, { frozen: frozen(500) });
  expect(summarize(clock.check(500, 80, { frozen: frozen(900) }))).toEqual(['EnforcementRescheduled frozen']);
  expect(clock.due).toBe(900);
});

it('a frozen clock is due at once when the freeze is cleared, or at the end of one that remains', () => {
  const clock = lowered();
  clock.check(60, 80, { frozen: frozen(500) });
  expect(summarize(clock.reviewFreeze(100, frozen(300)))).toEqual(['EnforcementRescheduled frozen']);
  expect(clock.due).toBe(300);
  expect(clock.reviewFreeze(101, frozen(900))).toEqual([]);
  expect(summarize(clock.reviewFreeze(110))).toEqual(['EnforcementRescheduled unfrozen']);
  expect(clock.due).toBe(110);
  expect(clock.reviewFreeze(111)).toEqual([]);
});

it('a frozen clock is never due before its delay is served, whatever the time of the event that clears the freeze', () => {
  const clock = lowered();
  clock.check(60, 80, { frozen: frozen(500) });
  clock.check(500, 80, { frozen: frozen(900) });
  clock.reviewFreeze(30);
  expect(clock.due).toBe(60);
});

it('the end of a freeze leaves a clock alone whose delay runs, that is suspended, or that was set again since', () => {
  const running = lowered();
  expect(running.reviewFreeze(10)).toEqual([]);
  const suspended = lowered();
  suspended.check(60, 80, { frozen: frozen(500) });
  suspended.turnSwitch(70, false);
  expect(suspended.reviewFreeze(80)).toEqual([]);
  const again = lowered();
  again.check(60, 80, { frozen: frozen(500) });
  again.change(100, values(40, 60));
  expect(again.due).toBe(160);
  expect(again.reviewFreeze(110)).toEqual([]);
});

it('yields to a stop, and still cancels the clock of a queue whose quota was raised', () => {
  const stop = { queue: 'root.a', by: 'bob' };
  expect(summarize(lowered().check(60, 80, { stop, frozen: frozen(500) }))).toEqual([
    'EnforcementSkipped suspended',
  ]);
  const raised = lowered();
  raised.check(60, 80, { frozen: frozen(500) });
  expect(summarize(raised.change(100, values(90, 60)))).toEqual(['EnforcementCancelled quota-raised']);
});
