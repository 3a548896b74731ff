import type { NewEvent, StreamAppend } from '#event-store';

/** An event that only identifies itself: `by` comes back in its data. */
export function marker(by: string, key = 'root.a', at = new Date('2026-11-01T00:00:00Z')): NewEvent {
  return { event: { name: 'KillSwitchCleared', data: { partition: 'default', queue: key, by } }, at, key };
}

/** An append of markers to a stream of the partition `default`. */
export function markers(stream: string, expectedVersion: number, ...events: NewEvent[]): StreamAppend {
  return { stream, partition: 'default', expectedVersion, events };
}
