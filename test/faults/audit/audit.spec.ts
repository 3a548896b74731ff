import { describe, expect, it } from '@jest/globals';
import { audit, checks } from './audit.js';
import type { History, Kill, Logged } from './history.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, seconds));
const instant = (seconds: number) => at(seconds).toISOString();

const quota = (amount: number) => ({ max: { memory: amount }, delayMs: 10_000 });
const unplanned = { partition: 'default', queue: 'root.c', enforcement: 'e-3', cause: 'quota-lowered' };

/** Two of root.a's three allocations are evicted by one run, which was due 10 s after the change. */
function rightHistory(): History {
  const run = { partition: 'default', queue: 'root.a', enforcement: 'e-1' };
  const victim = (rank: number) => ({ ...run, allocation: `a${rank}`, uid: `u${rank}`, rank });
  const order = (rank: number, seconds: number) => ({
    ...victim(rank),
    evictionId: `e-1-${rank}-1`,
    orderedAt: instant(seconds),
  });
  const log = [
    event('config-default', 1, 0, 'QuotaChanged', { ...run, previous: quota(3), current: quota(1) }),
    event('schedule-a', 1, 0, 'EnforcementScheduled', {
      ...run,
      dueAt: instant(10),
      current: quota(1),
      cause: 'quota-lowered',
    }),
    event('schedule-a', 2, 11, 'EnforcementStarted', {
      ...run,
      fencingToken: 4,
      dueAt: instant(10),
      startedAt: instant(11),
    }),
    event('plan-e-1', 1, 11, 'PlanComputed', {
      ...run,
      plan: {
        victims: ['a1', 'a2'].map((allocation) => ({
          allocation,
          queue: 'root.a',
          resources: { memory: 1 },
        })),
      },
    }),
    event('execution-e-1', 1, 12, 'VictimOrdered', order(1, 12)),
    event('execution-e-1', 2, 12, 'VictimEvicted', order(1, 12)),
    event('execution-e-1', 3, 14, 'VictimOrdered', order(2, 14)),
    event('execution-e-1', 4, 14, 'VictimEvicted', order(2, 14)),
    event('execution-e-1', 5, 15, 'EnforcementEnded', {
      ...run,
      outcome: 'satisfied',
      evicted: 2,
      gone: 0,
      spared: 0,
      failed: 0,
    }),
    event('schedule-a', 3, 15, 'EnforcementReleased', run),
    event('schedule-b', 1, 16, 'EnforcementScheduled', {
      ...run,
      queue: 'root.b',
      enforcement: 'e-2',
      dueAt: instant(26),
      current: quota(1),
      cause: 'quota-lowered',
    }),
    event('schedule-b', 2, 17, 'EnforcementCancelled', { ...run, queue: 'root.b', enforcement: 'e-2' }),
  ];
  const initial = [1, 2, 3].map((number) => ({
    id: `a${number}`,
    uid: `u${number}`,
    queue: 'root.a',
    resources: { memory: 1 },
  }));
  return {
    log,
    kills: [kill(1, 12), kill(2, 14)],
    departures: [],
    initialAllocations: initial,
    remaining: initial.slice(2),
    limits: [{ path: 'root.a', max: { memory: 1 }, guaranteed: { memory: 1 }, delayMs: 10_000 }],
    leftOvers: [],
    triesAgainLater: [],
    shown: [{ enforcement: 'e-1', state: 'ended', outcome: 'satisfied', evicted: 2 }],
    victimsPerSecond: 1,
  };
}

function event(stream: string, version: number, seconds: number, name: string, data: object): Logged {
  return { position: 0, stream, version, time: at(seconds), name, data } as unknown as Logged;
}

function kill(rank: number, seconds: number): Kill {
  return {
    allocation: `a${rank}`,
    uid: `u${rank}`,
    queue: 'root.a',
    resources: { memory: 1 },
    evictionId: `e-1-${rank}-1`,
    at: at(seconds),
  };
}

