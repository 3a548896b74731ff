import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { atMs } from '../../testing/run-scenario.js';
import { judgeRound, type NoteOfVictim } from './judge-round.js';

/*
 * Many rounds in a row over a few allocations, each run twice: by the decider, and by the specification, which remembers every
 * past round. The specification keeps no notes; it reads past rounds.
 */

const ids = ['a', 'b', 'c'];

interface Round {
  afterMs: number;
  chosen: string[];
  isStopped: boolean;
}

const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 40 }),
    chosen: fc.subarray(ids),
    isStopped: fc.boolean(),
  }),
  { maxLength: 25 },
);

describe('rounds in a row', () => {
  it('notify before they kill, wait as long as they have to, and forget according to the specification', () => {
    fc.assert(
      fc.property(rounds, fc.integer({ min: 0, max: 50 }), (played, maxWaitBeforeKillMs) => {
        let notes: NoteOfVictim[] = [];
        /** Of the specification: when and by which round each victim was notified, if that counts. */
        const notified = new Map<string, { ms: number; round: number }>();
        let ms = 0;
        played.forEach(({ afterMs, chosen, isStopped }, index) => {
          ms += afterMs;
          const round = index + 1;
          const { notify, wait, kill, held, forget } = judgeRound({
            round,
            takenAt: atMs(ms),
            now: atMs(ms),
            victims: chosen.map((allocation, i) => ({ allocation, queue: 'root.q', rank: i + 1 })),
            notes,
            maxWaitBeforeKillMs,
            observing: false,
            stops: isStopped ? [{ queue: 'root', by: 'ada' }] : [],
          });
          const names = (victims: { allocation: string }[]) => victims.map(({ allocation }) => allocation);
          const actual = {
            notify: names(notify),
            wait: names(wait.map(({ victim }) => victim)),
            kill: names(kill.map(({ victim }) => victim)),
            held: names(held),
            forget: names(forget),
          };
          const expected: typeof actual = { notify: [], wait: [], kill: [], held: [], forget: [] };
          for (const id of chosen) {
            const before = notified.get(id);
            if (isStopped) expected.held.push(id);
            else if (!before) expected.notify.push(id);
            else if (ms - before.ms >= maxWaitBeforeKillMs && before.round < round) expected.kill.push(id);
            else expected.wait.push(id);
          }
          for (const id of ids) {
            const before = notified.get(id);
            const counts = chosen.includes(id) && !isStopped;
            if (before && !counts && ms - before.ms >= 2 * maxWaitBeforeKillMs) expected.forget.push(id);
          }
          if (JSON.stringify(actual) !== JSON.stringify(expected)) {
            throw new Error(
              `round ${round}: ${JSON.stringify(actual)}, by the specification ${JSON.stringify(expected)}`,
            );
          }
          for (const id of [...expected.kill, ...expected.forget]) notified.delete(id);
          for (const id of expected.notify) notified.set(id, { ms, round });
          const gone = new Set([...actual.kill, ...actual.forget]);
          notes = [
            ...notes.filter(({ allocation }) => !gone.has(allocation)),
            ...actual.notify.map((allocation) => ({
              allocation,
              notifiedAt: atMs(ms),
              killAt: atMs(ms + maxWaitBeforeKillMs),
              round,
            })),
          ].sort((one, other) => (one.allocation < other.allocation ? -1 : 1));
        });
      }),
      { numRuns: 500 },
    );
  });
});
