import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Applied, pagesOf, type Timer } from '#api-client';
import { clockKind } from '#contracts';
import type { AppliedClock } from '../output/applied-lines.js';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';

const clockEvents = [
  'EnforcementScheduled',
  'EnforcementRescheduled',
  'EnforcementCancelled',
  'EnforcementSkipped',
  'QuotaNoted',
];

/** Clocks are set within milliseconds; after this time the user can still check. */
const patienceMs = 3000;
const pagesAtMost = 5;

/**
 * Reads the log back to a configuration, and returns the clocks that it has set, once those that should run do. Some are missing if
 * there are too many changes, the timer service is down, or another configuration has changed the quota of the queue since.
 */
export async function clocksAfter(client: Client, applied: Applied): Promise<AppliedClock[]> {
  const wanted = applied.quotaPreemptionEnabled
    ? applied.changed.filter(({ clock }) => clock.effect !== 'none').map(({ queue }) => queue)
    : [];
  const until = Date.now() + patienceMs;
  for (;;) {
    const { found, changedSince } = wanted.length === 0 ? nothing : await clocksSince(client, applied);
    if (wanted.every((queue) => found.has(queue) || changedSince.has(queue)) || Date.now() > until) {
      const clocks = wanted.flatMap((queue) => found.get(queue) ?? []);
      return clocks.some(({ dueAt }) => dueAt !== null) ? withFreezes(client, applied, clocks) : clocks;
    }
    await pause(100);
  }
}

interface ClocksSince {
  found: Map<string, AppliedClock>;
  /** Queues whose clocks are by now those of another quota. */
  changedSince: Set<string>;
}

const nothing: ClocksSince = { found: new Map(), changedSince: new Set() };

/** The first event of each clock after the configuration, where the quota is still that of the configuration. */
async function clocksSince(client: Client, { partition, version, changed }: Applied): Promise<ClocksSince> {
  const applied = new Map(changed.map(({ queue, current }) => [queue, current]));
  const found = new Map<string, AppliedClock>();
  const changedSince = new Set<string>();
  let pages = 0;
  const read = (after?: string) =>
    client.get('/v1/events', { params: { query: { partition, limit: 1000, after } } });
  for await (const { items } of pagesOf(read)) {
    for (const { name, queue, data, stream, version: at } of items) {
      // The log lists the latest first, so events read later happened earlier.
      if (stream === `config-${partition}` && at === version) return { found, changedSince };
      if (!clockEvents.includes(name)) continue;
      const { current, ...facts } = data as Record<string, unknown>;
      if (current !== undefined && !isDeepStrictEqual(current, applied.get(queue))) changedSince.add(queue);
      if (changedSince.has(queue)) continue;
      const clock = clockOf(name, queue, facts);
      const isSuspended = clock.dueAt !== null && found.get(queue)?.cause === 'suspended';
      found.set(queue, isSuspended ? { ...clock, suspended: true } : clock);
    }
    if (++pages === pagesAtMost) break;
  }
  return { found, changedSince };
}

function clockOf(event: string, queue: string, data: Record<string, unknown>): AppliedClock {
  const runs = event === 'EnforcementScheduled' || event === 'EnforcementRescheduled';
  return {
    queue,
    dueAt: runs ? String(data.dueAt) : null,
    enforcement: typeof data.enforcement === 'string' ? data.enforcement : null,
    event,
    cause: typeof data.cause === 'string' ? data.cause : null,
  };
}

/** Clocks that fall due in a freeze start their runs at its end. */
async function withFreezes(
  client: Client,
  { partition }: Applied,
  clocks: AppliedClock[],
): Promise<AppliedClock[]> {
  const { items: freezes } = await client.get('/v1/freezes', { params: { query: { partition } } });
  if (freezes.length === 0) return clocks;
  const { items } = await client.get('/v1/timers', {
    params: { query: { partition, policy: clockKind, limit: 1000 } },
  });
  const ends = new Map(items.map(({ queue, frozenUntil }) => [queue, frozenUntil]));
  return clocks.map((clock) => {
    const frozenUntil = ends.get(clock.queue);
    return frozenUntil ? { ...clock, frozenUntil } : clock;
  });
}

/**
 * The first clocks of a partition that a configuration leaves as they are: what they lead to stays due. Those that the switch suspended
 * are listed once the timer has set them again. None where the server does not tell: the configuration is in force all the same.
 *
 * @param limit how many at most.
 */
export async function pendingClocks(
  client: Client,
  { partition, quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before, changed }: Applied,
  limit: number,
): Promise<Timer[]> {
  if (!on) return [];
  const isChanged = new Set(changed.map(({ queue }) => queue));
  const until = before === false ? Date.now() + patienceMs : 0;
  try {
    for (;;) {
      const { items } = await client.get('/v1/timers', {
        params: { query: { partition, policy: clockKind, limit: Math.min(1000, limit + isChanged.size) } },
      });
      // A stop may hold some of them: they stay suspended.
      if (Date.now() > until || items.every(({ state }) => state !== 'suspended'))
        return items.filter(({ queue }) => !isChanged.has(queue)).slice(0, limit);
      await pause(100);
    }
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}
