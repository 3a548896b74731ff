import { describe, expect, it } from '@jest/globals';
import { Chance } from '../../../../test/support/chance.js';
import { ContainerSignals, type Signal } from './container-signals.js';

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
    signals.keepOnly(() => false);
    expect(signals.has('c1')).toBe(false);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'of one kind are never closer than 30 s for a container, in any order of requests, looks and short lists (seed %i)',
    (seed) => {
      const chance = new Chance(seed);
      const signals = new ContainerSignals();
      const alive = new Set(['c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
      const last = new Map<string, number>();
      let now = 0;
      let sent = 0;
      const send = (container: string, signal: Signal) => {
        const key = `${container} ${signal}`;
        expect(alive.has(container)).toBe(true);
        expect(now - (last.get(key) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(30_000);
        last.set(key, now);
        sent++;
      };
      for (let step = 0; step < 2000; step++) {
        now += Math.floor(chance.between(0, chance.hits(0.05) ? 40_000 : 3000));
        const one = `c${Math.floor(chance.between(0, 6))}`;
        if (alive.has(one) && !signals.has(one) && chance.hits(0.1)) {
          const graceSeconds = [0, 2, 29, 30, 31, 600][Math.floor(chance.between(0, 6))] ?? 0;
          send(one, signals.firstFor(graceSeconds));
          signals.note(one, graceSeconds, now);
        }
        // Containers get new ids.
        if (chance.hits(0.01)) alive.delete(one);
        if (alive.size === 0) break;
        if (!chance.hits(0.5)) continue;
        const short = chance.hits(0.3) ? one : undefined;
        const running = new Set([...alive].filter((container) => container !== short));
        signals.keepOnly((container) => running.has(container) || container === short);
        for (const { container, signal } of signals.due(running, now)) {
          expect(running.has(container)).toBe(true);
          signals.repeated(container, signal, now);
          send(container, signal);
        }
      }
      expect(sent).toBeGreaterThan(alive.size);
    },
  );
});
