import { describe, expect, it } from '@jest/globals';
import { noticeCodes, Scenario, summarize, values } from '../../testing/clock-scenario.js';

const stop = { queue: 'root.a', by: 'ann', reason: 'maintenance' };

/** Lowered at 0 with a delay of 60 s. */
function lowered(): Scenario {
  const clock = new Scenario(values(100, 60));
  clock.change(0, values(50, 60));
  return clock;
}

describe('a kill switch holds the clock as the switch of the partition does', () => {
  it('suspends a clock that falls due under it, and names the operator', () => {
    const clock = lowered();
    const events = clock.check(60, 80, { stop });
    expect(summarize(events)).toEqual(['EnforcementSkipped suspended']);
    expect(events[0]?.data).toMatchObject({
      notices: [
        {
          code: 'suspended',
          message: expect.stringContaining('User ann stopped evictions in root.a (maintenance).'),
        },
      ],
    });
    expect(clock.check(61, 80, { stop })).toEqual([]);
  });

  it('suspends what is pending when it is set, and gives it a full delay when it is cleared', () => {
    const clock = lowered();
    expect(summarize(clock.turnSwitch(10, false, stop))).toEqual(['EnforcementSkipped suspended']);
    expect(summarize(clock.turnSwitch(500, true, stop))).toEqual(['EnforcementRescheduled resumed']);
    expect(clock.due).toBe(560);
    expect(summarize(clock.check(560, 80))).toEqual(['EnforcementStarted']);
  });

  it('suspends a clock that starts while it is set', () => {
    const clock = new Scenario(values(100, 60));
    expect(summarize(clock.change(0, values(50, 60), { stop }))).toEqual([
      'EnforcementScheduled quota-lowered',
      'EnforcementSkipped suspended',
    ]);
  });

  it('does not put off a clock that was set after it was cleared', () => {
    const clock = lowered();
    expect(clock.turnSwitch(0, true, stop)).toEqual([]);
    expect(clock.due).toBe(60);
  });
});

describe('a run that was stopped', () => {
  function stopped(more: Parameters<Scenario['endRun']>[2] = {}, usage = 80) {
    const clock = lowered();
    clock.check(60, 80);
    return { clock, events: clock.endRun(70, usage, { outcome: 'stopped', ...more }) };
  }

  it('leaves its queue a clock that is suspended until the kill switch is cleared', () => {
    const { clock, events } = stopped({ stop });
    expect(summarize(events)).toEqual([
      'EnforcementReleased ended',
      'EnforcementScheduled stopped',
      'EnforcementSkipped suspended',
    ]);
    clock.turnSwitch(100, true, stop);
    expect(clock.due).toBe(160);
  });

  it('leaves a running clock where nothing holds it any more', () => {
    const { clock, events } = stopped();
    expect(summarize(events)).toEqual(['EnforcementReleased ended', 'EnforcementScheduled stopped']);
    expect(noticeCodes(events)).toEqual(['stopped']);
    expect(clock.due).toBe(130);
  });

  it('leaves no clock to a queue that is within its quota', () => {
    expect(summarize(stopped({ stop }, 50).events)).toEqual(['EnforcementReleased ended']);
  });
});

describe('a run that came to nothing for a reason that may pass', () => {
  const retry = { forMs: 600_000 };

  it('is followed by another one, after a pause that doubles', () => {
    const clock = lowered();
    let at = 60;
    const pauses = [];
    for (let run = 0; run < 4; run++) {
      clock.check(at, 80);
      expect(summarize(clock.endRun(at, 80, { outcome: 'failed', retry }))).toEqual([
        'EnforcementReleased ended',
        'EnforcementScheduled retry',
      ]);
      pauses.push((clock.due ?? 0) - at);
      at = clock.due ?? 0;
    }
    expect(pauses).toEqual([1, 2, 4, 8]);
    expect(clock.state.pending?.failures?.count).toBe(4);
    expect(clock.check(at, 80)[0]?.data).toMatchObject({ failures: { count: 4 } });
  });

  it('is given up in the end, with a notice', () => {
    const clock = lowered();
    let at = 60;
    let events = [];
    do {
      clock.check(at, 80);
      events = clock.endRun(at, 80, { outcome: 'failed', retry });
      at = clock.due ?? 0;
    } while (clock.due !== null && at < 10_000);
    expect(clock.due).toBeNull();
    expect(noticeCodes(events)).toEqual(['retries-exhausted']);
  });

  it('is not followed by another one within the quota', () => {
    const clock = lowered();
    clock.check(60, 80);
    expect(summarize(clock.endRun(61, 50, { outcome: 'failed', retry }))).toEqual([
      'EnforcementReleased ended',
    ]);
  });

  it('counts from the beginning once the quota changes', () => {
    const clock = lowered();
    clock.check(60, 80);
    clock.endRun(61, 80, { outcome: 'failed', retry });
    clock.change(61, values(40, 60));
    expect(clock.state.pending?.failures).toBeUndefined();
  });
});
