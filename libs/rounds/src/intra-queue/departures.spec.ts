import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterSnapshot, SnapshotAllocation } from '#contracts';
import { planGiven } from '#planning';
import { type Departure, departuresAfter, type Evicted, freedRoomMs, freedRoomOf } from './departures.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12) + seconds * 1000).toISOString();
const countsMs = freedRoomMs(500);

/** A queue of 100 that is full: `report` has all but what `fix` has, and `fix` wants more. */
function cluster(allocations: SnapshotAllocation[], pending: number, seconds: number): ClusterSnapshot {
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: at(seconds),
    partition: 'p',
    nodes: [
      { id: 'n1', capacity: { memory: 60 } },
      { id: 'n2', capacity: { memory: 60 } },
    ],
    queues: [
      { path: 'root', max: { memory: 110 } },
      { path: 'root.shared', guaranteed: { memory: 100 }, max: { memory: 100 } },
    ],
    applications: [
      { id: 'report', queue: 'root.shared', user: 'ann', priority: 1, submittedAt: at(-90), pending: [] },
      {
        id: 'fix',
        queue: 'root.shared',
        user: 'ann',
        priority: 2,
        submittedAt: at(-60),
        pending: pending === 0 ? [] : [{ resources: { memory: 1 }, count: pending }],
      },
    ],
    allocations,
  };
}
const allocation = (application: string, i: number): SnapshotAllocation => ({
  id: `${application}-${i}`,
  application,
  queue: 'root.shared',
  resources: { memory: 1 },
  startedAt: at(-50),
  role: i === 0 && application === 'report' ? 'originator' : 'task',
});
const many = (application: string, count: number) =>
  Array.from({ length: count }, (_, i) => allocation(application, i));
const gone = (id: string, until: number): Departure => ({
  ...{ allocation: id, queue: 'root.shared', resources: { memory: 1 } },
  until: at(until),
});

describe('departures', () => {
  it('begin when an allocation is leaving, and count from when it is gone', () => {
    const leaving = { ...allocation('report', 1), state: 'releasing' as const };
    const first = departuresAfter([], [], cluster([leaving], 0, 0), countsMs);
    expect(first).toEqual([{ ...gone('report-1', 0), until: null }]);
    const stays = departuresAfter(first, [], cluster([leaving], 0, 60), countsMs);
    expect(stays).toEqual(first);
    const next = departuresAfter(stays, [], cluster([], 0, 61), countsMs);
    expect(next).toEqual([gone('report-1', 66)]);
    expect(departuresAfter(next, [], cluster([], 0, 65.9), countsMs)).toEqual(next);
    expect(departuresAfter(next, [], cluster([], 0, 66), countsMs)).toEqual([]);
  });

  it('are evictions between two rounds too, unless the allocation is there', () => {
    const evicted = (id: string, seconds: number): Evicted => ({
      ...{ allocation: id, queue: 'root.shared', resources: { memory: 1 } },
      at: new Date(at(seconds)),
    });
    const snapshot = cluster([allocation('report', 2)], 0, 10);
    const found = departuresAfter([], [evicted('report-1', 9), evicted('report-2', 9)], snapshot, countsMs);
    expect(found).toEqual([gone('report-1', 14)]);
    expect(departuresAfter(found, [evicted('report-1', 9)], snapshot, countsMs)).toEqual(found);
    expect(departuresAfter([], [evicted('report-1', 5)], snapshot, countsMs)).toEqual([]);
  });

  it('end where another incarnation runs under the same id, and where one that was to go stays', () => {
    const returned = { ...allocation('report', 1), uid: 'new' };
    const known = [gone('report-1', 66), { ...gone('report-2', 0), until: null }];
    expect(departuresAfter(known, [], cluster([returned, allocation('report', 2)], 0, 61), countsMs)).toEqual(
      [],
    );
  });
});

