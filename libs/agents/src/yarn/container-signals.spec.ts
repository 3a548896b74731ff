import { describe, expect, it } from '@jest/globals';
import { ContainerSignals } from './container-signals.js';

const running = new Set(['c1']);

describe('the signals of a container', () => {
  it('begin gracefully if there is a notice, else forcefully', () => {
    const signals = new ContainerSignals();
    expect(signals.firstFor(30)).toBe('GRACEFUL_SHUTDOWN');
    expect(signals.firstFor(0)).toBe('FORCEFUL_SHUTDOWN');
  });

  it('become forceful once when the notice is over, and only if it still runs', () => {
    const signals = new ContainerSignals();
    signals.note('c1', 10, 0);
    expect(signals.due(running, 9999)).toEqual([]);
    expect(signals.due(new Set(), 10_000)).toEqual([]);
    expect(signals.due(running, 10_000)).toEqual([{ container: 'c1', signal: 'FORCEFUL_SHUTDOWN' }]);
    signals.repeated('c1', 'FORCEFUL_SHUTDOWN', 10_000);
    expect(signals.due(running, 39_999)).toEqual([]);
  });

  it('are repeated after 30 s, and then half as often each time: each may hold a node for 5 s', () => {
    const signals = new ContainerSignals();
    signals.note('c1', 3600, 0);
    const times: number[] = [];
    for (let now = 0; now < 1_500_000; now += 1000) {
      for (const { container, signal } of signals.due(running, now)) {
        expect(signal).toBe('GRACEFUL_SHUTDOWN');
        times.push(now / 1000);
        signals.repeated(container, signal, now);
      }
    }
    expect(times).toEqual([30, 90, 210, 450, 750, 1050, 1350]);
  });

  it('end with the container', () => {
    const signals = new ContainerSignals();
    signals.note('c1', 10, 0);
    expect(signals.has('c1')).toBe(true);
    signals.keepOnly(new Set());
    expect(signals.has('c1')).toBe(false);
  });
});