/** The event with this name, the nth, given other data. */
function change(history: History, name: string, data: object, nth = 1): void {
  const found = history.log.filter((logged) => logged.name === name)[nth - 1];
  if (!found) throw new Error(`there is no ${name} to doctor`);
  Object.assign(found.data, data);
}

/** Events are written when they say, but for the start of the run. */
function writeAt(history: History, startSeconds: number): void {
  for (const logged of history.log) {
    const moment = logged.name === 'EnforcementStarted' ? at(startSeconds) : logged.time;
    logged.written = { from: moment, to: moment };
  }
}

function drop(history: History, name: string, nth = 1): void {
  const found = history.log.filter((logged) => logged.name === name)[nth - 1];
  history.log = history.log.filter((logged) => logged !== found);
}

/** The fault that each check is there to find, done to a right history. */
const wrongs: [keyof typeof checks, string, (history: History) => void][] = [
  ['everyDecreaseIsRecorded', 'a decrease that set no clock', (h) => drop(h, 'EnforcementScheduled')],
  ['everyRunEndsOnce', 'a run without an end', (h) => drop(h, 'EnforcementEnded')],
  ['everyRunEndsOnce', 'a lock that was not given back', (h) => drop(h, 'EnforcementReleased')],
  [
    'everyRunEndsOnce',
    'a planned run without an end whose lease is over',
    (h) => {
      drop(h, 'EnforcementEnded');
      change(h, 'EnforcementReleased', { cause: 'lease-ended' });
    },
  ],
  ['everyRunEndsOnce', 'a clock that went away silently', (h) => drop(h, 'EnforcementCancelled')],
  [
    'everyRunEndsOnce',
    'a run with two ends',
    (h) => h.log.push(h.log.find((e) => e.name === 'EnforcementEnded')!),
  ],
  ['dueTimesHold', 'an early start', (h) => change(h, 'EnforcementStarted', { startedAt: instant(9) })],
  [
    'dueTimesHold',
    'a due time that has moved',
    (h) => change(h, 'EnforcementStarted', { dueAt: instant(11) }),
  ],
  [
    'dueTimesHold',
    'a due time that began at a restart',
    (h) => change(h, 'EnforcementScheduled', { dueAt: instant(11) }),
  ],
  ['delaysAreServed', 'a run that began early by the clock of the database', (h) => writeAt(h, 8)],
  ['everyVictimHasOneOutcome', 'a victim without an outcome', (h) => drop(h, 'VictimEvicted', 2)],
  [
    'everyVictimHasOneOutcome',
    'a victim with two outcomes',
    (h) =>
      h.log.push(event('execution-e-1', 6, 14, 'VictimSpared', { enforcement: 'e-1', allocation: 'a2' })),
  ],
  [
    'everyVictimHasOneOutcome',
    'an end that counts otherwise',
    (h) => change(h, 'EnforcementEnded', { evicted: 3 }),
  ],
  ['killsAreRecordedOnce', 'a second kill of one incarnation', (h) => h.kills.push(kill(2, 14))],
  ['killsAreRecordedOnce', 'a kill that no one ordered', (h) => drop(h, 'VictimOrdered', 2)],
  ['killsAreRecordedOnce', 'a kill without a record', (h) => drop(h, 'VictimEvicted', 2)],
  ['killsAreRecordedOnce', 'a record without a kill', (h) => h.kills.pop()],
  ['killsHappenWithinTheirRun', 'a kill before its run', (h) => (h.kills[0]!.at = at(10))],
  ['killsHappenWithinTheirRun', 'a kill after its run', (h) => (h.kills[1]!.at = at(16))],
  ['rateHolds', 'two orders in a second', (h) => change(h, 'VictimOrdered', { orderedAt: instant(12) }, 2)],
  ['floorsHold', 'a queue below its guaranteed', (h) => (h.limits[0]!.guaranteed = { memory: 2 })],
  [
    'floorsHold',
    'a kill that leaves too little beside what was known to have ended',
    (h) => {
      h.departures.push({ queue: 'root.a', resources: { memory: 1 }, knownAt: at(8) });
    },
  ],
  ['decreasesConverge', 'a queue above its max', (h) => (h.remaining = h.initialAllocations)],
  [
    'lostRunsCountForNothing',
    'a plan that counts the victims of a run that has lost its lock',
    (h) => {
      const run = { partition: 'default', queue: 'root.a', enforcement: 'e-5' };
      h.log.push(
        event('plan-e-3', 1, 41, 'PlanComputed', {
          ...unplanned,
          plan: { victims: [{ allocation: 'a3', queue: 'root.a', resources: { memory: 1 } }] },
        }),
        event('schedule-c', 1, 20, 'EnforcementScheduled', {
          ...unplanned,
          dueAt: instant(30),
          current: quota(1),
        }),
        event('schedule-c', 2, 40, 'EnforcementReleased', { ...unplanned, cause: 'lease-ended' }),
        event('schedule-a', 4, 41, 'EnforcementScheduled', { ...run, dueAt: instant(51), current: quota(1) }),
        event('schedule-a', 5, 41, 'EnforcementStarted', { ...run, fencingToken: 9, dueAt: instant(51) }),
        event('plan-e-5', 1, 41, 'PlanComputed', { ...run, plan: { victims: [], inFlight: { memory: 3 } } }),
      );
    },
  ],
  ['streamsHaveNoGaps', 'a version that is missing', (h) => drop(h, 'VictimOrdered', 2)],
  ['streamsHaveNoGaps', 'versions in another order', (h) => h.log.reverse()],
  [
    'eventsTakeEffectOnce',
    'a run that was planned twice',
    (h) => h.log.push(h.log.find((e) => e.name === 'PlanComputed')!),
  ],
  [
    'eventsTakeEffectOnce',
    'a change that was recorded twice',
    (h) => h.log.push(h.log.find((e) => e.name === 'EnforcementScheduled')!),
  ],
  [
    'fencingTokensGrow',
    'a token that was given before',
    (h) =>
      h.log.push(event('schedule-b', 3, 18, 'EnforcementStarted', { enforcement: 'e-3', fencingToken: 4 })),
  ],
  ['nothingIsLeftOver', 'a timer that never fires', (h) => h.leftOvers.push({ what: 'timers', count: 1 })],
  ['shownAsRecorded', 'a run that is shown otherwise', (h) => (h.shown[0]!.evicted = 1)],
  ['shownAsRecorded', 'a run that is not shown', (h) => h.shown.pop()],
];

