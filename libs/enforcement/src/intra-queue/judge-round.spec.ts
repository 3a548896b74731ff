import { describe, expect, it } from '@jest/globals';
import { atMs } from '../../testing/run-scenario.js';
import {
  type ChosenVictim,
  changesAnything,
  judgeRound,
  type NoteOfVictim,
  type RoundToJudge,
} from './judge-round.js';

const wait = 15_000;
const victim = (allocation: string, more: Partial<ChosenVictim> = {}): ChosenVictim => ({
  allocation,
  uid: `uid-${allocation}`,
  queue: 'root.a.b',
  rank: 1,
  ...more,
});
const note = (allocation: string, notifiedMs: number, more: Partial<NoteOfVictim> = {}): NoteOfVictim => ({
  allocation,
  uid: `uid-${allocation}`,
  notifiedAt: atMs(notifiedMs),
  killAt: atMs(notifiedMs + wait),
  round: 1,
  ...more,
});

/** Judges at `ms`, and returns the decision about each allocation. */
function judged(ms: number, more: Partial<RoundToJudge>): Record<string, string> {
  const {
    notify,
    wait: waiting,
    kill,
    held,
    forget,
  } = judgeRound({
    round: 2,
    takenAt: atMs(ms),
    now: atMs(ms),
    victims: [],
    notes: [],
    maxWaitBeforeKillMs: wait,
    observing: false,
    stops: [],
    ...more,
  });
  return Object.fromEntries([
    ...forget.map(({ allocation }) => [allocation, 'forget']),
    ...notify.map(({ allocation }) => [allocation, 'notify']),
    ...waiting.map(({ victim: { allocation }, killAt }) => [allocation, `wait until ${killAt}`]),
    ...kill.map(({ victim: { allocation } }) => [allocation, 'kill']),
    ...held.map(({ allocation }) => [allocation, 'held']),
  ]);
}

describe('a round that is judged', () => {
  it.each([
    ['chosen for the first time: notified', 0, {}, 'notify'],
    ['chosen, notified a moment ago: waits', 14_999, { notes: [note('x', 0)] }, `wait until ${atMs(wait)}`],
    ['chosen, its wait just over: killed', wait, { notes: [note('x', 0)] }, 'kill'],
    ['chosen, its wait long over: killed', 10 * wait, { notes: [note('x', 0)] }, 'kill'],
    [
      'a wait of 0, notified by the same round: waits',
      0,
      { maxWaitBeforeKillMs: 0, notes: [note('x', 0, { killAt: atMs(0), round: 2 })] },
      `wait until ${atMs(0)}`,
    ],
    [
      'a wait of 0, notified by the round before: killed',
      0,
      { maxWaitBeforeKillMs: 0, notes: [note('x', 0, { killAt: atMs(0) })] },
      'kill',
    ],
    ['notified a moment ago, its owner ready: killed', 1, { notes: [note('x', 0, { ready: true })] }, 'kill'],
    [
      'its owner ready, notified by the same round: waits',
      0,
      { notes: [note('x', 0, { ready: true, round: 2 })] },
      `wait until ${atMs(wait)}`,
    ],
    [
      'its owner ready, but another incarnation: notified',
      1,
      { notes: [note('x', 0, { ready: true, uid: 'other' })] },
      'notify',
    ],
    [
      'the wait made shorter since its notification: waits as long as notified',
      wait - 1,
      { maxWaitBeforeKillMs: 1000, notes: [note('x', 0)] },
      `wait until ${atMs(wait)}`,
    ],
    [
      'the wait made longer since its notification: waits as long as the setting requires now',
      wait,
      { maxWaitBeforeKillMs: 2 * wait, notes: [note('x', 0)] },
      `wait until ${atMs(2 * wait)}`,
    ],
    [
      'its wait over, but notified by the same round: waits',
      wait,
      { notes: [note('x', 0, { round: 2 })] },
      `wait until ${atMs(wait)}`,
    ],
    [
      'chosen on a snapshot that is older than the wait: waits',
      wait,
      { takenAt: atMs(wait - 1), notes: [note('x', 0)] },
      `wait until ${atMs(wait)}`,
    ],
    [
      'a clock behind that of the snapshot: waits',
      wait,
      { now: atMs(wait - 1), notes: [note('x', 0)] },
      `wait until ${atMs(wait)}`,
    ],
    [
      'another incarnation than the notified one: notified',
      wait,
      { notes: [note('x', 0, { uid: 'other' })] },
      'notify',
    ],
    [
      'below a kill switch: held',
      wait,
      { notes: [note('x', 0)], stops: [{ queue: 'root.a', by: 'ada' }] },
      'held',
    ],
    [
      'a kill switch elsewhere: killed',
      wait,
      { notes: [note('x', 0)], stops: [{ queue: 'root.c', by: 'ada' }] },
      'kill',
    ],
    ['a kill switch of the partition: held', 0, { stops: [{ queue: null, by: 'ada' }] }, 'held'],
    ['only observed: held', wait, { notes: [note('x', 0)], observing: true }, 'held'],
  ])('%s', (_, ms, more: Partial<RoundToJudge>, became) => {
    expect(judged(ms, { victims: [victim('x')], ...more }).x).toBe(became);
  });

  it.each([
    ['keeps the note of one that it does not choose', 2 * wait - 1, {}, undefined],
    ['forgets it when twice the wait is over', 2 * wait, {}, 'forget'],
    ['forgets it also when the policy only observes', 2 * wait, { observing: true }, 'forget'],
  ])('%s', (_, ms, more: Partial<RoundToJudge>, became) => {
    expect(judged(ms, { notes: [note('x', 0)], ...more }).x).toBe(became);
  });

  it('counts the wait of a victim that was not chosen in between from its notification', () => {
    expect(judged(2 * wait - 1, { round: 9, victims: [victim('x')], notes: [note('x', 0)] })).toEqual({
      x: 'kill',
    });
  });

  it('forgets a held victim whose note is old: once released, it is notified again', () => {
    const held = { victims: [victim('x')], notes: [note('x', 0)], stops: [{ queue: null, by: 'ada' }] };
    const { held: heldBack, forget } = judgeRound({
      round: 2,
      takenAt: atMs(2 * wait),
      now: atMs(2 * wait),
      maxWaitBeforeKillMs: wait,
      observing: false,
      ...held,
    });
    expect([heldBack.length, forget.length]).toEqual([1, 1]);
  });

  it('changes nothing when all chosen victims wait', () => {
    const round = {
      round: 2,
      takenAt: atMs(1),
      now: atMs(1),
      maxWaitBeforeKillMs: wait,
      observing: false,
      stops: [],
    };
    const waiting = judgeRound({ ...round, victims: [victim('x')], notes: [note('x', 0)] });
    expect(changesAnything(waiting)).toBe(false);
    expect(changesAnything(judgeRound({ ...round, victims: [victim('y')], notes: [note('x', 0)] }))).toBe(
      true,
    );
  });
});