describe('freed room', () => {
  const left = Array.from({ length: 30 }, (_, i) => gone(`x-${i}`, 5));
  it.each([
    ['is what departures had', 70, 30],
    ['is no more than the queue has left', 95, 5],
    ['is none in a full queue', 100, undefined],
  ])('%s', (_, has, memory) => {
    const room = freedRoomOf(left, cluster(many('report', has), 0, 0));
    expect(room.get('root.shared')).toEqual(memory === undefined ? undefined : { memory });
  });

  it('is no more than queues above and nodes have left', () => {
    const other = { ...allocation('other', 0), queue: 'root.other', resources: { memory: 38 } };
    const full = cluster([...many('report', 70), other], 0, 0);
    expect(freedRoomOf(left, full).get('root.shared')).toEqual({ memory: 2 });
    const small = { ...cluster(many('report', 70), 0, 0), nodes: [{ id: 'n1', capacity: { memory: 73 } }] };
    expect(freedRoomOf(left, small).get('root.shared')).toEqual({ memory: 3 });
  });

  it('is none of what is still leaving', () => {
    const leaving = left.map((departure) => ({ ...departure, until: null }));
    expect(freedRoomOf(leaving, cluster(many('report', 70), 0, 0)).size).toBe(0);
  });
});

/** What happens between rounds, in any order: some victims are gone, or the scheduler gives some of the free room out. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('round' as const) }),
  fc.record({ kind: fc.constant('gone' as const), count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('given' as const), count: fc.integer({ min: 1, max: 40 }) }),
);

describe('rounds of an inversion', () => {
  it('never evict more than it needs, whenever the scheduler gives room out', () => {
    fc.assert(
      fc.property(
        fc.record({
          wanted: fc.integer({ min: 1, max: 60 }),
          perRound: fc.constantFrom(0.05, 0.3, 1),
          atOnce: fc.boolean(),
          happenings: fc.array(happening, { minLength: 10, maxLength: 60, size: 'max' }),
        }),
        ({ wanted, perRound, atOnce, happenings }) => {
          const settings = {
            preemptionOrderPolicy: 'priority-first',
            maxAllowableLimit: perRound,
            totalPreemptionPerRound: perRound,
          };
          let running = many('report', 100);
          let started = 0;
          let departures: Departure[] = [];
          let evicted: Evicted[] = [];
          let killed = 0;
          happenings.forEach((what, i) => {
            // 5 s is how long freed room counts; no scheduler of this test takes longer.
            const seconds = i * 0.05;
            const free = 100 - running.length;
            if (what.kind === 'given') {
              const count = Math.min(what.count, free, wanted - started);
              for (let k = 0; k < count; k++) running.push(allocation('fix', started++));
            } else if (what.kind === 'gone') {
              let count = what.count;
              running = running.filter(({ state }) => state === undefined || count-- <= 0);
            } else {
              const snapshot = cluster([...running], wanted - started, seconds);
              departures = departuresAfter(departures, evicted, snapshot, countsMs);
              const room = freedRoomOf(departures, snapshot);
              const queues = snapshot.queues.map((queue) => ({
                ...queue,
                properties: room.has(queue.path) ? { freedRoom: room.get(queue.path) } : {},
              }));
              const { victims } = planGiven({
                ...{ snapshot: { ...snapshot, queues }, settings },
                trigger: { policy: 'intra-queue' },
              });
              const chosen = new Set(victims.map((victim) => victim.allocation));
              killed += chosen.size;
              evicted = victims.map((victim) => ({
                ...{ allocation: victim.allocation, queue: victim.queue, resources: victim.resources },
                at: new Date(at(seconds)),
              }));
              running = atOnce
                ? running.filter(({ id }) => !chosen.has(id))
                : running.map((of) => (chosen.has(of.id) ? { ...of, state: 'preempting' as const } : of));
            }
          });
          expect(killed).toBeLessThanOrEqual(wanted);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  it('take what is needed once the time of freed room that no one can use has passed', () => {
    const snapshot = cluster(many('report', 70), 50, 5);
    const left = Array.from({ length: 30 }, (_, i) => gone(`x-${i}`, 5));
    expect(freedRoomOf(departuresAfter(left, [], snapshot, countsMs), snapshot).size).toBe(0);
  });
});