describe('the audit of a history', () => {
  it('finds nothing in a right one', () => {
    expect(audit(rightHistory())).toEqual([]);
  });

  it('finds nothing wrong in runs that lost their lock', () => {
    const history = rightHistory();
    change(history, 'EnforcementReleased', { cause: 'lease-ended' });
    history.log.push(
      event('schedule-c', 1, 20, 'EnforcementScheduled', {
        ...unplanned,
        dueAt: instant(30),
        current: quota(1),
      }),
      event('schedule-c', 2, 40, 'EnforcementReleased', { ...unplanned, cause: 'lease-ended' }),
    );
    writeAt(history, 11);
    expect(audit(history)).toEqual([]);
  });

  it('does not blame a kill for what no one could know', () => {
    const history = rightHistory();
    history.departures = [
      { queue: 'root.a', resources: { memory: 1 } },
      { queue: 'root.a', resources: { memory: 1 }, knownAt: at(13) },
    ];
    expect(audit(history)).toEqual([]);
  });

  it.each(wrongs)('%s finds %s', (check, _what, doctor) => {
    const history = rightHistory();
    doctor(history);
    expect(checks[check](history)).not.toEqual([]);
    expect(audit(history).some((finding) => finding.startsWith(`${check}: `))).toBe(true);
  });

  it('has a wrong history for each of its checks', () => {
    expect(new Set(wrongs.map(([check]) => check))).toEqual(new Set(Object.keys(checks)));
  });
});
