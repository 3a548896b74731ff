import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StarvationState } from '#contracts';
import { addMs, toMs } from '../instants.js';
import { observe, type StarvationClock } from './starvation-clock.js';

const start = '2026-11-21T10:00:00.000Z';

const observation = fc.record({
  afterMs: fc.integer({ min: 0, max: 40_000 }),
  below: fc.boolean(),
  gone: fc.boolean(),
  timeout: fc.constantFrom(0, 10_000, 30_000),
  aggressiveTimeout: fc.constantFrom(null, 30_000, 60_000),
});

describe('a starvation clock under random observations', () => {
  it('enters a state only after its time, sets a timer exactly for the next one, and records every change', () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 12 }), (observations) => {
        let clocks: StarvationClock[] = [];
        let recorded: StarvationState = 'non_starving';
        let timer: string | null = null;
        let at = start;
        observations.forEach(({ afterMs, below, gone, timeout, aggressiveTimeout }, i) => {
          at = addMs(at, afterMs);
          const status = below ? ('below_fair_share' as const) : ('normal' as const);
          const element = {
            kind: 'operation',
            name: 'x',
            queue: 'root',
            status,
            timeout,
            aggressiveTimeout,
          } as const;
          const elements = gone ? [] : [element];
          const watched = { partition: 'p', at, elements, nodes: [], overcommitMs: 0, generation: i + 1 };
          const observed = observe(clocks, watched);
          clocks = observed.clocks;
          const clock = clocks[0];
          expect(clock !== undefined).toBe(below && !gone);
          const elapsed = clock === undefined ? 0 : toMs(at) - toMs(clock.since);
          for (const { name, data } of observed.events) {
            if (name === 'StarvationChanged') {
              const needed =
                data.to === 'starving' ? timeout : (aggressiveTimeout ?? Number.POSITIVE_INFINITY);
              if (data.to !== 'non_starving') expect(elapsed).toBeGreaterThan(needed);
              recorded = data.to;
            }
            if (name === 'TimerStarted' || name === 'TimerRestarted') timer = data.dueAt;
            if (name === 'TimerCancelled') timer = null;
          }
          expect(recorded).toBe(clock?.starvation ?? 'non_starving');
          const next = [timeout, aggressiveTimeout ?? Number.POSITIVE_INFINITY].filter(
            (ms) => ms + 1 > elapsed,
          );
          const due = Math.min(...next, Number.POSITIVE_INFINITY) + 1;
          const waits = timer !== null && toMs(timer) > toMs(at) ? toMs(timer) : null;
          const isDue = clock !== undefined && due < Number.POSITIVE_INFINITY;
          expect(waits).toBe(isDue ? toMs(clock.since) + due : null);
        });
      }),
      { numRuns: 200 },
    );
  });
});
