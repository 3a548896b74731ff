import { describe, expect, it } from '@jest/globals';
import { clockKind } from '#contracts';
import { roundPolicies } from '#rounds';
import { machineClock } from '../../../test/support/machine-clock.js';
import type { CheckOutcome } from './start-due-runs.js';
import { TimerService } from './timer.service.js';

const nothing: CheckOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

describe('a sweep', () => {
  it('runs in each partition and step, whatever fails or hangs in others, and counts failures', async () => {
    const [broken, ...sound] = roundPolicies.names;
    const checked: string[] = [];
    const startDueRuns = {
      check: async (partition: string) => {
        checked.push(partition);
        if (partition === 'broken') throw new Error('no answer');
        if (partition === 'hangs') await new Promise(() => {});
        return nothing;
      },
    };
    const db = {
      query: async (sql: string, [kinds]: unknown[] = []) => {
        if (!sql.includes('FROM timers\n')) return [];
        const partitionsOf = (kind: string) => {
          if (kind === clockKind) return ['broken', 'hangs', 'quick'];
          return kind === broken ? ['broken'] : ['sound'];
        };
        return (kinds as string[]).map((kind) => ({ kind, partitions: partitionsOf(kind) }));
      },
    };
    const done: string[] = [];
    const beginRounds = {
      ifDue: async ({ name }: { name: string }, partition: string) => {
        if (name === broken) throw new Error('no round');
        done.push(`${name} ${partition}`);
      },
    };
    const endLeases = {
      partitions: async () => ['q'],
      sweep: async (partition: string) => done.push(`leases ${partition}`),
    };
    const failed: string[] = [];
    const clocks = {
      sweepFailed: (step: string, partition: string) => failed.push(`${step} ${partition}`),
    };
    const words = [
      ...[db, {}, {}, startDueRuns, endLeases, {}, { arm: () => {} }],
      ...[beginRounds, {}, { clocks }, machineClock, {}],
    ];
    const service = new TimerService(...(words as unknown as ConstructorParameters<typeof TimerService>));
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(checked.sort()).toEqual(['broken', 'hangs', 'quick']);
    expect(done.sort()).toEqual([...sound.map((name) => `${name} sound`), 'leases q'].sort());
    expect(failed.sort()).toEqual(['clocks broken', `${broken} broken`].sort());
    // The hanging one is not begun again, and all others run.
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(checked.sort()).toEqual(['broken', 'broken', 'hangs', 'quick', 'quick']);
  });
});
