import type { History, Logged } from './history.js';
import { named } from './log-checks.js';
import { chain, Usage } from './usage.js';

const outcomes = ['VictimEvicted', 'VictimGone', 'VictimSpared', 'VictimFailed'] as const;

/** Each victim of a plan has exactly one outcome, and the end of the run counts them as they were. */
export function everyVictimHasOneOutcome({ log }: History): string[] {
  const findings: string[] = [];
  const found = new Map<string, string[]>();
  for (const event of log) {
    if (!isOutcome(event)) continue;
    const key = `${event.data.enforcement} ${event.data.allocation}`;
    found.set(key, [...(found.get(key) ?? []), event.name]);
  }
  for (const { data } of named(log, 'PlanComputed')) {
    for (const { allocation } of data.plan.victims) {
      const names = found.get(`${data.enforcement} ${allocation}`) ?? [];
      if (names.length !== 1)
        findings.push(`${data.enforcement}: ${allocation} ended as ${names.join() || 'nothing'}`);
    }
  }
  for (const { data } of named(log, 'EnforcementEnded')) {
    const of = log.filter(isOutcome).filter((event) => event.data.enforcement === data.enforcement);
    const counted = outcomes.map((name) => of.filter((event) => event.name === name).length).join();
    const reported = [data.evicted, data.gone, data.spared, data.failed].join();
    if (counted !== reported)
      findings.push(`${data.enforcement} reports ${reported} victims; there were ${counted}`);
  }
  return findings;
}

/** No incarnation is killed twice; what the cluster has carried out is what Curtail ordered and recorded, kill by kill. */
export function killsAreRecordedOnce({ log, kills }: History): string[] {
  const findings: string[] = [];
  const killed = new Set<string>();
  for (const { uid, allocation } of kills) {
    if (killed.has(uid)) findings.push(`${allocation} (${uid}) was killed twice`);
    killed.add(uid);
  }
  const ordered = new Set(named(log, 'VictimOrdered').map(({ data }) => data.evictionId));
  const recorded = named(log, 'VictimEvicted').map(({ data }) => data.evictionId);
  const carriedOut = new Set(kills.map(({ evictionId }) => evictionId));
  for (const id of carriedOut) {
    if (!ordered.has(id)) findings.push(`the kill ${id} was not ordered`);
    if (!recorded.includes(id)) findings.push(`the kill ${id} is not on record`);
  }
  for (const id of recorded) {
    if (!carriedOut.has(id)) findings.push(`${id} is recorded as evicted, and the cluster does not know it`);
  }
  return findings;
}

/**
 * Kills happen within their run: not before it has started, not after it has ended. By the clock of the database where writes
 * were watched, since the cluster goes by that.
 */
export function killsHappenWithinTheirRun({ log, kills }: History): string[] {
  const runOf = new Map(named(log, 'VictimOrdered').map(({ data }) => [data.evictionId, data.enforcement]));
  const started = new Map(
    named(log, 'EnforcementStarted').map(({ data, written }) => [
      data.enforcement,
      written?.from.toISOString() ?? data.startedAt,
    ]),
  );
  const ended = new Map(
    named(log, 'EnforcementEnded').map(({ data, time, written }) => [
      data.enforcement,
      (written?.to ?? time).toISOString(),
    ]),
  );
  return kills.flatMap(({ evictionId, at }) => {
    const run = runOf.get(evictionId) ?? '';
    const from = started.get(run) ?? '9';
    const to = ended.get(run) ?? '9';
    const when = at.toISOString();
    return from <= when && when <= to
      ? []
      : [`the kill ${evictionId} at ${when} is not within ${from} to ${to}`];
  });
}

/** The rate holds across restarts: within any second no run gives more orders than it may. */
export function rateHolds({ log, victimsPerSecond }: History): string[] {
  const findings: string[] = [];
  const orders = new Map<string, number[]>();
  for (const { data } of named(log, 'VictimOrdered')) {
    const times = orders.get(data.enforcement) ?? [];
    times.push(Date.parse(data.orderedAt));
    orders.set(data.enforcement, times);
    const blocking = times.at(-1 - victimsPerSecond);
    if (blocking !== undefined && times.at(-1)! - blocking < 1000) {
      findings.push(
        `${data.enforcement} gave more than ${victimsPerSecond} orders in the second from ${blocking}`,
      );
    }
  }
  return findings;
}

/** Between the last check of a victim and the record of its order: what was reported in between could not be known. */
const longestCheckMs = 3000;

/**
 * After no kill does any queue of the chain of its victim have less than its guaranteed amount of what the victim used. What
 * ended by itself counts for a kill that was ordered when it was known for longer than a check takes.
 */
export function floorsHold({ log, kills, departures, initialAllocations, limits }: History): string[] {
  const findings: string[] = [];
  const floors = new Map(limits.flatMap(({ path, guaranteed }) => (guaranteed ? [[path, guaranteed]] : [])));
  const orderedAt = new Map(
    named(log, 'VictimOrdered').map(({ data, time, written }) => [data.evictionId, written?.from ?? time]),
  );
  const usage = new Usage(initialAllocations);
  for (const kill of kills) {
    const { queue, resources, allocation, evictionId, at } = kill;
    const checkedAt = (orderedAt.get(evictionId) ?? at).getTime() - longestCheckMs;
    const ended = new Usage(departures.filter(({ knownAt }) => knownAt && knownAt.getTime() <= checkedAt));
    usage.remove(kill);
    for (const path of chain(queue)) {
      for (const type of Object.keys(resources)) {
        const left = usage.of(path, type) - ended.of(path, type);
        const floor = floors.get(path)?.[type];
        if (floor === undefined || left >= floor) continue;
        findings.push(
          `the kill of ${allocation} left ${path} with ${type} ${left}, its guaranteed is ${floor}`,
        );
      }
    }
  }
  return findings;
}

type Outcome = Extract<Logged, { name: (typeof outcomes)[number] }>;
const isOutcome = (event: Logged): event is Outcome => (outcomes as readonly string[]).includes(event.name);
