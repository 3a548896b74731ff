import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import {
  type ObservedElement,
  type ObservedNode,
  observe,
  type StarvationClock,
} from './starvation-clock.js';

const T = Date.parse('2026-11-21T10:00:00.000Z');
const at = (seconds: number) => new Date(T + seconds * 1000).toISOString();

/** Observations in order; returns the events of each, such as `TimerStarted T+30.001`. */
class Watch {
  private clocks: StarvationClock[] = [];
  private generation = 0;

  element(seconds: number, over: Partial<ObservedElement> | null): string[] {
    const element: ObservedElement = {
      ...{ kind: 'operation', name: 'x', queue: 'root.a', status: 'below_fair_share' },
      ...{ timeout: 30_000, aggressiveTimeout: 120_000, ...over },
    };
    return this.observe(seconds, over === null ? [] : [element], []);
  }

  node(seconds: number, over: boolean): string[] {
    return this.observe(seconds, [], [{ id: 'n1', over }]);
  }

  private observe(seconds: number, elements: ObservedElement[], nodes: ObservedNode[]): string[] {
    const { clocks, events } = observe(this.clocks, {
      ...{ partition: 'p', at: at(seconds), elements, nodes },
      ...{ overcommitMs: 15_000, generation: ++this.generation },
    });
    this.clocks = clocks;
    return events.map(summary);
  }
}

function summary({ name, data }: DomainEvent): string {
  if ('dueAt' in data && data.dueAt !== null) return `${name} T+${(Date.parse(data.dueAt) - T) / 1000}`;
  return 'to' in data ? `${name} ${data.to}` : name;
}

describe('the clock of starvation', () => {
  it('goes through the example of the policy', () => {
    const watch = new Watch();
    expect(watch.element(0, {})).toEqual(['StatusChanged below_fair_share', 'TimerStarted T+30.001']);
    expect(watch.element(10, { timeout: 60_000 })).toEqual(['TimerRestarted T+60.001']);
    expect(watch.element(20, { status: 'normal' })).toEqual([
      'StatusChanged normal',
      'TimerCancelled T+60.001',
    ]);
    expect(watch.element(25, {})).toEqual(['StatusChanged below_fair_share', 'TimerStarted T+55.001']);
    expect(watch.element(55, {})).toEqual([]);
    expect(watch.element(55.001, {})).toEqual(['StarvationChanged starving', 'TimerStarted T+145.001']);
    expect(watch.element(145.001, {})).toEqual(['StarvationChanged aggressively_starving']);
    expect(watch.element(150, { status: 'normal' })).toEqual([
      'StatusChanged normal',
      'StarvationChanged non_starving',
    ]);
  });

  it('starves without a second timer where it may not starve aggressively', () => {
    const watch = new Watch();
    watch.element(0, { aggressiveTimeout: null });
    expect(watch.element(31, { aggressiveTimeout: null })).toEqual(['StarvationChanged starving']);
    expect(watch.element(500, { aggressiveTimeout: null })).toEqual([]);
    expect(watch.element(501, {})).toEqual(['StarvationChanged aggressively_starving']);
    expect(watch.element(502, { aggressiveTimeout: null })).toEqual(['StarvationChanged starving']);
  });

  it('cuts a timeout to whole milliseconds, and forgets what is gone', () => {
    const watch = new Watch();
    expect(watch.element(0, { timeout: 10.9 })).toContain('TimerStarted T+0.011');
    expect(watch.element(0.001, null)).toEqual(['StatusChanged normal', 'TimerCancelled T+0.011']);
    expect(watch.element(0.002, null)).toEqual([]);
  });

  it('waits for a timeout whose end no calendar has, and for the shorter one until then', () => {
    const watch = new Watch();
    const forEver = Number.MAX_SAFE_INTEGER;
    const last = Date.parse('9999-12-31T23:59:59.999Z');
    expect(watch.element(0, { aggressiveTimeout: forEver })).toContain('TimerStarted T+30.001');
    expect(watch.element(31, { aggressiveTimeout: forEver })).toContain(
      `TimerStarted T+${(last - T) / 1000}`,
    );
    expect(watch.element(32, { timeout: forEver, aggressiveTimeout: null })).toEqual([]);
  });

  it('waits for a node that holds too much as long as it may', () => {
    const watch = new Watch();
    expect(watch.node(0, false)).toEqual([]);
    expect(watch.node(1, true)).toEqual(['TimerStarted T+16.001']);
    expect(watch.node(10, true)).toEqual([]);
    expect(watch.node(17, true)).toEqual([]);
    expect(watch.node(18, false)).toEqual([]);
    watch.node(20, true);
    expect(watch.node(21, false)).toEqual(['TimerCancelled T+35.001']);
  });
});
